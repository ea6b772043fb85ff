# The kernel's own NVMe target over TCP.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=160
nvmet_subsystem cut $disks
nvmet_port 1 tcp cut
nvmet_connect 1 tcp cut
cat /sys/block/$made/queue/write_zeroes_max_bytes >$stage/limit
probed truncated $made blkzeroout
probed nvme-passthrough $made pwrite,nvme-write-zeroes,nvme-write-zeroes-deac,fallocate-write-zeroes --range 8M:2M
nvme disconnect -n cut >/dev/null
echo 0 >$subsystem/namespaces/1/enable

# DLFEAT 9 down to a file whose blocks can be counted: an NVMe target over a disk of LIO over that file.
modprobe -a target_core_mod target_core_file tcm_loop || fail LIO
lio_bytes=67108864
lio_on 1 fileio /mnt/state/counted.img emulate_tpu=1 emulate_tpws=1 unmap_zeroes_data=1
for file in /sys/block/$made/device/scsi_disk/*/max_write_same_blocks; do echo 4096 >$file || fail "$file"; done
nvmet_subsystem counted $made
nvmet_port 2 tcp counted
nvmet_connect 2 tcp counted
nvme id-ns /dev/$made -o json >$stage/counted-id-ns
probed counted $made pwrite,blkzeroout,fallocate-write-zeroes,nvme-write-zeroes,nvme-write-zeroes-deac,blkdiscard,uring-discard \
    --range 8M:16M --backing /mnt/state/counted.img
nvme disconnect -n counted >/dev/null
