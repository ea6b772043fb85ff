
# Devices and columns, asked of zinspect itself.
complete -c zinspect -n "__fish_zinspect_needs_command" -f -a "(zinspect gen words devices 2>/dev/null)" -d device
complete -c zinspect -n "__fish_zinspect_using_subcommand tree" -f -a "(zinspect gen words devices 2>/dev/null)" -d device
complete -c zinspect -n "__fish_zinspect_needs_command" -s c -l columns -x -a "(zinspect gen words columns 2>/dev/null)"
complete -c zinspect -n "__fish_zinspect_needs_command" -s s -l sort -x -a "(zinspect gen words columns 2>/dev/null)"
