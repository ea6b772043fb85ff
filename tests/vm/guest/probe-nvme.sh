# The kernel's own NVMe target over TCP.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=160
nvmet_subsystem cut $disks
nvmet_port 1 tcp cut
nvmet_connect 1 tcp cut
cat /sys/block/$made/queue/write_zeroes_max_bytes >$stage/limit
probed truncated $made blkzeroout
probed nvme-passthrough $made pwrite,nvme-write-zeroes,nvme-write-zeroes-deac,fallocate-write-zeroes --range 8M:2M
nvme disconnect -n cut >/dev/null
nvmet_close cut
