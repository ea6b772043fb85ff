# More that a probe is not armed for: members of arrays and volume groups, partition tables, zones, adapters on the list.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 add_host=2 per_host_store=1
set -- $disks
wiped() { dd if=/dev/zero of=/dev/$1 bs=1M conv=fsync 2>/dev/null; }
wiped $1
md_array 9 raid1 none $1 $2
saved raid-member zinspect probe /dev/$1 --preserve
mdadm --stop --quiet /dev/md9
saved raid-signature zinspect probe /dev/$1 --destroy --yes-destroy=$(identity $1)
wiped $1
lv pvcreate /dev/$1
saved lvm-signature zinspect probe /dev/$1 --destroy --yes-destroy=$(identity $1)
wiped $1
partition_on $1
saved table-signature zinspect probe /dev/$1 --destroy --yes-destroy=$(identity $1)
# Who writes to a disk writes to its partitions, and the other way round.
sleep 100 9<>/dev/$1 &
opener=$!
saved disk-opened zinspect probe /dev/$made --preserve
kill $opener
sleep 100 9<>/dev/$made &
opener=$!
saved partition-opened zinspect probe /dev/$1 --preserve --yes-destroy=$(identity $1)
kill $opener
saved outside-partition zinspect probe /dev/$made --preserve --range 62M:4M
# Two paths to one disk that no multipath joins.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 add_host=2 vpd_use_hostno=0
set -- $disks
mke2fs -q -t ext4 /dev/$2 && mkdir -p /mnt/x && mount -t ext4 /dev/$2 /mnt/x || fail mount
saved other-path zinspect probe /dev/$1 --preserve
umount /mnt/x
disk_by_serial zoned
saved zoned zinspect probe /dev/$made --preserve
for disk in /sys/block/sd*; do
    case $(cat $disk/device/../../scsi_host/*/proc_name 2>/dev/null) in
        megaraid_sas) saved known-bad zinspect probe /dev/${disk##*/} --preserve ;;
    esac
done
