# Disks of scsi_debug, alone and below others.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=96
sd=$disks
probed scsi-honest $sd all --range 8M:2M
probed scsi-whole-default $sd blkzeroout
saved preserve zinspect probe /dev/$sd -m blkzeroout,scsi-write-same-16-unmap --preserve --range 8M:2M -o json
partition_on $sd
probed partition $made scsi-write-same-16-unmap,scsi-write-same-10,blkzeroout --range 4M:1M
partx -d /dev/$sd
dd if=/dev/zero of=/dev/$sd bs=1M count=96 conv=fsync 2>/dev/null
dm_linear lin $sd
echo 0 >/sys/module/scsi_debug/parameters/write_same_length
probed dm-disabled-below $made blkzeroout,pwrite --range 8M:2M
dmsetup remove lin

scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 fake_rw=1
probed fake-rw $disks blkzeroout --range 8M:2M

scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 add_host=2
set -- $disks
dm_multipath mp $1 $2
map=$made
probed multipath $map scsi-write-same-16,scsi-write-same-16-unmap,blkzeroout --range 8M:2M
saved refused-leg zinspect probe /dev/$1 --preserve
dmsetup remove mp

dm flaky "0 $(sectors $1) flakey /dev/$1 0 0 60 1 drop_writes"
probed flakey-drop $made blkzeroout --range 8M:2M
dmsetup remove flaky
