# For the scenario `rig`: what $part asks for.
set -u
. /share/in/recipes.sh
coldplug
case $part in
    write)
        disk_by_serial virtio-blk
        echo "written before the kill" | dd of=/dev/$made conv=fsync,notrunc 2>/dev/null
        echo "rig: half done" >/dev/console
        sleep 3600
        ;;
    read)
        disk_by_serial virtio-blk
        head -n 1 /dev/$made >$out/found
        [ -x /bin/brought ] && /bin/brought >$out/brought
        ;;
    fail) fail "on purpose" ;;
    hang) sleep 3600 ;;
esac
