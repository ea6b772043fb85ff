# USB disks as the kernel's quirks of bridges make them: usb-storage's own, and UAS, a stage for each set of flags.
quirk() { # CASE ID FLAGS LUN: the bridge with that id is bound anew under these flags
    begin $1
    attempt $1 bound_with "$2" "$3" "$4"
    observe
}
# QEMU's: usb-storage is 46f4:0001, usb-uas 46f4:0003.
bound_with() {
    need uas
    bridge=
    for place in /sys/bus/usb/devices/*; do
        [ "$(cat $place/idVendor 2>/dev/null):$(cat $place/idProduct 2>/dev/null)" = $1 ] && bridge=${place##*/}
    done
    [ -n "$bridge" ] || fail "no USB device $1"
    echo "$1:$2" >/sys/module/usb_storage/parameters/quirks || fail quirks
    echo $bridge >/sys/bus/usb/drivers/usb/unbind || fail unbind
    sleep 1
    echo $bridge >/sys/bus/usb/drivers/usb/bind || fail bind
    made=
    await "disk_of_bridge $bridge $3"
    # The node is there before sd has asked everything.
    await "[ -s /sys/block/$made/queue/hw_sector_size ]"
    sleep 1
}
disk_of_bridge() { # BRIDGE LUN
    for disk in /sys/block/sd*; do
        case $(readlink -f $disk/device) in */$1/*:$2) made=${disk##*/}; [ -b /dev/$made ] && return 0 ;; esac
    done
    return 1
}
quirk usb-uas-no-same 46f4:0003 k 0
quirk usb-uas-no-report-opcodes 46f4:0003 f 0
quirk usb-uas-no-report-opcodes-4k 46f4:0003 f 1
quirk usb-uas-no-ata 46f4:0003 t 0
quirk usb-uas-both 46f4:0003 fk 0
quirk usb-storage-no-rc16 46f4:0001 e 0
