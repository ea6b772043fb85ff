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
