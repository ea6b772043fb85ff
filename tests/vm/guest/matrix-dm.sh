# Every device-mapper target that Debian builds, over disks that unmap.
begin dm
unmap_disks 48 dev_size_mb=16
plain_disks 1
plain_disk=nullb0
take 3
u=$a v=$b w=$c
s=32768
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

attempt dm-linear dm t-linear "0 $s linear /dev/$u 0"
attempt dm-linear-part dm t-linearpart "0 8192 linear /dev/$u 1024"
attempt dm-linear-two dm t-lineartwo "0 $s linear /dev/$u 0" "$s $s linear /dev/$v 0"
attempt dm-linear-same dm t-linearsame "0 8192 linear /dev/$u 0" "8192 8192 linear /dev/$u 16384"
attempt dm-linear-plain dm t-linearplain "0 $s linear /dev/$plain_disk 0"
attempt dm-linear-mixed dm t-linearmixed "0 $s linear /dev/$u 0" "$s $s linear /dev/$plain_disk 0"
attempt dm-striped-2 dm t-str2 "0 65536 striped 2 128 /dev/$u 0 /dev/$v 0"
attempt dm-striped-3 dm t-str3 "0 98304 striped 3 8 /dev/$u 0 /dev/$v 0 /dev/$w 0"
attempt dm-striped-1 dm t-str1 "0 $s striped 1 16 /dev/$u 0"
attempt dm-striped-mixed dm t-strmixed "0 65536 striped 2 128 /dev/$u 0 /dev/$plain_disk 0"
attempt dm-error dm t-error "0 $s error"
attempt dm-error-device dm t-errordev "0 $s error /dev/$u 0"
attempt dm-zero dm t-zero "0 $s zero"
attempt dm-linear-zero dm t-linzero "0 $s linear /dev/$u 0" "$s $s zero"
attempt dm-linear-error dm t-linerror "0 $s linear /dev/$u 0" "$s $s error"
attempt dm-delay dm t-delay "0 $s delay /dev/$u 0 0"
attempt dm-delay-split dm t-delay6 "0 $s delay /dev/$u 0 0 /dev/$v 0 0"
attempt dm-flakey dm t-flakey "0 $s flakey /dev/$u 0 60 0"
attempt dm-unstriped dm t-unstriped "0 16384 unstriped 2 16 0 /dev/$u 0"
attempt dm-switch dm t-switch "0 16384 switch 2 128 0 /dev/$u 0 /dev/$v 0"
crypt() { # NAME OPTIONS: of the table
    need dm-crypt
    modprobe -a -q ecb cbc xts essiv aes_generic
    dm $1 "0 $s crypt aes-cbc-essiv:sha256 $key 0 /dev/$u 0 $2"
}
attempt dm-crypt crypt t-crypt ""
attempt dm-crypt-discards crypt t-cryptd "1 allow_discards"
take 2
attempt dm-mirror dm t-mirror "0 $s mirror core 1 1024 2 /dev/$a 0 /dev/$b 0"
snapshots() { # COW
    need dm-snapshot
    zero_start $1
    dm t-snap "0 $s snapshot /dev/$u /dev/$1 P 8"
}
take 2
attempt dm-snapshot snapshots $a
attempt dm-snapshot-origin dm t-origin "0 $s snapshot-origin /dev/$v"
merging() { need dm-snapshot; zero_start $1; dm t-merge "0 $s snapshot-merge /dev/$w /dev/$1 P 8"; }
attempt dm-snapshot-merge merging $b
take 2
attempt dm-thin dm_thin t-thin $a $b
dm_exists() { made=dm-$(dmsetup info -c --noheadings -o minor "$1"); }
attempt dm-thin-pool dm_exists t-thin-pool
cached() { # METADATA CACHE ORIGIN
    need dm-cache-smq
    zero_start $1
    dm t-cache "0 $s cache /dev/$1 /dev/$2 /dev/$3 128 1 writethrough smq 0"
}
take 3
attempt dm-cache cached $a $b $c
cloned() { need dm-clone; zero_start $1; dm t-clone "0 $s clone /dev/$1 /dev/$2 /dev/$3 8"; }
take 3
attempt dm-clone cloned $a $b $c
eras() { need dm-era; zero_start $1; dm t-era "0 $s era /dev/$1 /dev/$2 128"; }
take 2
attempt dm-era eras $a $b
protected() { need dm-integrity; zero_start $1; dm t-integrity "0 8192 integrity /dev/$1 0 4 J 2 interleave_sectors:32768 buffer_sectors:128"; }
take 1
attempt dm-integrity protected $a
writecached() { need dm-writecache; zero_start $2; dm t-writecache "0 $s writecache s /dev/$1 /dev/$2 4096 0"; }
take 2
attempt dm-writecache writecached $a $b
logged() { need dm-log-writes; dm t-log "0 $s log-writes /dev/$1 /dev/$2"; }
take 2
attempt dm-log-writes logged $a $b
# Nothing reads it, so the root hash may be anything.
verified() {
    need dm-verity
    hash=$(printf '%064d' 0)
    # The target wants a device for reading only.
    dmsetup create --readonly t-verity --table "0 16384 verity 1 /dev/$u /dev/$u 4096 4096 2048 2100 sha256 $hash -" || fail verity
    dm_exists t-verity
}
attempt dm-verity verified
raids() { # LEVEL DEVICE…: without metadata devices; raid10 with them is lvm-raid10
    need dm-raid
    level=$1 list= count=0
    shift
    for device; do list="$list - /dev/$device" count=$((count + 1)); done
    case $level in raid4 | raid5*) data=$((count - 1)) ;; raid6*) data=$((count - 2)) ;; raid0) data=$count ;; *) data=1 ;; esac
    case $level in raid1) parameters="raid1 1 0" ;; raid0) parameters="raid0 1 128" ;; raid4 | raid5*) parameters="$level 2 128 nosync" ;; *) parameters="$level 1 128" ;; esac
    dm t-$level "0 $((16384 * data)) raid $parameters $count$list"
}
take 2
attempt dm-raid0 raids raid0 $a $b
take 2
attempt dm-raid1 raids raid1 $a $b
take 3
attempt dm-raid4 raids raid4 $a $b $c
take 3
attempt dm-raid5 raids raid5_ls $a $b $c
take 4
attempt dm-raid6 raids raid6_zr $a $b $c $d
multipath() { # NAME FEATURES GROUPS DEVICE…: each group with one path
    need dm-multipath
    need dm-service-time
    name=$1 features=$2
    shift 2
    table="0 $s multipath $features 0 $# 1" ; [ $# = 0 ] && table="0 $s multipath $features 0 0 0"
    for device; do table="$table service-time 0 1 2 /dev/$device 1 1"; done
    dm $name "$table"
}
attempt mpath-one multipath t-mp1 0 $u
attempt mpath-two multipath t-mp2 0 $u $v
attempt mpath-bio multipath t-mpbio "2 queue_mode bio" $u $v
attempt mpath-none multipath t-mp0 0
attempt mpath-queue multipath t-mpq "1 queue_if_no_path" $u $v
unequal() { # NAME DEVICE BLOCKS: the second path takes less a command
    echo $3 >$(disk_file $2 max_write_same_blocks) || fail max_write_same_blocks
    multipath $1 0 $u $2
}
take 1
attempt mpath-unequal unequal t-mpun $a 1000
vdo() {
    need dm-vdo
    case $(uname -r) in 7.[3-9]*) ;; *) echo "this kernel has no module that formats VDO"; exit 1 ;; esac
    truncate -s 6G /tmp/vdo.img
    loop_on /tmp/vdo.img
    dm t-vdo "0 8388608 vdo V4 /dev/$made 1572864 4096 32768 16380 deduplication off compression off"
}
attempt dm-vdo vdo
observe
clear_stacks
