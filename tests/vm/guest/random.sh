# Builds the stacks of /plan.BATCH: `NAME KIND ARGUMENT LEG…` for each device, leaves first.
set -u
. /share/in/recipes.sh
. /share/in/save.sh
. /share/in/cases.sh

modprobe null_blk nr_devices=0
modprobe -a loop dm-mod
configured null_blk

named_or_fail() { found=$(named $1); [ -n "$found" ] || { echo "its leg $1 was not built"; exit 1; }; echo $found; }

device() { # KIND ARGUMENT DM-NAME LEG…
    kind=$1 argument=$2 dm_name=$3
    shift 3
    legs=
    for leg; do legs="$legs $(named_or_fail $leg)" || exit 1; done
    set -- $legs
    case $argument in *[!0-9]*) chunk=0 ;; *) chunk=$((argument * 2)) ;; esac
    # Layers get shorter upwards; what has records of its own needs room for them.
    least=$(for leg; do sectors $leg; done | sort -n | head -n 1)
    case $kind in
        raid*) [ $least -ge 16384 ] || kind=linear ;;
        integrity | thin | snapshot | era | writecache | cache | clone | mirror | logwrites | unstriped)
            [ $least -ge 16384 ] || kind=linear
            ;;
    esac
    some=$((${least:-0} < 8192 ? ${least:-0} : 8192))
    case $kind in
        disk) made=$disk_of_leaf; state_of $made $argument ;;
        null) null_disk nullb_$dm_name memory_backed=1 discard=1 ;;
        file) truncate -s 32M /tmp/$dm_name.img; loop_on /tmp/$dm_name.img ;;
        loop) loop_on /dev/$1 ;;
        linear) dm_linear $dm_name "$@" ;;
        linear_part) dm $dm_name "0 $((some - chunk > 8 ? some - chunk : some)) linear /dev/$1 $((some - chunk > 8 ? chunk : 0))" ;;
        linear_zero) dm $dm_name "0 $some linear /dev/$1 0" "$some 8192 zero" ;;
        linear_error) dm $dm_name "0 $some linear /dev/$1 0" "$some 8192 error" ;;
        striped) stripes $dm_name "$@" ;;
        # Requests pass through to disks only; over what stacks bios, multipath has to as well.
        mpath) case " $*" in *" dm-"* | *" md"*) paths $dm_name "2 queue_mode bio" "$@" ;; *) paths $dm_name 0 "$@" ;; esac ;;
        mpath_bio) paths $dm_name "2 queue_mode bio" "$@" ;;
        crypt) dm_crypt $dm_name $1 ;;
        delay) dm $dm_name "0 $(sectors $1) delay /dev/$1 0 0" ;;
        flakey) dm $dm_name "0 $(sectors $1) flakey /dev/$1 0 60 0" ;;
        unstriped) dm $dm_name "0 4096 unstriped 2 16 0 /dev/$1 0" ;;
        switch) dm $dm_name "0 $some switch 2 8 0 /dev/$1 0 /dev/$2 0" ;;
        mirror) dm $dm_name "0 8192 mirror core 1 1024 2 /dev/$1 0 /dev/$2 0" ;;
        origin) dm $dm_name "0 $(sectors $1) snapshot-origin /dev/$1" ;;
        snapshot) modprobe -q dm-snapshot; zero_start $2; dm $dm_name "0 $(sectors $1) snapshot /dev/$1 /dev/$2 P 8" ;;
        logwrites) dm $dm_name "0 8192 log-writes /dev/$1 /dev/$2" ;;
        integrity) zero_start $1; dm $dm_name "0 4096 integrity /dev/$1 0 4 J 2 interleave_sectors:32768 buffer_sectors:128" ;;
        era) zero_start $1; dm $dm_name "0 8192 era /dev/$1 /dev/$2 128" ;;
        writecache) zero_start $2; dm $dm_name "0 8192 writecache s /dev/$1 /dev/$2 4096 0" ;;
        thin) dm_thin $dm_name $1 $2 ;;
        cache) modprobe -q dm-cache-smq; zero_start $1; dm $dm_name "0 8192 cache /dev/$1 /dev/$2 /dev/$3 128 1 writethrough smq 0" ;;
        clone) zero_start $1; dm $dm_name "0 8192 clone /dev/$1 /dev/$2 /dev/$3 8" ;;
        raid0) md_array $md_next raid0 --chunk=$argument "$@" ;;
        raid1 | raid5 | raid10) md_array $md_next $kind --assume-clean "$@" ;;
        *) fail "no recipe for $kind" ;;
    esac
}
stripes() { # NAME LEG…
    name=$1
    shift
    each=$((least / chunk * chunk))
    [ $each -gt 0 ] || { chunk=8; each=$((least / 8 * 8)); }
    table="0 $((each * $#)) striped $# $chunk"
    for leg; do table="$table /dev/$leg 0"; done
    dm $name "$table"
}
# A group for each leg, of which one is used at a time: the legs are different disks, and what stands on the map must
# read what it wrote. The length is the smallest leg's.
paths() { # NAME FEATURES LEG…
    modprobe -a dm-multipath dm-service-time || fail dm-multipath
    name=$1 features=$2
    shift 2
    table="0 $least multipath $features 0 $# 1"
    for leg; do table="$table service-time 0 1 1 /dev/$leg 1"; done
    dm $name "$table"
}
state_of() { # DISK STATE
    case $2 in
        none) ;;
        user-0) echo 0 >$(limit $1) ;;
        pinned) blocks $1 1000; echo 512000 >$(limit $1); blocks $1 2000 ;;
        blocks-*) blocks $1 ${2#blocks-} ;;
        mode-*) echo ${2#mode-} >$(disk_file $1 zeroing_mode) ;;
        disabled)
            echo 0 >/sys/module/scsi_debug/parameters/write_same_length
            blkdiscard -f -z -o 0 -l 1M /dev/$1
            echo 65535 >/sys/module/scsi_debug/parameters/write_same_length
            ;;
    esac || fail "state $2 of $1"
}
blocks() { echo $2 >$(disk_file $1 max_write_same_blocks); }

