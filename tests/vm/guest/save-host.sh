# A captured host for tests/hosts: NVMe (plain, and a namespace behind two controllers), SCSI disks
# that unmap and that do not, and a small dm, MD and loop stack.
set -u
. /share/in/recipes.sh

coldplug
for serial in nvme-plain nvme-shared virtio-scsi ahci virtio-blk; do
    disk_by_serial $serial
    role $serial
done
scsi_debug_disks lbpws=1 lbprz=1 add_host=8 per_host_store=1 dev_size_mb=32
set -- $disks
nvmet_subsystem deac $1
nvmet_port 1 loop deac
nvmet_connect 1 loop deac
dm_linear vg-wal $2 $3
dm_crypt secret $4
dm_multipath mpatha $5 $6
md_array 0 raid0 --chunk=64 $7 $8
partition_on $(named virtio-scsi)
loop_on /dev/$(named ahci)
zinspect capture $out/host.tar.gz || fail "zinspect capture"
zinspect -o json >$out/report.json || fail "zinspect"
zinspect tree --snapshot $out/host.tar.gz
