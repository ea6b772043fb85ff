# Saving what zinspect, sysfs and other tools say, for the checks outside: . /share/in/save.sh
# (after recipes.sh). Everything goes below $stage; `stage NAME` begins one.

plain="/bin/setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs"

stage() {
    stage=$out/$1
    mkdir -p $stage
}

# saved NAME COMMAND…: keeps standard output, errors and exit status apart.
saved() {
    save_as=$stage/$1
    shift
    "$@" >$save_as.out 2>$save_as.err </dev/null
    echo $? >$save_as.rc
}

# The limits as the kernel has them now, of every disk, hidden paths too.
save_sysfs() {
    cp $out/roles $stage/roles
    # One grep instead of some thousand cats. A file that can't be read leaves no line.
    grep -s '' /sys/block/*/queue/* /sys/block/*/size /sys/block/*/dev \
        /sys/block/sd*/device/scsi_disk/*/* /sys/class/nvme/*/quirks \
        /sys/class/nvme/*/subsysnqn >$stage/sysfs.txt
}

save_nvme() {
    for node in /dev/nvme*; do
        name=${node#/dev/}
        case $name in
            nvme-fabrics | nvme*p*) ;;
            nvme*n*)
                saved id-ns.$name nvme id-ns $node -o json
                nvme id-ns $node -o binary >$stage/id-ns.$name.bin 2>/dev/null
                # Which controller answers for it: its own, or that of one of its paths.
                saved id-ctrl.$name nvme id-ctrl $node -o json
                saved nvm-id-ctrl.$name nvme nvm-id-ctrl $node -o json
                nvme id-ctrl $node -o binary >$stage/id-ctrl.$name.bin 2>/dev/null
                ;;
        esac
    done
}

save_scsi() { # DISK…
    for disk; do
        saved readcap.$disk sg_readcap -16 /dev/$disk
        saved inq.$disk sg_inq /dev/$disk
        for page in bl bdc lbpv; do
            saved vpd-$page.$disk sg_vpd -p $page /dev/$disk
        done
        for page in 0xb0 0xb1 0xb2; do
            sg_vpd -p $page -r /dev/$disk >$stage/vpd-$page.$disk.bin 2>/dev/null
        done
        # WRITE SAME(16), WRITE SAME(10), UNMAP.
        for code in 0x93 0x41 0x42; do
            saved opcode-$code.$disk sg_opcodes --opcode=$code /dev/$disk
        done
    done
}
