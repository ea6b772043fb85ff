# ext4, and ext2 and ext3 by its driver.
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
lies="ext4, errors=remount-ro"
if ext4_on $d1 errors=remount-ro; then
    for mode in $modes; do trial prepare $here/error-$mode; done
    echo 1 >/sys/fs/ext4/$d1/trigger_fs_error
    name=ext4-error kind="after an error, read-only"
    tried $here/error-0x80 $here/error-0x10 $here/error-0x11 $here/error-0x03 $here/error-0
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
echo $d2 >$stage/second
mke2fs -q -F -O journal_dev -b 4096 /dev/$d2 && ext4_on $d1 none -b 4096 -J device=/dev/$d2 &&
    combo ext4-external "regular file" $here && gone
lies="ext3 by ext4's driver"
mke2fs -q -F -t ext3 -b 4096 /dev/$d1 && mounted ext3 /dev/$d1 && combo ext3 "regular file" $here &&
    combo_new ext3-new "new file" $here && gone
lies="ext2"
mke2fs -q -F -t ext2 -b 4096 /dev/$d1 && mounted ext2 /dev/$d1 && combo ext2 "regular file" $here && gone
lies="ext4, casefold"
if ext4_on $d1 none -O casefold -E encoding=utf8; then
    mkdir $here/folded && trial flags $here/folded 0x40000000 &&
        combo ext4-casefold "file of a case-insensitive folder" $here/folded || skip ext4-casefold "no casefold here"
    gone
fi
lies="ext4, dax" on="pmem"
if pmem_there; then
    ext4_on pmem0 dax=always && combo ext4-dax "regular file" $here && gone
else
    skip ext4-dax "this kernel makes no pmem of memmap="
fi
