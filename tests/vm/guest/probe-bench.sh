# Every comparison and every form, on little: what is measured is for benches/against and the scenario `speed`.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64
measured() {
    measured_as=$1 device=$2
    shift 2
    saved $measured_as zinspect bench /dev/$device --destroy --yes-destroy=$(identity $device) --runs 2 --seconds 0.05 "$@"
}
measured device $disks --size 2M,4M,1G -o json --html $stage/page.html
measured csv $disks --size 2M --only zero -o csv
measured markdown $disks --size 2M --only zero -o markdown
truncate -s 64M /mnt/state/fast.img
loop_on /mnt/state/fast.img
mke2fs -q -t ext4 -O fast_commit /dev/$made && mkdir -p /mnt/fast && mount -t ext4 /dev/$made /mnt/fast || fail "ext4 with fast_commit"
saved fast-commit zinspect bench /mnt/fast --only overwrite --size 1M --runs 1 --seconds 0.2 -o json
umount /mnt/fast
losetup -d /dev/$made
saved plain zinspect bench /mnt/state --only overwrite --size 1M --runs 1 --seconds 0.2 -o json