build() { # leaves that are there already stay as they are
    md_next=100
    node_number=0
    while read -r case_is kind_is argument_is legs_are; do
        node_number=$((node_number + 1)) md_next=$((md_next + 1))
        disk_of_leaf=
        if [ $kind_is = disk ]; then
            take 1
            disk_of_leaf=$a
        fi
        if [ -n "$1" ] && [ -n "$(sed -n "s/^$case_is //p" /tmp/leaves)" ]; then
            made=$(sed -n "s/^$case_is //p" /tmp/leaves)
            role $case_is
            continue
        fi
        attempt $case_is device $kind_is $argument_is z$node_number $legs_are
        # Its own numbers are stale from then on; what stands on it is to agree all the same.
        [ $argument_is = disabled ] && expect $case_is differ runtime-disabled
        case $kind_is in disk | null | file) echo "$case_is $made" >>/tmp/leaves ;; esac
    done <$plan
}

for plan in /plan.*; do
    begin ${plan#/plan.}
    : >/tmp/leaves
    unmap_disks $(grep -c ' disk ' $plan) dev_size_mb=32
    all=$pool
    echo "$group: disks at $(cut -d ' ' -f 1 /proc/uptime)"
    build ""
    echo "$group: built at $(cut -d ' ' -f 1 /proc/uptime)"
    if [ -e /states.$group ]; then
        while read -r leaf state; do
            # A leaf of an unbuilt stack may be missing.
            [ -n "$(named $leaf)" ] && (state_of $(named $leaf) $state)
        done </states.$group
        observe
        # What the kernel gives the same stacks when they are built on the leaves as they are now.
        cut -d ' ' -f 2 /tmp/leaves >/tmp/keep
        for round in 1 2 3 4 5 6; do
            mdadm --stop --scan 2>/dev/null
            dmsetup remove_all --force >/dev/null 2>&1
            for loop in /sys/block/loop*/loop/backing_file; do
                [ -e $loop ] || continue
                name=${loop#/sys/block/} name=${name%%/*}
                grep -qx $name /tmp/keep || losetup -d /dev/$name
            done
        done
        begin ${group}-rebuilt
        pool=$all
        build again
        stage $group
        cp $out/roles $out/unbuilt $stage/
        grep -s '' /sys/block/*/queue/write_zeroes* >$stage/sysfs.txt
    else
        observe
    fi
    clear_stacks
    for folder in /sys/kernel/config/nullb/nullb_z*; do [ -d $folder ] && rmdir $folder; done
    rm -f /tmp/z*.img
done
