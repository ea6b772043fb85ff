# For the scenario `files`: files of many kinds on many stacks, what zinspect says of each mode of
# fallocate there, and what fallocate then really does (by `trial`, a program of its own).
set -u
. /share/in/recipes.sh
. /share/in/save.sh
stage files
here=/mnt/here
mkdir -p $here /mnt/there /mnt/low
modes="0x80 0x10 0x11 0x03 0"

skip() { echo "$1 $2" >>$out/skipped; }

# Each combination is a line: NAME|FILESYSTEM|LIES ON|KIND. $lies and $on are set on the way.
lies= on=
combo_line() { echo "$1|$lies|$on|$2" >>$stage/combos; }

# combo NAME KIND FOLDER [PREPARE [THEN [FINALLY]]]: a file for each mode; THEN is run for each file
# ($file) after it has its content, FINALLY after the trials.
combo() {
    name=$1 kind=$2 folder=$3 prepare=${4:-prepare} then=${5:-:} finally=${6:-:}
    set --
    for mode in $modes; do
        file=$folder/$name-$mode
        trial $prepare $file || { skip $name "cannot be prepared here"; return; }
        eval "$then" || { skip $name "this kernel or filesystem has no such file"; return; }
        set -- "$@" "$file"
    done
    tried "$@"
    eval "$finally"
}

# The prediction for all files at once, then the trials.
tried() {
    combo_line $name "$kind"
    saved $name zinspect -o json "$@"
    for mode in $modes; do
        echo "$mode $(trial run $1 $mode)"
        shift
    done >$stage/$name.trial
}

# A folder's answer is for files that are still to be made.
combo_new() { # NAME KIND FOLDER
    combo_line $1 "$2"
    saved $1 zinspect -o json $3
    for mode in $modes; do echo "$mode $(trial run $3/$1-$mode $mode new)"; done >$stage/$1.trial
}

combo_node() { # NAME KIND NODE
    combo_line $1 "$2"
    saved $1 zinspect -o json $3
    for mode in $modes; do echo "$mode $(trial run $3 $mode)"; done >$stage/$1.trial
}

# mounted TYPE DEVICE [OPTIONS]
mounted() { mount -t $1 ${3:+-o $3} $2 $here || { skip "$lies" "cannot be mounted by this kernel"; return 1; }; }
gone() { umount $here || fail "umount of $lies: $(cat /proc/mounts)"; }

# made and mounted: OPTIONS is one word for mount, or none; the rest is for mkfs.
ext4_on() { # DEVICE OPTIONS MKFS…
    device=$1 options=$2
    shift 2
    [ $options = none ] && options=
    case "$*" in *"-b "*) ;; *) set -- -b 4096 "$@" ;; esac
    mke2fs -q -F -t ext4 "$@" /dev/$device || { skip "$lies" "mke2fs $*"; return 1; }
    mounted ext4 /dev/$device $options
}
xfs_on() { # DEVICE OPTIONS MKFS…
    device=$1 options=$2
    shift 2
    [ $options = none ] && options=
    # Otherwise mkfs.xfs makes nothing below 300 MiB.
    TEST_DIR=x TEST_DEV=x QA_CHECK_FS=x mkfs.xfs -q -f "$@" /dev/$device || { skip "$lies" "mkfs.xfs $*"; return 1; }
    mounted xfs /dev/$device $options
}
btrfs_on() { # OPTIONS DEVICE…
    options=$1
    shift
    [ $options = none ] && options=
    set -- $(for device; do echo /dev/$device; done)
    mkfs.btrfs -q -f -d single -m single "$@" || { skip "$lies" mkfs.btrfs; return 1; }
    mounted btrfs $1 $options
}
f2fs_on() { # DEVICE MKFS…
    device=$1
    shift
    mkfs.f2fs -q -f "$@" /dev/$device >/dev/null || { skip "$lies" mkfs.f2fs; return 1; }
    mounted f2fs /dev/$device
}

for module in ext4 xfs btrfs f2fs vfat overlay; do modprobe -q $module; done
modprobe -q -a cts hmac sha512_generic xts
scsi_debug_disks lbpws=1 lbprz=1 add_host=4 per_host_store=1 dev_size_mb=128
set -- $disks
d1=$1 d2=$2 d3=$3 d4=$4
modprobe brd rd_nr=1 rd_size=131072 || fail brd
plain_disk=ram0

