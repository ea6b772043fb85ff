# States after the stack was built: the kernel keeps its old numbers, and zinspect has to say so.
begin after
unmap_disks 48 dev_size_mb=16
need_unmap() { have_unmap_files $1 || { echo "this kernel has no unmap files"; exit 1; }; }
lin() { name=$1; shift; dm_linear $name "$@"; }
written() { echo "$2" >$(disk_file $1 $3) || fail "$3"; }
user() { need_unmap $1; echo "$2" >$(limit $1) || fail "user limit $2 of $1"; }
refuse() { echo $1 >/sys/module/scsi_debug/parameters/write_same_length; }
# By force, since a disk below a stack is held.
zero() { blkdiscard -f -z -o 0 -l 1M /dev/$1 || true; }
disabled() { need_unmap $1; refuse 0; zero $1; refuse 65535; }

# --- a leaf by itself ---
leaf() { made=$1; shift; "$@"; }
take 4
attempt after-leaf-user-0 leaf $a user $a 0
expect after-leaf-user-0 agree user-limit
pinned() { need_unmap $1; written $1 1000 max_write_same_blocks; user $1 512000; written $1 2000 max_write_same_blocks; }
attempt after-leaf-pinned leaf $b pinned $b
expect after-leaf-pinned agree user-limit-pinned
attempt after-leaf-disabled leaf $c disabled $c
expect after-leaf-disabled differ runtime-disabled
attempt after-leaf-mode-writesame leaf $d written $d writesame zeroing_mode
expect after-leaf-mode-writesame agree scsi-zeroing-mode-differs
take 2
attempt after-leaf-blocks-0 leaf $a written $a 0 max_write_same_blocks
expect after-leaf-blocks-0 agree scsi-max-write-same-written
attempt after-leaf-blocks-100 leaf $b written $b 100 max_write_same_blocks
expect after-leaf-blocks-100 agree scsi-max-write-same-written

# --- below a stack ---
over() { # RECIPE-WORDS… -- STATE-WORDS…: builds, then does that
    recipe=
    while [ "$1" != -- ]; do recipe="$recipe $1"; shift; done
    shift
    $recipe
    top=$made
    "$@"
    made=$top
}
take 1
attempt after-linear-user-0 over lin a-1 $a -- user $a 0
expect after-linear-user-0 differ stacked-snapshot-stale
take 1
enabled_on_top() { user $1 0; lin a-2 $1; user $made $(cat /sys/block/$made/queue/write_zeroes_unmap_max_hw_bytes); }
attempt after-linear-enabled-on-top enabled_on_top $a
expect after-linear-enabled-on-top differ stacked-snapshot-stale
take 1
attempt after-linear-blocks over lin a-3 $a -- written $a 100 max_write_same_blocks
expect after-linear-blocks differ stacked-snapshot-stale
take 1
attempt after-linear-disabled-below over lin a-4 $a -- disabled $a
expect after-linear-disabled-below differ dm-over-disabled
take 1
disabled_by_itself() { need_unmap $1; lin a-5 $1; refuse 0; zero $made; refuse 65535; }
attempt after-linear-disabled disabled_by_itself $a
expect after-linear-disabled differ runtime-disabled
take 2
own_user() { need_unmap $1; lin $2 $1; user $made 0; }
attempt after-linear-own-user-0 own_user $a a-6
expect after-linear-own-user-0 agree user-limit
reloaded() { own_user $1 a-7; dmsetup table a-7 | dmsetup load a-7; dmsetup suspend a-7; dmsetup resume a-7; }
attempt after-linear-reloaded reloaded $b
expect after-linear-reloaded agree
take 2
striped() { dm_striped a-8 $1 $2; user $2 0; }
attempt after-striped-user-0 striped $a $b
expect after-striped-user-0 differ stacked-snapshot-stale
take 2
emptied() {
    dm_multipath a-9 $1 $2
    echo "0 $(sectors $1) multipath 0 0 0 0" | dmsetup load a-9 || fail load
    dmsetup suspend a-9 && dmsetup resume a-9
}
attempt after-mpath-emptied emptied $a $b
expect after-mpath-emptied differ stacked-snapshot-stale
take 2
attempt after-raid0-user-0 over md_array 70 raid0 --chunk=512 $a $b -- user $a 0
expect after-raid0-user-0 differ stacked-snapshot-stale
take 2
attempt after-raid0-member-disabled over md_array 71 raid0 --chunk=512 $a $b -- disabled $a
expect after-raid0-member-disabled differ md-cannot-start
take 2
met() { need_unmap $1; md_array 72 raid0 --chunk=512 $1 $2; refuse 0; zero $made; zero $made; refuse 65535; }
attempt after-raid0-disabled met $a $b
expect after-raid0-disabled differ md-runtime-disabled
take 1
attempt after-loop-blocks over loop_on /dev/$a -- written $a 100 max_write_same_blocks
expect after-loop-blocks differ stacked-snapshot-stale

