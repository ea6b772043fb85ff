# A thin volume, whose pool counts its blocks.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 add_host=2 per_host_store=1
set -- $disks
dm_thin vol $1 $2
probed thin $made pwrite,blkzeroout,blkdiscard --range 4M:4M
dmsetup status >$stage/status
dm_linear onthin $made
probed above-thin $made pwrite,blkdiscard --range 4M:4M
dmsetup remove onthin
dmsetup remove vol
dmsetup remove vol-pool
