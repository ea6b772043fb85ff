# For the scenario `probe`: honest and lying devices, probed; refusals; kills under --preserve.
set -u
. /share/in/recipes.sh
. /share/in/save.sh

coldplug
await "[ -b /dev/vda ]"
mke2fs -q -t ext4 /dev/vda && mkdir -p /mnt/state && mount -t ext4 /dev/vda /mnt/state || fail "state disk"
modprobe nbd nbds_max=16 max_part=0 || fail nbd
modprobe -a nvme-fabrics nvme-tcp || fail nvme-tcp
export STATE_DIRECTORY=/mnt/state

identity() { zinspect probe /dev/$1 --destroy --dry-run -o json | sed -n 's/^ *"identity": "\(.*\)",$/\1/p'; }

# probed NAME DEVICE METHODS OPTION…: loses what is on the device.
probed() {
    probed_as=$1 device=$2 methods=$3
    shift 3
    saved $probed_as zinspect probe /dev/$device -m $methods --destroy --yes-destroy=$(identity $device) -o json "$@"
}

# liar NUMBER LIE: leaves its process in $liar.
liar() {
    nbd_liar /dev/nbd$1 64 "$2" ${3:-} &
    liar=$!
    await "[ \$(cat /sys/block/nbd$1/size) = 131072 ] && [ -s /sys/block/nbd$1/pid ]"
    made=nbd$1
}
end_liar() { kill -9 $liar; wait $liar 2>/dev/null; await "[ ! -e /sys/block/$made/pid ]"; }

wants() { case " ${only:-all} " in *" all "* | *" $1 "*) stage $1 ;; *) return 1 ;; esac; }

if wants liars; then
number=0
for lie in honest nothing half neighbour slow slower error:1; do
    liar $number "$lie"
    probed ${lie%:*} $made pwrite,blkzeroout,fallocate-punch-hole --range 8M:2M
    number=$((number + 1))
