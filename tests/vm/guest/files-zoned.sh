# Filesystems on zoned devices, which write nothing in place.
modprobe null_blk
configfs

# zoned_disk NAME CONVENTIONAL: 64 zones of 8 MiB, in memory as they are written.
zoned_disk() {
    disk=/sys/kernel/config/nullb/$1
    mkdir $disk || fail "null_blk $1"
    # The order matters: a size is no multiple of zones that are not set yet.
    for pair in size=512 blocksize=4096 memory_backed=1 discard=1 zoned=1 zone_size=8 zone_nr_conv=$2 \
        zone_max_open=0 zone_max_active=0; do
        echo ${pair#*=} >$disk/${pair%=*} || fail "null_blk $1: $pair"
    done
    echo 1 >$disk/power || fail "null_blk $1"
    await "[ -b /dev/$1 ]"
    made=$1
}
zoned_gone() { echo 0 >/sys/kernel/config/nullb/$1/power && rmdir /sys/kernel/config/nullb/$1; }

lies="btrfs, zoned" on="zoned null_blk"
zoned_disk zoned0 0
if mkfs.btrfs -q -f -O zoned -d single -m single /dev/zoned0 && mounted btrfs /dev/zoned0; then
    combo btrfs-zoned "regular file" $here
    combo_new btrfs-zoned-new "new file" $here
    gone
else
    skip btrfs-zoned "no zoned btrfs here"
fi
zoned_gone zoned0

lies="f2fs, zoned" on="zoned null_blk"
zoned_disk zoned1 16
if mkfs.f2fs -q -f -m /dev/zoned1 >/dev/null && mounted f2fs /dev/zoned1; then
    combo f2fs-zoned "regular file" $here
    gone
else
    skip f2fs-zoned "no zoned f2fs here"
fi
zoned_gone zoned1

lies="XFS, zoned" on="realtime section on zoned null_blk"
if [ -n "$zoned_mkfs" ]; then
    zoned_disk zoned2 0
    # mkfs.xfs of xfsprogs 6.14 and later; the machine's own makes everything else.
    if TEST_DIR=x TEST_DEV=x QA_CHECK_FS=x mkfs.xfs-newer -q -f -r rtdev=/dev/zoned2,zoned=1 /dev/$d1 &&
        mounted xfs /dev/$d1 rtdev=/dev/zoned2; then
        combo xfs-zoned "regular file" $here
        combo_new xfs-zoned-new "new file" $here
        gone
    else
        skip xfs-zoned "this kernel mounts no zoned XFS (since 6.15)"
    fi
    zoned_gone zoned2
else
    skip xfs-zoned "$zoned_why"
fi
