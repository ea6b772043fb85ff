# Everything that a probe is not armed for.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 add_host=2 per_host_store=1
set -- $disks
blockdev --setro /dev/$1
saved read-only zinspect probe /dev/$1 --preserve
blockdev --setrw /dev/$1
saved no-mode zinspect probe /dev/$1
saved outside zinspect probe /dev/$1 --preserve --range 60M:8M
saved unaligned zinspect probe /dev/$1 --preserve --range 100:512
saved wrong-id zinspect probe /dev/$1 --destroy --yes-destroy=naa.0
saved no-id zinspect probe /dev/$1 --destroy
sleep 100 9<>/dev/$1 &
opener=$!
saved opened zinspect probe /dev/$1 --preserve
kill $opener
loop_on /dev/$1
saved loop zinspect probe /dev/$1 --preserve
losetup -d /dev/$made
dm_linear held $1
saved held zinspect probe /dev/$1 --preserve
below=$made
dm_linear upper $below
mke2fs -q -t ext4 /dev/$made && mkdir -p /mnt/x && mount -t ext4 /dev/$made /mnt/x || fail mount
saved mounted-above zinspect probe /dev/$1 --preserve
saved mounted zinspect probe /dev/$made --preserve
saved scratch zinspect probe /mnt/x -o json --range 1M:2M
umount /mnt/x
mkswap /dev/$made >/dev/null && swapon /dev/$made || fail swapon
saved swap-above zinspect probe /dev/$1 --preserve
swapoff /dev/$made
dd if=/dev/zero of=/dev/$made bs=64k count=1 conv=fsync 2>/dev/null
mke2fs -q -t ext4 /dev/$made
dmsetup remove upper
dmsetup remove held
saved signature-destroy zinspect probe /dev/$1 --destroy --yes-destroy=$(identity $1)
saved signature-preserve zinspect probe /dev/$1 --preserve
sum=$(sum_of $1)
saved signature-agreed zinspect probe /dev/$1 -m pwrite,blkzeroout --preserve --yes-destroy=$(identity $1) --range 0:4M -o json
[ "$sum" = "$(sum_of $1)" ] && echo same >$stage/signature-sum
mkswap /dev/$1 >/dev/null && swapon /dev/$1 || fail swapon
saved swap zinspect probe /dev/$1 --preserve
swapoff /dev/$1
saved journal-below zinspect probe /dev/$state_disk --preserve
saved sysroot zinspect --sysroot / probe /dev/$1 --preserve
saved file zinspect probe /share/in/recipes.sh
