
# Devices and columns, asked of zinspect itself.
function __zinspect_devices
    set -l typed (commandline -ct)
    if string match -q '*/*' -- $typed
        __fish_complete_path $typed
    else
        printf '%s\tdevice\n' (zinspect gen words devices 2>/dev/null)
    end
end
function __zinspect_columns
    set -l typed (commandline -ct | string replace -r '^--[a-z]+=' '')
    set -l head (string match -r '^(?:.*,|[+-])' -- $typed)
    for column in (zinspect gen words columns 2>/dev/null)
        echo "$head$column"
    end
end
complete -c zinspect -n "__fish_zinspect_needs_command" -s c -l columns -x -a "(__zinspect_columns)"
complete -c zinspect -n "__fish_zinspect_needs_command" -s s -l sort -x -a "(__zinspect_columns)"
