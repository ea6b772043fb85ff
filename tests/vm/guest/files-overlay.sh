# overlayfs.
overlay_on() { # NAME
    overlay=$1
    mkdir -p /mnt/there/low /mnt/there/up /mnt/there/work
    for mode in $modes; do trial full /mnt/there/low/$1-lower-$mode; done
    mount -t overlay -o lowerdir=/mnt/there/low,upperdir=/mnt/there/up,workdir=/mnt/there/work overlay $here || { skip $1 overlay; return; }
    combo $1-upper "file of the upper layer" $here
    name=$1-lower kind="file of a lower layer, written"
    tried $here/$name-0x80 $here/$name-0x10 $here/$name-0x11 $here/$name-0x03 $here/$name-0
    combo_new $1-new "new file" $here
    # Bound to elsewhere a file still is the overlay's.
    set --
    for mode in $modes; do
        trial full $here/bound-$mode
        : >/tmp/bound-$mode
        mount --bind $here/bound-$mode /tmp/bound-$mode && set -- "$@" /tmp/bound-$mode
    done
    name=$overlay-bound kind="file of the upper layer, bound to elsewhere"
    tried "$@"
    umount "$@"
    umount $here
}
lies="overlay on ext4" on="SCSI disk that unmaps"
mke2fs -q -F -t ext4 /dev/$d1 && mount -t ext4 /dev/$d1 /mnt/there && overlay_on overlay
name=overlay-ro kind="no upper layer"
mount -t overlay -o lowerdir=/mnt/there/low:/mnt/there/up overlay $here &&
    tried $here/overlay-lower-0x80 $here/overlay-lower-0x10 $here/overlay-lower-0x11 $here/overlay-lower-0x03 $here/overlay-lower-0 &&
    umount $here
umount /mnt/there
lies="overlay on XFS"
TEST_DIR=x TEST_DEV=x QA_CHECK_FS=x mkfs.xfs -q -f /dev/$d1 && mount -t xfs /dev/$d1 /mnt/there && overlay_on overlay-xfs
umount /mnt/there
