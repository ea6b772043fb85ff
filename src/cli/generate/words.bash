
# Devices and columns, asked of zinspect itself.
_zinspect_with_words() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev=""
    ((COMP_CWORD > 0)) && prev="${COMP_WORDS[COMP_CWORD - 1]}"
    case "$prev" in
        -c | --columns | -s | --sort)
            local head="" last="$cur"
            if [[ "$cur" == *,* ]]; then
                head="${cur%,*},"
                last="${cur##*,}"
            elif [[ "$cur" == [+-]* ]]; then
                head="${cur:0:1}"
                last="${cur:1}"
            fi
            mapfile -t COMPREPLY < <(compgen -P "$head" -W "$(zinspect gen words columns 2>/dev/null)" -- "$last")
            compopt -o nospace 2>/dev/null
            return 0
            ;;
    esac
    _zinspect "$@"
    if [[ "$cur" != -* && "$prev" != -* ]]; then
        local devices
        mapfile -t devices < <(compgen -W "$(zinspect gen words devices 2>/dev/null)" -- "${cur#/dev/}")
        [[ "$cur" == /dev/* ]] && devices=("${devices[@]/#//dev/}")
        COMPREPLY+=("${devices[@]}")
    fi
    return 0
}
complete -F _zinspect_with_words -o bashdefault -o default zinspect
