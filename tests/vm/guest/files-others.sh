# btrfs, f2fs, FAT, what lies in memory, and nodes of devices.
on="SCSI disk that unmaps" lies=btrfs
if btrfs_on none $d1; then
    combo btrfs "regular file" $here
    combo_new btrfs-new "new file" $here
    combo btrfs-immutable immutable $here prepare 'trial flags $file 0x10'
    combo btrfs-small "100 bytes" $here small
    gone
fi
if btrfs_on none $d1; then
    btrfs -q subvolume create $here/kept
    for mode in $modes; do trial prepare $here/kept/file-$mode; done
    btrfs property set -ts $here/kept ro true || skip btrfs-subvolume "btrfs property"
    name=btrfs-subvolume kind="read-only subvolume"
    tried $here/kept/file-0x80 $here/kept/file-0x10 $here/kept/file-0x11 $here/kept/file-0x03 $here/kept/file-0
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
on="SCSI disk that unmaps" lies="btrfs, fs-verity"
btrfs_on none $d1 && combo btrfs-verity "file under fs-verity" $here full 'trial verity $file' && gone
lies="f2fs, fs-verity"
f2fs_on $d1 -O extra_attr,verity && combo f2fs-verity "file under fs-verity" $here full 'trial verity $file' && gone

# Nodes of devices.
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
