
# Devices and columns, asked of zinspect itself.
_zinspect_devices() {
    local -a devices
    devices=(${(f)"$(zinspect gen words devices 2>/dev/null)"})
    _alternative "devices:device:compadd -a devices" "files:node:_files -W /dev"
}
_zinspect_columns() {
    local -a columns
    columns=(${(f)"$(zinspect gen words columns 2>/dev/null)"})
    compset -P '[+-]'
    _sequence compadd -a columns
}
