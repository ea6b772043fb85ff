# What comes in the middle: the device goes, the journal finds no room, the device changes its mind.
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64
set -- $disks
dd if=/dev/urandom of=/dev/$1 bs=1M count=64 conv=fsync 2>/dev/null
sum_of $1 >$stage/sum-before
host=$(ls -d /sys/bus/pseudo/devices/adapter*/host*)

zinspect probe /dev/$1 -m pwrite,blkzeroout --preserve --range 8M:16M --journal /mnt/state/gone.j -o json >$stage/deleted.out 2>$stage/deleted.err &
probe=$!
until [ -e /mnt/state/gone.j ] || ! kill -0 $probe 2>/dev/null; do pause 20; done
pause 300
echo 1 >/sys/block/$1/device/delete
wait $probe
echo $? >$stage/deleted.rc
saved recover-without zinspect probe --recover /mnt/state/gone.j
echo '- - -' >$host/scsi_host/${host##*/}/scan
await '[ -n "$(scsi_debug_names)" ]'
sd=$(scsi_debug_names)
await "[ -b /dev/$sd ]"
sum_of $sd >$stage/sum-between
saved recover zinspect probe --recover /mnt/state/gone.j
sum_of $sd >$stage/sum-recovered

# A filesystem too small for the journal.
truncate -s 8M /mnt/state/small.img
loop_on /mnt/state/small.img
mke2fs -q -t ext2 /dev/$made && mkdir -p /mnt/small && mount -t ext2 /dev/$made /mnt/small || fail "small filesystem"
saved full zinspect probe /dev/$sd -m blkzeroout --preserve --range 8M:16M --journal /mnt/small/full.j
ls -A /mnt/small >$stage/full-left
sum_of $sd >$stage/sum-full
umount /mnt/small
losetup -d /dev/$made

# dm-flakey, honest until the pattern is written and reads back; then it drops every write. The other table waits
# loaded, and is put in place once as many sectors are written as a pilot and the pattern have: the reading takes longer.
dm flaky "0 $(sectors $sd) flakey /dev/$sd 0 60 0"
echo "0 $(sectors $sd) flakey /dev/$sd 0 0 60 1 drop_writes" | dmsetup load flaky || fail "dmsetup load"
id=$(identity $made)
# The pilot: 64 KiB with 1 MiB on both sides, and the zeroes. Then 48 MiB with theirs.
wanted=$((2112 * 2 + 64 * 2 + 50 * 2048))
before=$(awk '{print $7}' /sys/block/$made/stat)
zinspect probe /dev/$made -m blkzeroout --destroy --yes-destroy=$id --range 8M:48M -o json >$stage/flakey-reloaded.out 2>$stage/flakey-reloaded.err &
probe=$!
until [ $(($(awk '{print $7}' /sys/block/$made/stat) - before)) -ge $wanted ] || ! kill -0 $probe 2>/dev/null; do :; done
dmsetup resume flaky
wait $probe
echo $? >$stage/flakey-reloaded.rc
awk '{print $7}' /sys/block/$made/stat >$stage/flakey-written
dmsetup remove flaky
