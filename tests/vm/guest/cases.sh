# Named cases for the scenario `matrix`, to be sourced after recipes.sh and save.sh.
#
#     begin scsi                          a stage: its devices, then one capture of all of them
#     attempt dm-linear dm lin "0 …"      a case: the recipe leaves its device in $made
#     expect NAME AGREEMENT RULE…         a case in a bad state: what has to be said of it
#     assert NAME none|unmap|off          what the kernel has to show of it, and zinspect to predict
#     observe                             captures, and saves what the kernel has
#
# A recipe that fails costs its case alone. Without a module (`need`) the case cannot be on this kernel; any other
# failure is one of the test.

begin() {
    group=$1
    : >$out/roles
    : >$out/expected
    : >$out/asserted
    : >$out/unbuilt
}

need() {
    for module; do
        modprobe -q "$module" || { echo "this kernel has no module $module"; exit 1; }
    done
}

configured() { # MODULE
    need "$1"
    configfs
}

attempt() { # CASE RECIPE…
    case_name=$1
    shift
    rm -f /tmp/made
    made=
    ( "$@" && echo "$made" >/tmp/made ) >/tmp/attempt.log 2>&1 </dev/null
    made=$(cat /tmp/made 2>/dev/null)
    if [ -n "$made" ]; then
        role "$case_name"
    else
        echo "$case_name $(grep -v '^$' /tmp/attempt.log | tail -n 3 | tr '\n' ' ')" >>$out/unbuilt
    fi
}

expect() { echo "$*" >>$out/expected; }

assert() { echo "$*" >>$out/asserted; }

observe() {
    stage $group
    cp $out/unbuilt $out/expected $out/asserted $stage/
    # After the capture: what zinspect reads must not be what it is held against. Nothing writes meanwhile.
    saved capture zinspect capture $stage/host.tar.gz
    cp $out/roles $stage/roles
    grep -s '' /sys/block/*/queue/write_zeroes* >$stage/sysfs.txt
    echo "$group: $(wc -l <$out/roles) cases at $(cut -d ' ' -f 1 /proc/uptime)"
}

# The next COUNT disks of $pool, as $a $b $c $d.
take() {
    count=$1
    set -- $pool
    [ $# -ge $count ] || fail "$group: the pool of disks has run out"
    a=$1 b=${2:-} c=${3:-} d=${4:-}
    shift $count
    pool=$*
}

# Everything that stands on scsi_debug's disks goes, so that it can be loaded anew.
clear_stacks() {
    umount -a -t ext4,xfs,btrfs,f2fs,vfat,overlay 2>/dev/null
    for round in 1 2 3 4 5 6; do
        losetup -D 2>/dev/null
        mdadm --stop --scan 2>/dev/null
        dmsetup remove_all --force >/dev/null 2>&1
        [ -z "$(ls -d /sys/block/dm-* /sys/block/md[0-9]* 2>/dev/null)" ] && break
    done
    true
}

unmap_disks() { # COUNT OPTION…: disks that unmap, in $pool
    count=$1
    shift
    scsi_debug_disks lbpws=1 lbprz=1 lbpu=1 add_host=$count per_host_store=1 "$@"
    pool=$disks
}

disk_file() { # DISK FILE: of its scsi_disk
    echo /sys/block/$1/device/scsi_disk/*/$2
}

limit() { echo /sys/block/$1/queue/write_zeroes_unmap_max_bytes; }

have_unmap_files() { [ -e "$(limit $1)" ]; }

sectors_of() { echo $(($(sectors $1))); }

zero_start() { dd if=/dev/zero of=/dev/$1 bs=64k count=1 conv=fsync 2>/dev/null; }

# null_disk NAME ATTRIBUTE=VALUE…: 64 MiB of null_blk. Old kernels give it a number, new ones the name.
null_disk() {
    folder=/sys/kernel/config/nullb/$1
    mkdir -p $folder || fail "null_blk $1"
    made=$1
    shift
    for setting in size=64 "$@" power=1; do
        echo "${setting#*=}" >$folder/${setting%%=*} || fail "null_blk $setting"
    done
    [ -b /dev/$made ] || made=nullb$(cat $folder/index)
    await "[ -b /dev/$made ]"
}

# plain_disks COUNT: /dev/nullb0 and so on, 1 GiB without a zeroes command, whatever null_blk was loaded for before.
plain_disks() {
    for folder in /sys/kernel/config/nullb/*/; do [ -d $folder ] && rmdir $folder; done
    modprobe -r -q null_blk
    modprobe null_blk nr_devices=$1 gb=1 memory_backed=1 discard=1
    await "[ -b /dev/nullb$(($1 - 1)) ]"
}
