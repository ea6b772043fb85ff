# The devices of the scenario `inspect`, and everything that zinspect and other tools say of them.
set -u
. /share/in/recipes.sh
. /share/in/save.sh

coldplug
for serial in nvme-plain nvme-shared virtio-scsi ahci virtio-blk; do
    disk_by_serial $serial
    role $serial
done
shared=$(named nvme-shared)
made=$(ls -d /sys/block/nvme*c*n* | sed 's|.*/||' | grep "^${shared%n*}c" | head -n 1)
role nvme-path

# Variants of what a SCSI disk says of itself; scsi_debug can be one of them at a time.
scsi_variant() { # NAME OPTION…
    variant=$1
    shift
    scsi_debug_disks dev_size_mb=8 "$@"
    role scsi-$variant $disks
    stage scsi-$variant
    save_sysfs
    save_scsi $disks
    saved root zinspect -o json /dev/$disks
    saved plain $plain zinspect -o json /dev/$disks
    saved detail zinspect /dev/$disks
    saved raw zinspect --raw /dev/$disks
    saved capture zinspect capture $stage/host.tar.gz
    saved snapshot zinspect --snapshot $stage/host.tar.gz -o json /dev/$disks
    sed -i "/^scsi-$variant /d" $out/roles
}
scsi_variant no-lbprz lbpws=1 lbprz=0
scsi_variant lbpws10 lbpws10=1 lbprz=1
scsi_variant lbpu-only lbpu=1 lbprz=1
scsi_variant fully-provisioned
scsi_variant physical-4k lbpws=1 lbprz=1 physblk_exp=3

scsi_debug_disks lbpws=1 lbprz=1 add_host=16 per_host_store=1 dev_size_mb=32
set -- $disks
role scsi-debug $1
if modprobe -q nvme-loop; then
    nvmet_subsystem deac $2
    nvmet_port 1 loop deac
    nvmet_connect 1 loop deac
    role nvmet-loop
else
    echo "nvmet-loop this kernel has no nvme-loop module" >>$out/skipped
fi
dm_linear lin $3
role linear
dm_striped str $4 $5
role striped
dm_crypt cry $6
role crypt
dm_thin thn $7 $8
role thin
role thin-pool $pool
dm_multipath mp $9 ${10}
role multipath
md_array 0 raid0 --chunk=64 ${11} ${12}
role raid0
md_array 1 raid1 none ${13} ${14}
role raid1
partition_on ${15}
role partition
loop_on /dev/${16}
role loop-on-disk
mke2fs -q -t ext4 /dev/$(named virtio-blk) && mkdir -p /mnt/data
mount -t ext4 /dev/$(named virtio-blk) /mnt/data || fail mount
truncate -s 64M /mnt/data/image
loop_on /mnt/data/image
role loop-on-file
zram_disk 64M
role zram
null_blk_disk discard=1 memory_backed=1
role null_blk
ram_disk
role brd
md_settled() { ! grep -q resync /proc/mdstat; }
await md_settled

stage main
save_sysfs
save_nvme
save_scsi $(ls /sys/block | grep '^sd')
saved root zinspect -o json
saved all zinspect --all -o json
saved table zinspect
saved tree zinspect tree
saved inverse zinspect tree --inverse
saved csv zinspect -o csv
saved prometheus zinspect -o prometheus
saved ndjson zinspect -o ndjson
saved no-ioctl zinspect --no-ioctl -o json
saved plain $plain zinspect -o json
saved plain-table $plain zinspect
saved capture zinspect capture $stage/host.tar.gz
saved capture-again zinspect capture $stage/again.tar.gz
saved snapshot zinspect --snapshot $stage/host.tar.gz -o json
saved snapshot-tree zinspect tree --snapshot $stage/host.tar.gz
saved snapshot-table zinspect --snapshot $stage/host.tar.gz
saved plain-capture $plain zinspect capture /dev/shm/plain.tar.gz
saved plain-snapshot zinspect --snapshot /dev/shm/plain.tar.gz -o json
# As a distribution leaves the nodes to a group or a login: readable, still without capabilities.
chmod 0666 /dev/nvme* /dev/sd*
saved open $plain zinspect -o json
chmod 0600 /dev/nvme* /dev/sd*

# Ways to name a target, and exit codes: NAME, then what follows zinspect.
number() { cat /sys/class/block/$(named $1)/dev; }
head=$(named nvme-plain)
controller=$(ls -d /sys/block/$head/device/nvme*[0-9] 2>/dev/null | head -n 1)
while read -r name words; do
    saved target-$name zinspect $words
done <<END
kname -o json $(named scsi-debug)
path -o json /dev/$(named scsi-debug)
mapper -o json /dev/mapper/lin
number -o json $(number raid0)
partition -o json $(named partition)
partition-path -o json /dev/$(named partition)
hidden -o json $(named nvme-path)
controller -o json /dev/$(readlink -f /sys/block/$head/device | sed 's|.*/||')
several -o json $(named raid0) /dev/mapper/cry
no-such -o json /dev/nosuch
some -o json $(named raid0) nosuch0
file -o json /share/in/recipes.sh
require-met --require unmap $(named linear)
require-unmap-meets-offload --require offload $(named linear)
require-not-met --require unmap $(named nvme-plain)
require-offload-not-met --require offload $(named crypt)
bad-option --no-such-option
detail $(named scsi-debug)
detail-raw --raw $(named scsi-debug)
detail-dm /dev/mapper/mp
detail-head $(named nvme-shared)
END
