# For the scenario `probe`: the parts that $parts names, each from probe-PART.sh into a stage of its own.
set -u
. /share/in/recipes.sh
. /share/in/save.sh
. /share/in/probing.sh

coldplug
disk_by_serial state
mke2fs -q -t ext4 /dev/$made && mkdir -p /mnt/state && mount -t ext4 /dev/$made /mnt/state || fail "state disk"
state_disk=$made
modprobe nbd nbds_max=32 max_part=0 || fail nbd
modprobe -a nvme-fabrics nvme-tcp || fail nvme-tcp
export STATE_DIRECTORY=/mnt/state

for part in $parts; do
    stage $part
    # A part that breaks costs its own checks alone.
    (. /share/in/probe-$part.sh) || echo "$part: $(tail -n 1 $out/guest.log)" >>$out/broken
done
exit 0
