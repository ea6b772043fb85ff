# What LVM makes: each kind of volume, with its hidden ones.
begin lvm
unmap_disks 6 dev_size_mb=128
made_by() { # VOLUME
    dmsetup mknodes
    made=dm-$(dmsetup info -c --noheadings -o minor "$1") || fail "no $1"
}
volume() { # CASE NAME ARGUMENT…: without the zeroing that would need udev's links
    attempt_name=$1 lv_name=$2
    shift 2
    attempt $attempt_name create $lv_name "$@"
}
create() { name=$1; shift; lv lvcreate -y -Wn -Zn -an -n $name "$@" vg; lv lvchange -ay vg/$name; made_by vg-$name; }
modprobe -a dm-raid dm-thin-pool dm-snapshot dm-cache-smq dm-writecache dm-integrity dm-mirror 2>/dev/null
for disk in $pool; do lv pvcreate /dev/$disk; done
lv vgcreate -s 1m vg $(for disk in $pool; do echo /dev/$disk; done)
volume lvm-linear linear -L 8m
volume lvm-linear-wide wide -L 160m
volume lvm-striped striped -i 3 -I 64k -L 12m
volume lvm-raid0 raid0 --type raid0 -i 2 -L 8m
volume lvm-raid1 raid1 --type raid1 -m 1 --nosync -L 8m
volume lvm-raid5 raid5 --type raid5 -i 2 --nosync -L 8m
volume lvm-raid10 raid10 --type raid10 -i 2 -m 1 --nosync -L 8m
volume lvm-mirror mirror --type mirror -m 1 --mirrorlog core --nosync -L 8m
thin() { lv lvcreate -y -Zn --type thin-pool -L 16m -n pool vg; lv lvcreate -y -V 32m --thin -n thin vg/pool; made_by vg-thin; }
attempt lvm-thin thin
attempt lvm-thin-pool made_by vg-pool-tpool
attempt lvm-thin-data made_by vg-pool_tdata
snapped() { lv lvcreate -y -Wn -Zn -L 8m -n origin vg; lv lvcreate -y -s -L 4m -n snap vg/origin; made_by vg-snap; }
attempt lvm-snapshot snapped
attempt lvm-snapshot-origin made_by vg-origin
attempt lvm-snapshot-real made_by vg-origin-real
hot() { lv lvcreate -y -Wn -Zn -L 16m -n hot vg; lv lvcreate -y --type cache-pool -L 12m -n fast vg; lv lvconvert -y -Zn --type cache --cachepool vg/fast vg/hot; made_by vg-hot; }
attempt lvm-cache hot
safe() { lv lvcreate -y -Wn -Zn --type raid1 -m 1 --nosync --raidintegrity y -L 8m -n safe vg; made_by vg-safe; }
attempt lvm-raid-integrity safe
observe
dmsetup remove_all --force >/dev/null 2>&1
clear_stacks
