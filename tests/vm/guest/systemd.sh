# The units under a real systemd: socket activation, what the sandbox leaves, watchdog, timer, rules.
set -u
out=/share/out
. /share/in/save.sh

fail() { echo "FAILED: $*"; exit 1; }
await() { # SECONDS CONDITION
    deadline=$(($(date +%s) + $1))
    until eval "$2"; do
        [ "$(date +%s)" -lt $deadline ] || fail "waited in vain for: $2"
        sleep 0.5
    done
}
get() { saved "$1" curl -sS --max-time 60 "http://127.0.0.1:9984$2"; }
property() { systemctl show -P "$1" zinspect.service; }
beside=/etc/systemd/system/zinspect.service.d
drop_in() {
    mkdir -p $beside
    cp "/opt/zinspect/$1.conf.example" "$beside/$1.conf"
    systemctl daemon-reload || fail "daemon-reload"
}
security() { saved "security-$1" systemd-analyze security --no-pager --offline=true "$2"; }

udevadm settle --timeout=120 || fail "settle"
disk=$(basename "$(ls -d /sys/bus/pseudo/devices/adapter0/host*/target*/*/block/*)")
[ -b "/dev/$disk" ] && [ -b /dev/nvme0n1 ] || fail "the disks"

stage units
echo "$disk" >$stage/disk
saved verify systemd-analyze verify --man=no zinspect.socket zinspect.service zinspect-textfile.service zinspect-textfile.timer
saved rules udevadm verify --no-summary /usr/lib/udev/rules.d/60-zinspect.rules
# That it looks at all.
echo 'KERNEL="sda", IMPORT{programme}="x"' >/tmp/60-broken.rules
saved broken udevadm verify --no-summary /tmp/60-broken.rules
security sysfs zinspect.service
security textfile zinspect-textfile.service

# PrivateNetwork, DynamicUser, no right at all: sysfs alone.
stage sysfs
systemctl daemon-reload
systemctl start zinspect.socket || fail "the socket"
saved before systemctl is-active zinspect.service
get metrics /metrics
get healthz /healthz
get devices /devices.json
get page /
zinspect --no-ioctl export prometheus >$stage/direct.txt 2>/dev/null
pid=$(property MainPID)
cat /proc/$pid/status >$stage/status
readlink /proc/1/ns/net /proc/$pid/ns/net >$stage/namespaces
cat /proc/$pid/net/dev >$stage/interfaces
grep -s '' /sys/block/*/queue/write_zeroes_*_bytes >$stage/limits
systemctl show zinspect.service >$stage/show
systemctl reload zinspect.service || fail "reload"
get again /metrics
property MainPID >$stage/pid-again
echo $pid >$stage/pid

# The result of a probe by root, and two files that are none: garbage, and one that nobody else may read.
stage probed
get before /metrics
saved plan zinspect probe /dev/$disk --destroy --dry-run -o json
identity=$(sed -n 's/.*"identity": *"\([^"]*\)".*/\1/p' $stage/plan.out)
saved probe zinspect probe /dev/$disk --destroy --yes-destroy "$identity" --method pwrite,blkzeroout --range 0:8M
echo garbage >/var/lib/zinspect/results/garbage.json
echo '{}' >/var/lib/zinspect/results/secret.json
chmod 600 /var/lib/zinspect/results/secret.json
sleep 3
get after /metrics
date +%s >$stage/now
ls -lR /var/lib/zinspect >$stage/state
rm /var/lib/zinspect/results/garbage.json /var/lib/zinspect/results/secret.json
echo 1 >/sys/block/$disk/device/delete
sleep 3
get gone /metrics
for scan in /sys/bus/pseudo/devices/adapter0/host*/scsi_host/host*/scan; do echo '- - -' >$scan; done
await 60 "ls -d /sys/bus/pseudo/devices/adapter0/host*/target*/*/block/* >/dev/null 2>&1"
udevadm settle --timeout=60
disk=$(basename "$(ls -d /sys/bus/pseudo/devices/adapter0/host*/target*/*/block/*)")
await 60 "[ -b /dev/$disk ]"
echo "$disk" >$out/units/disk

# Group disk and read-only nodes: commands.
stage devices
dmsetup create zi --table "0 2048 linear /dev/$disk 0" || fail "dmsetup"
drop_in devices
security devices zinspect.service
systemctl restart zinspect.service || fail "restart"
get metrics /metrics
get devices /devices.json
cat /proc/$(property MainPID)/status >$stage/status
# The server that read sysfs alone said that it hears nothing; this one must not.
journalctl --no-pager -u zinspect.service | grep -c 'no events of the kernel' >$stage/deaf

stage tables
drop_in dm-tables
security tables zinspect.service
systemctl restart zinspect.service || fail "restart"
get devices /devices.json
rm -r $beside
systemctl daemon-reload

stage watchdog
mkdir -p $beside
printf '[Service]\nWatchdogSec=10\n' >$beside/soon.conf
systemctl daemon-reload
systemctl restart zinspect.service || fail "restart"
get before /metrics
pid=$(property MainPID)
# Longer than the limit: who beats is left alone.
sleep 15
echo "$pid $(property MainPID) $(property NRestarts)" >$stage/beating
kill -STOP $pid
await 120 '[ "$(property NRestarts)" = 1 ] && [ "$(property SubState)" = running ]'
echo "$pid $(property MainPID) $(property NRestarts)" >$stage/stopped
get after /metrics
journalctl --no-pager -u zinspect.service >$stage/journal

stage textfile
folder=/var/lib/prometheus/node-exporter
systemctl start zinspect-textfile.service
systemctl show zinspect-textfile.service >$stage/without-folder
# Debian's node_exporter has a user of its own.
mkdir -p $folder
chown 1000:1000 $folder
systemctl start zinspect-textfile.timer || fail "timer"
await 120 "[ -s $folder/zinspect.prom ]"
await 60 '[ "$(systemctl is-active zinspect-textfile.service)" = inactive ]'
systemctl show zinspect-textfile.service >$stage/show
systemctl show -P LastTriggerUSec zinspect-textfile.timer >$stage/triggered
stat -c '%a %u' $folder/zinspect.prom >$stage/mode
ls -A $folder >$stage/left
cp $folder/zinspect.prom $stage/file

dmsetup remove zi
exit 0
