# XFS.
on="SCSI disk that unmaps" lies=XFS
if xfs_on $d1 none; then
    combo xfs "regular file" $here
    combo_new xfs-new "new file" $here
    combo xfs-full "written file" $here full
    combo xfs-immutable immutable $here prepare 'trial xflags $file 0x8'
    combo xfs-append append-only $here prepare 'trial xflags $file 0x10'
    combo xfs-shared "reflinked file" $here full 'xfs_io -f -c "reflink $file" $file.copy >/dev/null'
    combo xfs-swap "swap file" $here full 'mkswap $file >/dev/null 2>&1 && chmod 600 $file && swapon $file' \
        'for f in $here/xfs-swap-*; do swapoff $f; done'
    gone
fi
lies="XFS, 1 KiB blocks"
xfs_on $d1 none -b size=1024 && combo xfs-1k "regular file" $here && gone
lies="XFS, no reflink"
xfs_on $d1 none -m reflink=0 && combo xfs-no-reflink "regular file" $here && gone
lies="XFS, external log" on="SCSI disk that unmaps, log on another"
xfs_on $d1 logdev=/dev/$d2 -l logdev=/dev/$d2,size=16m && combo xfs-log "regular file" $here && gone
realtime() { # NAME REALTIME-DEVICE EXTENT
    xfs_on $d1 rtdev=/dev/$2 -m reflink=0,rmapbt=0 -r rtdev=/dev/$2,extsize=$3 || return
    mkdir $here/rt && trial xflags $here/rt 0x100
    combo $1 "realtime file" $here/rt
    combo_new $1-new "new file of a realtime folder" $here/rt
    combo $1-data "data file beside" $here
    gone
}
lies="XFS, realtime extents of 1 block" on="realtime on SCSI that unmaps"
realtime xfs-rt $d2 4k
lies="XFS, realtime extents of 16 blocks"
realtime xfs-rt-big $d2 64k
lies="XFS, realtime extents of 1 block" on="realtime on a RAM disk, data on SCSI that unmaps"
realtime xfs-rt-ram $plain_disk 4k
lies=XFS on="RAM disk, no zeroes command"
xfs_on $plain_disk none && combo xfs-ram "regular file" $here && gone
on="dm-linear over SCSI that unmaps"
dm_linear lin $d1
xfs_on $made none && combo xfs-linear "regular file" $here && gone
dmsetup remove lin
lies="XFS, dax" on="pmem"
if pmem_there; then
    xfs_on pmem0 dax=always -m reflink=0 && combo xfs-dax "regular file" $here && gone
else
    skip xfs-dax "this kernel makes no pmem of memmap="
fi