done
liar $number hang
probed hang $made blkzeroout --range 8M:1M --timeout 3
number=$((number + 1))
liar $number hang
saved hang-preserve zinspect probe /dev/$made -m blkzeroout --preserve --range 8M:1M --timeout 3 -o json
saved hang-again zinspect probe /dev/$made -m blkzeroout --preserve --range 8M:1M --timeout 3
kill -9 $liar
rm -f /mnt/state/*.journal
number=$((number + 1))

fi
if wants real; then
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=96
sd=$disks
probed scsi-honest $sd all --range 8M:2M
probed scsi-whole-default $sd blkzeroout
saved preserve zinspect probe /dev/$sd -m blkzeroout,scsi-write-same-16-unmap --preserve --range 8M:2M -o json
sweep=$(identity $sd)
partition_on $sd
probed partition $made scsi-write-same-16-unmap,scsi-write-same-10,blkzeroout --range 4M:1M
partx -d /dev/$sd
dd if=/dev/zero of=/dev/$sd bs=1M count=96 conv=fsync 2>/dev/null
dm_linear lin $sd
echo 0 >/sys/module/scsi_debug/parameters/write_same_length
probed dm-disabled-below $made blkzeroout,pwrite --range 8M:2M
dmsetup remove lin
echo 1 >/sys/module/scsi_debug/parameters/fake_rw 2>/dev/null
cat /sys/module/scsi_debug/parameters/fake_rw >$stage/fake_rw
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 fake_rw=1
probed fake-rw $disks blkzeroout --range 8M:2M

scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=64 add_host=2
set -- $disks
dm_multipath mp $1 $2
map=$made
probed multipath $map scsi-write-same-16,scsi-write-same-16-unmap,blkzeroout --range 8M:2M
saved refused-leg zinspect probe /dev/$1 --preserve
dmsetup remove mp

dm flaky "0 $(sectors $1) flakey /dev/$1 0 0 60 1 drop_writes"
probed flakey-drop $made blkzeroout --range 8M:2M
dmsetup remove flaky

mkdir -p $out/refusals && stage refusals
blockdev --setro /dev/$1
saved read-only zinspect probe /dev/$1 --preserve
blockdev --setrw /dev/$1
saved no-mode zinspect probe /dev/$1
saved outside zinspect probe /dev/$1 --preserve --range 60M:8M
saved unaligned zinspect probe /dev/$1 --preserve --range 100:512
saved wrong-id zinspect probe /dev/$1 --destroy --yes-destroy=naa.0
saved no-id zinspect probe /dev/$1 --destroy
sleep 100 9<>/dev/$1 &
opener=$!
saved opened zinspect probe /dev/$1 --preserve
kill $opener
loop_on /dev/$1
saved loop zinspect probe /dev/$1 --preserve
losetup -d /dev/$made
dm_linear held $1
saved held zinspect probe /dev/$1 --preserve
mke2fs -q -t ext4 /dev/$made && mkdir -p /mnt/x && mount -t ext4 /dev/$made /mnt/x || fail mount
saved mounted-above zinspect probe /dev/$1 --preserve
saved mounted zinspect probe /dev/$made --preserve
saved scratch zinspect probe /mnt/x -o json --range 1M:2M
umount /mnt/x
dmsetup remove held
saved signature-destroy zinspect probe /dev/$1 --destroy --yes-destroy=$(identity $1)
saved signature-preserve zinspect probe /dev/$1 --preserve
sum=$(sha256sum </dev/$1)
saved signature-agreed zinspect probe /dev/$1 --preserve --yes-destroy=$(identity $1) --range 0:4M -o json
[ "$sum" = "$(sha256sum </dev/$1)" ] && echo same >$stage/signature-sum
mkswap /dev/$1 >/dev/null && swapon /dev/$1 || fail swapon
saved swap zinspect probe /dev/$1 --preserve
swapoff /dev/$1
saved journal-below zinspect probe /dev/vda --preserve
saved sysroot zinspect --sysroot / probe /dev/$1 --preserve
saved file zinspect probe /share/in/recipes.sh

fi
if wants nvme; then
scsi_debug_disks lbpws=1 lbprz=1 dev_size_mb=160
nvmet_subsystem cut $disks
nvmet_port 1 tcp cut
nvmet_connect 1 tcp cut
cat /sys/block/$made/queue/write_zeroes_max_bytes >$stage/limit
probed truncated $made blkzeroout
probed nvme-passthrough $made pwrite,nvme-write-zeroes,nvme-write-zeroes-deac,fallocate-write-zeroes --range 8M:2M
nvme disconnect -n cut >/dev/null

fi
if wants nvme-liars; then
liar_nqn=nqn.2014-08.org.zinspect:liar
port=4500
for lie in honest nothing half neighbour error:1; do
    port=$((port + 1))
    nvme_liar $port 64 $lie &
    server=$!
    sleep 1
    if nvme connect -t tcp -a 127.0.0.1 -s $port -n $liar_nqn --hostnqn=$host_nqn --hostid=$host_id; then
        made=
        await "find_subsystem $liar_nqn"
        cat /sys/block/$made/queue/write_zeroes_unmap_max_bytes >$stage/${lie%:*}.unmap
        probed ${lie%:*} $made pwrite,fallocate-write-zeroes,nvme-write-zeroes,nvme-write-zeroes-deac --range 8M:2M
        nvme disconnect -n $liar_nqn >/dev/null
    fi
    kill -9 $server
done

fi
if wants kills; then
number=12
truncate -s 64M /mnt/state/disk
dd if=/dev/urandom of=/mnt/state/disk bs=1M count=64 conv=notrunc 2>/dev/null
sum=$(sha256sum </mnt/state/disk)
lost=0 done=0
for round in $(seq ${kills:-6}); do
    liar $number volatile /mnt/state/disk
    zinspect probe /dev/$made -m blkzeroout,pwrite --preserve --range 8M:2M --journal /mnt/state/kill.j >$stage/run-$round 2>&1 &
    probe=$!
    # Not before there is something to lose: then at an odd moment.
    until [ -e /mnt/state/kill.j ] || ! kill -0 $probe 2>/dev/null; do sleep 0.05; done
    sleep 0.$((round * 37 % 10))$((round % 10))
    kill -9 $probe 2>/dev/null
    wait $probe 2>/dev/null
    # The power goes with it every second time: what was not flushed is lost.
    if [ $((round % 2)) = 0 ]; then
        end_liar
        liar $number volatile /mnt/state/disk
    fi
    for try in 1 2 3 4 5 6 7 8 9 10; do
        [ -e /mnt/state/kill.j ] || break
        zinspect probe --recover /mnt/state/kill.j >$stage/recover-$round 2>&1 && break
        sleep 0.5
    done
    [ -e /mnt/state/kill.j ] && lost=$((lost + 1))
    # A flush, so that what was put back is in the file.
    [ "$sum" = "$(dd if=/dev/$made iflag=direct bs=1M 2>/dev/null | sha256sum)" ] && done=$((done + 1))
    sync
    end_liar
    rm -f /mnt/state/*.partial
done
echo "$done $lost" >$stage/counts
fi
exit 0
