# For the scenario `speed`: discards one after the other against discards through io_uring, on every kind of device.
set -u
. /share/in/recipes.sh
. /share/in/save.sh
. /share/in/probing.sh
coldplug
stage speed
measured() { # NAME DEVICE
    saved $1 zinspect bench /dev/$2 --destroy --yes-destroy=$(identity $2) --only discard --size 64M --runs 5 --seconds 0.5 -o json
}
modprobe configfs && modprobe null_blk nr_devices=0 || fail null_blk
grep -q ' configfs ' /proc/mounts || mount -t configfs configfs /sys/kernel/config
null=/sys/kernel/config/nullb/slow
mkdir $null || fail null_blk
for setting in size=128 memory_backed=1 discard=1 irqmode=2 completion_nsec=1000000 hw_queue_depth=256; do
    echo ${setting#*=} >$null/${setting%%=*} || fail "null_blk $setting"
done
echo 1 >$null/power
await "[ -b /dev/slow ] || [ -b /dev/nullb0 ]"
made=$(basename $(ls -d /dev/slow /dev/nullb0 2>/dev/null | head -n 1))
measured null_blk $made
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=96
measured scsi_debug $disks
for serial in nvme-plain virtio-scsi ahci virtio-blk; do
    disk_by_serial $serial
    measured $serial $made
done
truncate -s 96M /tmp/loop.img
loop_on /tmp/loop.img
measured loop $made
exit 0