# --- ext4 -------------------------------------------------------------------------------------
on="SCSI disk that unmaps"
lies=ext4
if ext4_on $d1 none; then
    combo ext4 "regular file" $here
    combo_new ext4-new "new file" $here
    combo ext4-full "written file" $here full
    combo ext4-immutable immutable $here prepare 'trial flags $file 0x10'
    combo ext4-append append-only $here prepare 'trial flags $file 0x20'
    combo ext4-swap "swap file" $here full 'mkswap $file >/dev/null 2>&1 && chmod 600 $file && swapon $file' \
        'for f in $here/ext4-swap-*; do swapoff $f; done'
    combo ext4-journalled "journalled data (chattr +j)" $here prepare 'trial flags $file 0x4000'
    trial edges $here/edges >$stage/edges
    mkdir $here/nested && mount -t tmpfs tmpfs $here/nested && lies="tmpfs, mounted in ext4" &&
        combo nested "regular file" $here/nested && umount $here/nested
    lies=ext4
    combo ext4-link "by a link" $here prepare 'mv $file $file.real && ln -s $file.real $file'
    mkdir $here/sub
    mount --bind $here/sub /mnt/there
    combo ext4-bind "bind mount" /mnt/there
    for mode in $modes; do trial prepare $here/sub/again-$mode; done
    mount -o remount,bind,ro /mnt/there
    name=ext4-ro-mount kind="read-only bind mount"
    tried /mnt/there/again-0x80 /mnt/there/again-0x10 /mnt/there/again-0x11 /mnt/there/again-0x03 /mnt/there/again-0
    umount /mnt/there
    for mode in $modes; do trial prepare $here/ro-$mode; done
    mount -o remount,ro $here
    name=ext4-ro-filesystem kind="read-only filesystem"
    tried $here/ro-0x80 $here/ro-0x10 $here/ro-0x11 $here/ro-0x03 $here/ro-0
    gone
fi
lies="ext4, 1 KiB blocks"
ext4_on $d1 none -b 1024 && combo ext4-1k "regular file" $here && gone
lies="ext4, bigalloc"
ext4_on $d1 none -O bigalloc -C 65536 && combo ext4-bigalloc "regular file" $here && gone
lies="ext4, no journal"
ext4_on $d1 none -O ^has_journal && combo ext4-no-journal "regular file" $here && gone
lies="ext4, data=journal"
ext4_on $d1 data=journal && combo ext4-data-journal "regular file" $here && gone
lies="ext4, inline data"
if ext4_on $d1 none -O inline_data; then
    combo ext4-inline "100 bytes" $here small
    combo ext4-inline-big "regular file" $here
    gone
fi
lies="ext4, no extents"
if ext4_on $d1 none -O ^extent,^64bit; then
    combo ext4-blocks "block-mapped file" $here
    gone
fi
lies="ext4, encrypted"
if ext4_on $d1 none -O encrypt; then
    mkdir $here/secret
    trial encrypt $here/secret && combo ext4-encrypted "encrypted file" $here/secret || skip ext4-encrypted "no fscrypt here"
    gone
fi
lies="ext4, fs-verity"
ext4_on $d1 none -O verity && combo ext4-verity "file under fs-verity" $here full 'trial verity $file' && gone
lies="ext4, external journal"
mke2fs -q -F -O journal_dev -b 4096 /dev/$d2 && ext4_on $d1 none -b 4096 -J device=/dev/$d2 &&
    combo ext4-external "regular file" $here && gone
lies="ext3 by ext4's driver"
mke2fs -q -F -t ext3 -b 4096 /dev/$d1 && mounted ext3 /dev/$d1 && combo ext3 "regular file" $here &&
    combo_new ext3-new "new file" $here && gone
lies="ext2"
mke2fs -q -F -t ext2 -b 4096 /dev/$d1 && mounted ext2 /dev/$d1 && combo ext2 "regular file" $here && gone
limit=/sys/block/$d1/queue/write_zeroes_unmap_max_bytes
lies=ext4 on="SCSI disk, unmap limit set to 0"
if [ -e $limit ]; then
    old=$(cat $limit)
    echo 0 >$limit
    ext4_on $d1 none && combo ext4-user-limit "regular file" $here && gone
    echo $old >$limit
