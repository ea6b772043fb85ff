
# Devices and columns, asked of zinspect itself.
_zinspect_devices() {
    local -a devices
    if [[ $PREFIX == */* ]]; then
        _files
        return
    fi
    devices=(${(f)"$(zinspect gen words devices 2>/dev/null)"})
    _wanted devices expl device compadd -a devices
}
_zinspect_first() {
    local ret=1
    _zinspect_commands && ret=0
    _zinspect_devices && ret=0
    return ret
}
_zinspect_columns() {
    local -a columns
    columns=(${(f)"$(zinspect gen words columns 2>/dev/null)"})
    compset -P '[+-]'
    _sequence compadd -M 'm:{A-Z}={a-z}' -a columns
}
