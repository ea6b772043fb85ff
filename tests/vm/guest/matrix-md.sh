# MD levels over disks that unmap, and beside them.
begin md
unmap_disks 44 dev_size_mb=16
plain_disks 2
next=10
array() { # CASE LEVEL OPTIONS DEVICE…
    next=$((next + 1))
    case_of=$1
    shift
    attempt $case_of md_array $next "$@"
}
take 2
array md-raid0-4k raid0 --chunk=4 $a $b
take 2
array md-raid0-64k raid0 --chunk=64 $a $b
take 2
array md-raid0-512k raid0 --chunk=512 $a $b
take 2
array md-raid0-4m raid0 --chunk=4096 $a $b
take 4
array md-raid0-four raid0 --chunk=64 $a $b $c $d
take 1
array md-raid0-one raid0 --force $a
take 1
array md-raid0-mixed raid0 --chunk=64 $a nullb0
less() { # DISK BLOCKS
    echo $2 >$(disk_file $1 max_write_same_blocks) || fail max_write_same_blocks
}
take 2
less $b 100
array md-raid0-weak raid0 --chunk=512 $a $b
take 2
array md-raid1 raid1 --assume-clean $a $b
take 3
array md-raid4 raid4 --assume-clean $a $b $c
take 3
array md-raid5 raid5 --assume-clean $a $b $c
take 4
array md-raid6 raid6 --assume-clean $a $b $c $d
take 4
array md-raid10 raid10 --assume-clean $a $b $c $d
linear_array() { # NUMBER OPTIONS DEVICE…: new kernels may have the level without the module's old name
    modprobe -q linear || modprobe -q md-linear || { echo "this kernel has no module md-linear"; exit 1; }
    md_array "$1" linear "$2" "$3" "$4"
}
take 2
attempt md-linear linear_array 40 --force $a $b
take 2
attempt dm-for-md dm m-lin "0 16384 linear /dev/$a 0"
[ -n "$made" ] && array md-on-dm raid0 --chunk=64 $made $b
on_raid0() { # the array below, or nothing to try
    [ -n "$below" ] && "$@"
}
below=$(named md-raid0-512k)
attempt dm-on-md dm m-on "0 8192 linear /dev/$below 0"
below=$(named md-raid0-64k)
attempt partition-md partition_on $below
below=$(named md-raid0-four)
attempt dm-on-md-on-dm dm m-top "0 8192 linear /dev/$(named md-on-dm) 0"
attempt loop-on-md loop_on /dev/$(named md-raid0-weak)
attempt crypt-on-md dm_crypt m-crypt $(named md-raid0-four)
attempt dm-mirror-md dm m-pair "0 8192 linear /dev/$(named md-raid0-4k) 0" "8192 8192 linear /dev/$(named md-raid0-4m) 0"
array md-on-plain raid0 --force nullb1
observe
clear_stacks
