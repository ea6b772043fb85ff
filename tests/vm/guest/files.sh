# For the scenario `files`: files of many kinds on many stacks, what zinspect says of each mode of
# fallocate there, and what fallocate then really does (by `trial`, a program of its own). The
# combinations are in the parts that $parts names: files-PART.sh.
set -u
. /share/in/recipes.sh
. /share/in/save.sh
stage files
here=/mnt/here
mkdir -p $here /mnt/there /mnt/low
modes="0x80 0x10 0x11 0x03 0"

skip() { echo "$(echo "$1" | tr -s ", " -) $2" >>$out/skipped; }

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

# What memmap= set aside, as a disk of persistent memory.
pmem_there() {
    modprobe -a -q nd_e820 nd_pmem
    for second in 1 2 3 4 5; do
        [ -b /dev/pmem0 ] && return 0
        sleep 1
    done
    return 1
}

for module in ext4 xfs btrfs f2fs vfat overlay; do modprobe -q $module; done
modprobe -q -a cts hmac sha512_generic xts
scsi_debug_disks lbpws=1 lbprz=1 add_host=4 per_host_store=1 dev_size_mb=128
set -- $disks
d1=$1 d2=$2 d3=$3 d4=$4
modprobe brd rd_nr=1 rd_size=131072 || fail brd
plain_disk=ram0


for part in $parts; do
    # A part that breaks costs its own combinations alone, and is counted as a failed one.
    (. /share/in/files-$part.sh) || echo "$part $(tail -n 1 $out/guest.log)" >>$out/broken
    for folder in $here /mnt/there /mnt/low; do
        while umount $folder 2>/dev/null; do :; done
    done
    dmsetup remove_all --force >/dev/null 2>&1
done
exit 0