fi
on="RAM disk, no zeroes command"
ext4_on $plain_disk none && combo ext4-ram "regular file" $here && gone
on="dm-linear over SCSI that unmaps"
dm_linear lin $d1
ext4_on $made none && combo ext4-linear "regular file" $here && gone
dmsetup remove lin
on="dm-crypt over SCSI that unmaps"
dm_crypt cry $d1
ext4_on $made none && combo ext4-crypt "regular file" $here && gone
dmsetup remove cry
on="dm-striped over SCSI that unmaps"
dm_striped str $d1 $d2
ext4_on $made none && combo ext4-striped "regular file" $here && gone
dmsetup remove str
on="partition of SCSI that unmaps"
partition_on $d3
ext4_on $made none && combo ext4-partition "regular file" $here && gone
on="md raid0 over SCSI that unmaps"
md_array 0 raid0 --chunk=64 $d1 $d2
ext4_on md0 none && combo ext4-raid0 "regular file" $here && gone
mdadm --stop --quiet /dev/md0 && mdadm --zero-superblock /dev/$d1 /dev/$d2
on="md raid1 over SCSI that unmaps"
md_array 1 raid1 --assume-clean $d1 $d2
ext4_on md1 none && combo ext4-raid1 "regular file" $here && gone
mdadm --stop --quiet /dev/md1 && mdadm --zero-superblock /dev/$d1 /dev/$d2
on="loop on a file of ext4"
mke2fs -q -F -t ext4 /dev/$d1 && mount -t ext4 /dev/$d1 /mnt/low && truncate -s 64M /mnt/low/image
loop_on /mnt/low/image
image=$made
ext4_on $image none && combo ext4-loop "regular file" $here && gone
losetup -d /dev/$image
umount /mnt/low

# --- XFS --------------------------------------------------------------------------------------
on="SCSI disk that unmaps" lies=XFS
if xfs_on $d1 none; then
    combo xfs "regular file" $here
    combo_new xfs-new "new file" $here
    combo xfs-full "written file" $here full
    combo xfs-immutable immutable $here prepare 'trial xflags $file 0x8'
    combo xfs-append append-only $here prepare 'trial xflags $file 0x10'
    combo xfs-shared "reflinked file" $here full 'xfs_io -f -c "reflink $file" $file.copy >/dev/null'
    combo xfs-swap "swap file" $here full 'mkswap $file >/dev/null 2>&1 && chmod 600 $file && swapon $file' \
        'for f in $here/xfs-swap-*; do swapoff $f; done'
    gone
fi
lies="XFS, 1 KiB blocks"
xfs_on $d1 none -b size=1024 && combo xfs-1k "regular file" $here && gone
lies="XFS, no reflink"
xfs_on $d1 none -m reflink=0 && combo xfs-no-reflink "regular file" $here && gone
lies="XFS, external log" on="SCSI disk that unmaps, log on another"
xfs_on $d1 logdev=/dev/$d2 -l logdev=/dev/$d2,size=16m && combo xfs-log "regular file" $here && gone
realtime() { # NAME REALTIME-DEVICE EXTENT
    xfs_on $d1 rtdev=/dev/$2 -m reflink=0,rmapbt=0 -r rtdev=/dev/$2,extsize=$3 || return
    mkdir $here/rt && trial xflags $here/rt 0x100
    combo $1 "realtime file" $here/rt
    combo_new $1-new "new file of a realtime folder" $here/rt
    combo $1-data "data file beside" $here
    gone
}
lies="XFS, realtime extents of 1 block" on="realtime on SCSI that unmaps"
realtime xfs-rt $d2 4k
lies="XFS, realtime extents of 16 blocks"
realtime xfs-rt-big $d2 64k
lies="XFS, realtime extents of 1 block" on="realtime on a RAM disk, data on SCSI that unmaps"
realtime xfs-rt-ram $plain_disk 4k
lies=XFS on="RAM disk, no zeroes command"
xfs_on $plain_disk none && combo xfs-ram "regular file" $here && gone
on="dm-linear over SCSI that unmaps"
dm_linear lin $d1
xfs_on $made none && combo xfs-linear "regular file" $here && gone
dmsetup remove lin

