# A real udevd with zinspect's rules: hotplug, change events, a partition, 500 devices at once.
. /share/in/recipes.sh
. /share/in/save.sh

mkdir -p /usr/bin /etc
ln -sf /bin/zinspect /usr/bin/zinspect
printf '%s\n' root:x:0: tty:x:5: disk:x:6: lp:x:7: kmem:x:15: dialout:x:20: cdrom:x:24: tape:x:26: audio:x:29: \
    video:x:44: input:x:101: sgx:x:102: kvm:x:103: render:x:104: >/etc/group
echo root:x:0:0::/root:/bin/sh >/etc/passwd

/lib/systemd/systemd-udevd --daemon || fail "udevd"
settle() { udevadm settle --timeout=${1:-120} || fail "settle"; }
udevadm trigger --action=add --subsystem-match=block
settle

zinspect watch --ndjson --interval 2 >$out/watch.ndjson 2>$out/watch.err </dev/null &
watch=$!
await "grep -q '^zinspect: watching' $out/watch.err"

# info NAME DEVICE: what udev's database has of it.
info() { saved $1 udevadm info --query=property --name=/dev/$2; }

stage hotplug
scsi_debug_disks lbpu=1 lbpws=1 lbprz=1 dev_size_mb=32
role unmap $disks
disk=$disks
settle
info unmap $disk
echo 'start=2048, size=4096' | sfdisk -q /dev/$disk >/dev/null 2>&1 || fail "sfdisk"
settle
await "[ -b /dev/${disk}1 ]"
info partition ${disk}1
save_sysfs

stage changed
limit=/sys/block/$disk/queue/write_zeroes_unmap_max_bytes
echo 0 >$limit
sleep 5
info stale $disk
udevadm trigger --action=change --name-match=/dev/$disk
settle
info user-limit $disk
cat /sys/block/$disk/queue/write_zeroes_unmap_max_hw_bytes >$limit
udevadm trigger --action=change --name-match=/dev/$disk
settle
info back $disk

# The properties follow by themselves.
stage trigger
zinspect watch --trigger --ndjson --interval 2 $disk >$stage/watch.ndjson 2>$stage/watch.err </dev/null &
second=$!
await "grep -q '^zinspect: watching' $stage/watch.err"
told() { udevadm info --query=property --name=/dev/$disk | grep -qx ID_ZINSPECT_ZEROING=$1; }
echo 0 >$limit
await "told offload"
info limited $disk
cat /sys/block/$disk/queue/write_zeroes_unmap_max_hw_bytes >$limit
await "told unmap"
info back $disk
# Some looks more.
sleep 7
kill $second
wait $second

stage removed
number=$(cat /sys/block/$disk/dev)
echo 1 >/sys/block/$disk/device/delete
settle
ls /run/udev/data >$stage/data
echo b$number >$stage/number

# Its last lines are written at the next look.
sleep 3
kill $watch
wait $watch

# A namespace of nvmet that is taken away and given back, over a disk that deallocates.
stage nvme
scsi_debug_disks lbpu=1 lbpws=1 lbprz=1 dev_size_mb=32
nvmet_subsystem hotplug $disks
nvmet_port 1 loop hotplug
nvmet_connect 1 loop hotplug
settle
info first $made
first=$made
nvmet_close hotplug
await "[ ! -e /sys/block/$first ]"
settle
ls /dev/disk/by-diskseq >$stage/links
echo 1 >/sys/kernel/config/nvmet/subsystems/hotplug/namespaces/1/enable
await "find_subsystem hotplug"
settle
info again $made
nvmet_close hotplug

# dmsetup waits for udevd here, and its rules say when it is done.
stage dm
ln -sf /bin/dmsetup /sbin/dmsetup
mapper() { env -u DM_DISABLE_UDEV dmsetup "$@" || fail "dmsetup $*"; }
scsi_debug_disks lbpu=1 lbpws=1 lbprz=1 dev_size_mb=32
ram_disk
settle
# Without a target: dm-0 is not there yet.
zinspect watch --ndjson --interval 2 >$stage/watch.ndjson 2>$stage/watch.err </dev/null &
watch=$!
await "grep -q '^zinspect: watching' $stage/watch.err"
mapper create zi --table "0 32768 linear /dev/$disks 0"
info created dm-0
cat /sys/block/dm-0/queue/write_zeroes_max_bytes >$stage/limit
sleep 5
mapper reload zi --table "0 32768 linear /dev/ram0 0"
mapper resume zi
info reloaded dm-0
sleep 5
echo b$(cat /sys/block/dm-0/dev) >$stage/number
mapper remove zi
settle
ls /run/udev/data >$stage/data
sleep 5
kill $watch
wait $watch

stage gone
saved gone zinspect export udev /dev/was-here

stage many
begin=$(date +%s)
modprobe null_blk nr_devices=500 gb=1 submit_queues=1 || fail "null_blk"
settle 1200
echo $(($(date +%s) - begin)) >$stage/seconds
grep -l ID_ZINSPECT_ZEROING=software /run/udev/data/b* | wc -l >$stage/count
exit 0
