# Disks of scsi_debug that protect themselves, and one that corrupts what is written; and a sweep over a healthy one.
# Write-protected before it appeared, and after.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 wp=1
saved write-protected zinspect probe /dev/$disks --preserve
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64
echo 1 >/sys/module/scsi_debug/parameters/wp
probed protected-later $disks pwrite,scsi-write-same-16-unmap --range 8M:2M
echo 0 >/sys/module/scsi_debug/parameters/wp

scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64
set -- $disks
probed sweep $1 pwrite,blkzeroout --range 8M:2M --sweep
# Byte 32 of each write becomes 1, whatever stood there.
dm flaky "0 $(sectors $1) flakey /dev/$1 0 0 60 5 corrupt_bio_byte 32 w 1 0"
probed flakey-corrupt $made blkzeroout --range 8M:2M
dmsetup remove flaky
