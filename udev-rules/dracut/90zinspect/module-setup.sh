#!/bin/bash
# dracut module: zinspect and its udev rules.

# Only where it is asked for (--add zinspect) and the program is there.
check() {
    require_binaries /usr/bin/zinspect || return 1
    return 255
}

depends() {
    echo udev-rules
}

install() {
    inst_binary /usr/bin/zinspect
    inst_rules 60-zinspect.rules
}
