# For the scenario `advice`: brings disks into bad states, does what doctor says, and saves what came of it.
set -u
. /share/in/recipes.sh
. /share/in/save.sh
stage advice
scsi_debug_disks lbpws=1 lbprz=1 add_host=6 per_host_store=1 dev_size_mb=64
set -- $disks
of_disk() { ls /sys/block/$1/device/scsi_disk/*/$2; }
limit() { echo /sys/block/$1/queue/write_zeroes_unmap_max_bytes; }

# followed STATE DEVICE: the first command of doctor's advice on it, done.
followed() {
    saved $1-before zinspect doctor --fail-on info $2
    sed -n 's/^ *> .*: \(echo [0-9a-z_]* > [^ ;]*\).*/\1/p' $stage/$1-before.out | head -n 1 >$stage/$1-command
    sh $stage/$1-command
    echo $? >$stage/$1-done
    for pair in wz=write_zeroes_max_bytes hw=write_zeroes_unmap_max_hw_bytes unmap=write_zeroes_unmap_max_bytes; do
        echo "${pair%%=*} $(cat /sys/block/$2/queue/${pair#*=})"
    done >$stage/$1-after
    [ -e /sys/block/$2/device/scsi_disk ] && echo "mode $(cat $(of_disk $2 zeroing_mode))" >>$stage/$1-after
    saved $1-again zinspect doctor --fail-on info $2
}

echo 0 >$(limit $1)
followed user $1
echo writesame >$(of_disk $2 zeroing_mode)
followed mode $2
echo 0 >$(of_disk $3 max_write_same_blocks)
followed blocks-0 $3
echo 100000 >$(of_disk $4 max_write_same_blocks)
followed blocks-more $4
# The device refuses, the kernel gives up, the device takes it again.
echo 0 >/sys/module/scsi_debug/parameters/write_same_length
fallocate --zero-range --length 1MiB /dev/$5 2>/dev/null
blkdiscard --zeroout --length 1MiB /dev/$5
echo 65535 >/sys/module/scsi_debug/parameters/write_same_length
followed refused $5
dm_linear mapped $6
mapped=$made
echo 0 >$(limit $mapped)
followed mapped $mapped
exit 0
