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
configfs
modprobe null_blk nr_devices=0 || fail null_blk
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

# Zeroing against util-linux on a disk whose every command takes 20 ms, in turn. The time that a program takes to start
# is emulation's, not the tool's: what a range of one block takes is subtracted.
stage zeroing
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=96 ndelay=20000000 write_same_length=2048
id=$(identity $disks)
spent() { begin=$(now); "$@" >/dev/null || fail "$*"; echo $(($(now) - begin)); }
theirs() { # NAME COMMAND…: takes the length as its last words
    dd if=/dev/urandom of=/dev/$disks bs=1M count=64 oflag=direct conv=fsync 2>/dev/null
    name=$1
    shift
    none=$(spent "$@" -l 4096 /dev/$disks)
    echo $(($(spent "$@" -l 64M /dev/$disks) - none)) >>$stage/$name
}
for round in 1 2 3 4 5; do
    saved round-$round zinspect bench /dev/$disks --destroy --yes-destroy=$id --only zero --size 64M --runs 1 -o json
    theirs fallocate-write-zeroes fallocate-newer -w
    theirs blkzeroout blkdiscard-newer -q -f -z
done
exit 0
