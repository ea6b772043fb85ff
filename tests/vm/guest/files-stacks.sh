# ext4 on stacks of devices: the device that receives the zeroes is at the bottom or on the way.
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

# LVM itself, as it makes its tables and names.
settings='global{thin_check_executable="" etc="/etc"} activation{udev_sync=0 udev_rules=0 monitoring=0} devices{obtain_device_list_from_udev=0 external_device_info_source="none" use_devicesfile=0 scan=["/dev"]} backup{backup=0 archive=0}'
mkdir -p /run/lock /run/lvm /etc/lvm
lv() { lvm "$@" --config "$settings" -qq || fail "lvm $*"; }
volume() { # NAME ARGUMENT…
    name=$1
    shift
    lv lvcreate -y -Wn -Zn -an -n $name "$@" vg
    lv lvchange -ay vg/$name
    dmsetup mknodes
    made=mapper/vg-$name
}
modprobe -a -q dm-thin-pool dm-snapshot dm-raid
for disk in $d1 $d2; do lv pvcreate -ff -y /dev/$disk; done
lv vgcreate -s 1m vg /dev/$d1 /dev/$d2
on="LVM linear over SCSI that unmaps"
volume lin -L 48m
ext4_on $made none && combo ext4-lvm "regular file" $here && gone
on="LVM striped over SCSI that unmaps"
volume str -i 2 -I 64k -L 48m
ext4_on $made none && combo ext4-lvm-striped "regular file" $here && gone
on="LVM thin volume over SCSI that unmaps"
lv lvcreate -y -Zn --type thin-pool -L 48m -n pool vg
lv lvcreate -y -V 64m --thin -n thin vg/pool
dmsetup mknodes
ext4_on mapper/vg-thin none && combo ext4-lvm-thin "regular file" $here && gone
lv vgchange -an vg
