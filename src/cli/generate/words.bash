
# Whether a device can stand where the cursor is.
_zinspect_takes_devices() {
    local word place="" skip="" target="" devices=0 valued="" below=""
    _zinspect_place ""
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ "$word" == "=" ]]; then
            skip=1
        elif [[ -n "$skip" ]]; then
            skip=""
        elif [[ "$word" == -* ]]; then
            [[ "$valued" == *" $word "* ]] && skip=1
        elif [[ -z "$target" && "$below" == *" $word "* ]]; then
            place="${place:+$place }$word"
            _zinspect_place "$place"
        else
            target=1
        fi
    done
    [[ -z "$skip" && "$devices" == 1 ]]
}
# Devices and columns, asked of zinspect itself.
_zinspect_with_words() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="" head="" last
    ((COMP_CWORD > 0)) && prev="${COMP_WORDS[COMP_CWORD - 1]}"
    # bash makes three words of --option=value.
    if [[ "$cur" == "=" ]]; then
        cur=""
    elif [[ "$prev" == "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD - 2]}"
    fi
    last="$cur"
    if [[ "$cur" == *,* ]]; then
        head="${cur%,*},"
        last="${cur##*,}"
    fi
    case "$prev" in
        -c | --columns | -s | --sort)
            if [[ -z "$head" && "$cur" == [+-]* ]]; then
                head="${cur:0:1}"
                last="${cur:1}"
            fi
            mapfile -t COMPREPLY < <(compgen -P "$head" -W "$(zinspect gen words columns 2>/dev/null)" -- "${last,,}")
            compopt -o nospace 2>/dev/null
            return 0
            ;;
        -k | --kind | --verdict)
            _zinspect "$1" "$last" "$prev"
            COMPREPLY=("${COMPREPLY[@]/#/$head}")
            compopt -o nospace 2>/dev/null
            return 0
            ;;
    esac
    _zinspect "$1" "$cur" "$prev"
    if [[ "$cur" != -* ]] && _zinspect_takes_devices; then
        local devices
        mapfile -t devices < <(compgen -W "$(zinspect gen words devices 2>/dev/null)" -- "${cur#/dev/}")
        [[ "$cur" == /dev/* ]] && devices=("${devices[@]/#//dev/}")
        COMPREPLY+=("${devices[@]}")
    fi
    return 0
}
complete -F _zinspect_with_words -o bashdefault -o default zinspect
