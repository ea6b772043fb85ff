# QEMU's own disks, and native NVMe multipath.
for serial in nvme-plain virtio-scsi ahci virtio-blk; do
    disk_by_serial $serial
    probed $serial $made all --range 8M:2M
done
# For these PCI ids the kernel turns Write Zeroes off.
disk_by_serial nvme-quirked
probed quirked $made pwrite,nvme-write-zeroes,nvme-write-zeroes-deac --range 8M:2M
probed despite-quirks $made nvme-write-zeroes --range 8M:2M --despite-quirks
disk_by_serial nvme-shared
nvme list-subsys >$stage/subsystems 2>&1
probed one-namespace $made pwrite,nvme-write-zeroes,nvme-write-zeroes-deac --range 8M:2M
disk_by_serial nvme-two
probed two-namespaces $made pwrite,nvme-write-zeroes --range 8M:2M