# --- files below loop devices ---
on_vfat() {
    need vfat
    truncate -s 32M /tmp/after-vfat.img
    loop_on /tmp/after-vfat.img
    mkfs.vfat /dev/$made >/dev/null
    mkdir -p /mnt/after && mount -t vfat /dev/$made /mnt/after || fail mount
    dd if=/dev/zero of=/mnt/after/image bs=1M count=4 2>/dev/null
    loop_on /mnt/after/image
}
on_tmpfs() { truncate -s 8M /tmp/$1.img; loop_on /tmp/$1.img; }
tried() { case $(uname -r) in 6.1.*) echo "this kernel has no drop of a refused zeroes command"; exit 1 ;; esac; "$@"; zero $made; }
attempt after-loop-tmpfs on_tmpfs after-1
expect after-loop-tmpfs agree loop-optimistic
attempt after-loop-tmpfs-tried tried on_tmpfs after-2
expect after-loop-tmpfs-tried differ loop-refused
attempt after-loop-vfat-tried tried on_vfat
expect after-loop-vfat-tried differ loop-refused
# Without discard even a filesystem that can zero is not asked.
no_discard() {
    on_tmpfs after-3
    loop_on /dev/$made
    echo 0 >/sys/block/$made/queue/discard_max_bytes || fail discard_max_bytes
    fallocate -p -o 0 -l 4096 /dev/$made 2>/dev/null && fail "punching a hole works"
    true
}
attempt after-loop-discard-off no_discard
expect after-loop-discard-off agree loop-discard-off

# --- NVMe over a target of this kernel ---
modprobe -a nvmet nvme-fabrics nvme-tcp nvmet-tcp 2>/dev/null
deac() { # NAME NUMBER loop|tcp DEVICE
    [ "$3" = tcp ] || need nvme-loop
    need_unmap $4
    nvmet_subsystem $1 $4
    nvmet_port $2 $3 $1
    nvmet_connect $2 $3 $1
}
rescan() { # HEAD: by each controller of its paths
    for path in /sys/block/${1%n*}c*n*; do echo 1 >$path/device/rescan_controller; done
    sleep 1
}
take 4
attempt after-nvme-tcp deac stale1 1 tcp $a
expect after-nvme-tcp agree nvme-nlb-truncation
lost() { deac stale2 2 tcp $1; user $1 0; rescan $made; }
attempt after-nvme-lost-dlfeat lost $b
expect after-nvme-lost-dlfeat differ stacked-snapshot-stale
path_of() { made=$(ls -d /sys/block/${1%n*}c*n* | sed 's|.*/||' | head -n 1); }
[ -n "$made" ] && attempt after-nvme-path-lost-dlfeat path_of $made
expect after-nvme-path-lost-dlfeat differ unmap-limit-kept
store_32() { deac stale3 3 tcp $1; user $made 0; user $made 4294966784; }
attempt after-nvme-32-bit-store store_32 $c
expect after-nvme-32-bit-store agree user-limit-32-bit
shrunk() {
    deac pair 4 loop $1
    head=$made first=$(ls -d /sys/block/${made%n*}c*n*)
    nvmet_port 5 tcp pair
    nvmet_connect 5 tcp pair
    await "[ \$(ls -d /sys/block/${head%n*}c*n* | wc -l) = 2 ]"
    echo 1 >$first/device/delete_controller
    await "[ \$(ls -d /sys/block/${head%n*}c*n* | wc -l) = 1 ]"
    made=$head
}
attempt after-head-shrunk shrunk $d
expect after-head-shrunk differ head-shrunk
observe
dmsetup remove_all --force >/dev/null 2>&1
nvme disconnect-all >/dev/null 2>&1
for enable in /sys/kernel/config/nvmet/subsystems/*/namespaces/1/enable; do echo 0 >$enable; done
clear_stacks

# --- 4096-byte blocks, so that limits pass 4 GiB ---
begin after-4k
unmap_disks 3 dev_size_mb=16 sector_size=4096 write_same_length=16777216
take 3
attempt after-4g-pinned leaf $a user $a 4294963200
expect after-4g-pinned agree user-limit-32-bit
multiple() { need_unmap $1; written $1 1048576 max_write_same_blocks; }
attempt after-4g-multiple leaf $b multiple $b
expect after-4g-multiple agree user-limit-no-return
gone() { multiple $1; user $1 0; }
attempt after-4g-multiple-user-0 leaf $c gone $c
expect after-4g-multiple-user-0 agree user-limit
observe
clear_stacks