# --- btrfs, f2fs, FAT, memory -----------------------------------------------------------------
on="SCSI disk that unmaps" lies=btrfs
if btrfs_on none $d1; then
    combo btrfs "regular file" $here
    combo_new btrfs-new "new file" $here
    combo btrfs-immutable immutable $here prepare 'trial flags $file 0x10'
    combo btrfs-small "100 bytes" $here small
    gone
fi
lies="btrfs, nodatacow"
btrfs_on nodatacow $d1 && combo btrfs-nodatacow "regular file" $here && gone
lies="btrfs, compress-force"
btrfs_on compress-force $d1 && combo btrfs-compressed "compressed file" $here && gone
lies="btrfs, two devices" on="two SCSI disks that unmap"
btrfs_on none $d1 $d2 && combo btrfs-two "regular file" $here && gone
on="SCSI disk that unmaps" lies=f2fs
if f2fs_on $d1; then
    combo f2fs "regular file" $here
    combo_new f2fs-new "new file" $here
    combo f2fs-small "100 bytes" $here small
    gone
fi
lies="f2fs, compression"
if f2fs_on $d1 -O extra_attr,compression; then
    mkdir $here/c && trial flags $here/c 0x4 && combo f2fs-compressed "compressed file" $here/c || skip f2fs-compressed "no compression here"
    gone
fi
lies=vfat
mkfs.fat -F 32 /dev/$d1 >/dev/null && mounted vfat /dev/$d1 && combo vfat "regular file" $here && gone
on=memory lies=tmpfs
mounted tmpfs tmpfs && combo tmpfs "regular file" $here && combo_new tmpfs-new "new file" $here && gone
lies="rootfs, the initial root"
combo_new rootfs "new file" /root
lies=ramfs
mounted ramfs ramfs && combo ramfs "regular file" $here && gone
on="the machine outside" lies=9p
combo_new 9p "new file" /share/out

# --- overlayfs --------------------------------------------------------------------------------
overlay_on() { # NAME
    mkdir -p /mnt/there/low /mnt/there/up /mnt/there/work
    for mode in $modes; do trial full /mnt/there/low/$1-lower-$mode; done
    mount -t overlay -o lowerdir=/mnt/there/low,upperdir=/mnt/there/up,workdir=/mnt/there/work overlay $here || { skip $1 overlay; return; }
    combo $1-upper "file of the upper layer" $here
    name=$1-lower kind="file of a lower layer, written"
    tried $here/$name-0x80 $here/$name-0x10 $here/$name-0x11 $here/$name-0x03 $here/$name-0
    combo_new $1-new "new file" $here
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

# --- Nodes of devices --------------------------------------------------------------------------
lies="the block layer" on="SCSI disk that unmaps"
combo_node node-scsi "device node" /dev/$d4
on="RAM disk, no zeroes command"
combo_node node-ram "device node" /dev/$plain_disk
on="dm-crypt over SCSI that unmaps"
dm_crypt cry $d4
combo_node node-crypt "device node" /dev/mapper/cry
dmsetup remove cry
on="dm-linear over SCSI that unmaps"
dm_linear lin $d4
combo_node node-linear "device node" /dev/$made
dmsetup remove lin

# --- Who may not read, and another process's mounts ---------------------------------------------
mke2fs -q -F -t ext4 /dev/$d4 && mount -t ext4 /dev/$d4 $here && trial prepare $here/private && chmod 600 $here/private
role disk $d4
saved plain $plain zinspect -o json $here/private
saved page zinspect $here/private
saved plain-page $plain zinspect $here/private
saved table zinspect -o table $here /dev/$d4 $here/private
saved tree zinspect -o tree $here/private
saved extents zinspect extents -o json $here/private
saved plain-extents $plain zinspect extents $here/private
saved csv zinspect -o csv $here/private
saved require-unmap zinspect --require unmap $here/private
saved require-fails zinspect --require unmap /dev/shm
mkdir -p /mnt/apart
unshare -m sh -c "mount --make-rprivate /; mount -t ext4 /dev/$d4 /mnt/apart; exec sleep 600" &
apart=$!
await "grep -q /mnt/apart /proc/$apart/mountinfo"
saved pid zinspect -o json --pid $apart /mnt/apart/private
saved pid-plain $plain zinspect -o json --pid $apart /mnt/apart/private
kill $apart
saved capture zinspect capture $stage/host.tar.gz
saved captured zinspect --snapshot $stage/host.tar.gz -o json $here/private
umount $here
exit 0
