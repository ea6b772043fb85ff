# Leaf devices that the kernel makes: loop, zram, brd, null_blk, nbd; and partitions.
begin made
unmap_disks 4 dev_size_mb=32
modprobe loop max_loop=64

on_file_of() { # FILESYSTEM SIZE MKFS…: loop on a file there
    kind=$1 size=$2
    shift 2
    need $kind
    truncate -s $size /tmp/$kind.img
    loop_on /tmp/$kind.img
    "$@" /dev/$made >/dev/null || fail "$*"
    mkdir -p /mnt/$kind
    mount -t $kind /dev/$made /mnt/$kind || fail "mount $kind"
    truncate -s 16M /mnt/$kind/image
    loop_on /mnt/$kind/image
}
on_overlay() {
    need overlay
    mkdir -p /mnt/ext4/upper /mnt/ext4/work /mnt/overlay /tmp/lower
    mount -t overlay overlay -o lowerdir=/tmp/lower,upperdir=/mnt/ext4/upper,workdir=/mnt/ext4/work /mnt/overlay || fail overlay
    truncate -s 16M /mnt/overlay/image
    loop_on /mnt/overlay/image
}
on_tmpfs() { truncate -s 16M /tmp/plain.img; loop_on /tmp/plain.img; }
on_loop() { on_tmpfs; loop_on /dev/$made; }
on_4k() { truncate -s 16M /tmp/4k.img; made=$(basename "$(losetup -b 4096 --find --show /tmp/4k.img)"); }
null() { # NAME ATTRIBUTE=VALUE…
    configured null_blk
    null_disk "$@"
}
nbd_idle() { need nbd; made=nbd0; }
loop_partition() {
    truncate -s 32M /tmp/parts.img
    echo '2048,,L' | sfdisk --quiet --label gpt /tmp/parts.img || fail sfdisk
    loop=$(basename "$(losetup -P --find --show /tmp/parts.img)")
    await "[ -d /sys/block/$loop/${loop}p1 ]"
    made=${loop}p1
}

modprobe null_blk nr_devices=0
attempt loop-ext4 on_file_of ext4 64M mke2fs -q -t ext4
attempt loop-xfs on_file_of xfs 512M mkfs.xfs -q
attempt loop-btrfs on_file_of btrfs 256M mkfs.btrfs -q
attempt loop-f2fs on_file_of f2fs 128M mkfs.f2fs -q
attempt loop-vfat on_file_of vfat 64M mkfs.vfat
attempt loop-overlay on_overlay
attempt loop-tmpfs on_tmpfs
attempt loop-4k on_4k
attempt loop-on-loop on_loop
attempt loop-partition loop_partition
take 1
attempt loop-on-scsi loop_on /dev/$a
take 1
attempt partition-scsi partition_on $a
[ -n "$made" ] && attempt loop-on-partition loop_on /dev/$made
attempt null-plain null nullb_plain
attempt null-memory null nullb_memory memory_backed=1 discard=1
attempt null-named null scratch
attempt null-4k null nullb_4k blocksize=4096
attempt null-zoned null nullb_zoned zoned=1 zone_size=4 memory_backed=1
attempt loop-on-null loop_on /dev/$(named null-plain)
take 1
attempt dm-under-loop dm under "0 32768 linear /dev/$a 0"
[ -n "$made" ] && attempt loop-on-dm loop_on /dev/$made
attempt zram zram_disk 64M
attempt brd ram_disk
attempt nbd-idle nbd_idle
observe
clear_stacks
