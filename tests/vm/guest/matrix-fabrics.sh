# NVMe targets of the kernel, from the host's end; and LIO's disks.
begin fabrics
unmap_disks 16 dev_size_mb=16
modprobe -a nvmet nvme-fabrics nvme-tcp nvmet-tcp 2>/dev/null
modprobe null_blk nr_devices=0

over() { # NAME NUMBER loop|tcp DEVICE
    [ "$3" = tcp ] || need nvme-loop
    nvmet_subsystem $1 $4
    nvmet_port $2 $3 $1
    nvmet_connect $2 $3 $1
}
no_user_limit() {
    have_unmap_files $1 || { echo "this kernel has no unmap files"; exit 1; }
    echo 0 >$(limit $1) || fail "user limit of $1"
}
over_no_user_limit() { no_user_limit $4 && over "$@"; }
over_null() {
    configured null_blk
    null_disk nullb_nvmet memory_backed=1 discard=1
    over $1 $2 $3 $made
}
over_loop() { truncate -s 16M /tmp/nvmet.img; loop_on /tmp/nvmet.img; over $1 $2 $3 $made; }
over_file() {
    truncate -s 16M /tmp/nvmet-file.img
    modprobe nvmet
    mkdir -p /dev/shm/f && truncate -s 16M /dev/shm/f/image
    need nvme-loop
    subsystem=/sys/kernel/config/nvmet/subsystems/$1
    mkdir -p $subsystem/namespaces/1
    echo 1 >$subsystem/attr_allow_any_host
    echo /dev/shm/f/image >$subsystem/namespaces/1/device_path
    echo 1 >$subsystem/namespaces/1/enable || fail "nvmet on a file"
    nvmet_port $2 $3 $1
    nvmet_connect $2 $3 $1
}
with_mdts() { # NAME NUMBER DEVICE MDTS
    mkdir -p /sys/kernel/config/nvmet/ports/$2
    [ -e /sys/kernel/config/nvmet/ports/$2/param_mdts ] || { echo "this kernel has no param_mdts"; exit 1; }
    echo $4 >/sys/kernel/config/nvmet/ports/$2/param_mdts || fail param_mdts
    over $1 $2 tcp $3
}
# One namespace through two ports: loop ends a command at 1020 KiB, tcp nowhere.
two_ports() { # NAME LOOP-PORT TCP-PORT DEVICE
    over $1 $2 loop $4
    head=$made
    nvmet_port $3 tcp $1
    nvmet_connect $3 tcp $1
    await "[ \$(ls -d /sys/block/${head%n*}c*n* | wc -l) = 2 ]"
    made=$head
}
path_of() { # HEAD FIRST|LAST
    made=$(ls -d /sys/block/${1%n*}c*n* | sed 's|.*/||' | sort -V | $2 -n 1)
}

itself() { made=$1; }
take 4
attempt nvmet-loop over deac 1 loop $a
assert nvmet-loop unmap
# The same from the target's end: the host is told DLFEAT 9 where the disk there has un.
attempt nvmet-loop-target itself $a
assert nvmet-loop-target unmap
attempt nvmet-tcp over deactcp 2 tcp $b
assert nvmet-tcp unmap
attempt nvmet-mdts with_mdts mdts 9 $c 4
attempt nvmet-user-limit-0 over_no_user_limit userzero 3 tcp $d
assert nvmet-user-limit-0 none
if have_unmap_files $d; then
    attempt nvmet-user-limit-0-target itself $d
    assert nvmet-user-limit-0-target off
fi
attempt nvmet-null over_null null 4 tcp
assert nvmet-null none
attempt nvmet-loopdev over_loop ondev 5 tcp
attempt nvmet-file over_file onfile 6 loop
take 1
attempt nvmet-two-ports two_ports pair 7 8 $a
if [ -n "$made" ]; then
    pair=$made
    attempt nvmet-path-loop path_of $pair head
    attempt nvmet-path-tcp path_of $pair tail
fi
take 2
attempt dm-under-nvmet dm_linear undernvmet $a $b
[ -n "$made" ] && attempt nvmet-on-dm over ondm 10 tcp $made
take 2
attempt md-under-nvmet md_array 7 raid0 --chunk=64 $a $b
[ -n "$made" ] && attempt nvmet-on-raid0 over onraid 11 tcp $made
head=$(named nvmet-tcp)
[ -n "$head" ] && attempt dm-on-nvmet dm onnvmet "0 16384 linear /dev/$head 0"

# --- LIO, by tcm_loop: one SCSI host for each disk ---
modprobe -a target_core_mod target_core_iblock target_core_file tcm_loop 2>/dev/null
lio() { configured target_core_mod; lio_on "$@"; }
take 5
attempt lio-file lio 1 fileio /tmp/lio1
attempt lio-file-tpu lio 2 fileio /tmp/lio2 emulate_tpu=1 unmap_zeroes_data=1
attempt lio-file-tpws lio 3 fileio /tmp/lio3 emulate_tpws=1 unmap_zeroes_data=1
attempt lio-file-both lio 4 fileio /tmp/lio4 emulate_tpu=1 emulate_tpws=1 unmap_zeroes_data=1
attempt lio-file-no-lbprz lio 5 fileio /tmp/lio5 emulate_tpu=1 emulate_tpws=1
attempt lio-file-no-serial lio 6 fileio /tmp/lio6 emulate_tpu=1 emulate_tpws=1 unmap_zeroes_data=1 no-serial
attempt lio-block lio 7 iblock /dev/$a
attempt lio-block-both lio 8 iblock /dev/$b emulate_tpu=1 emulate_tpws=1 unmap_zeroes_data=1
attempt lio-block-no-lbprz lio 9 iblock /dev/$c emulate_tpu=1 emulate_tpws=1
observe
dmsetup remove_all --force >/dev/null 2>&1
nvme disconnect-all >/dev/null 2>&1
for link in $lio/loopback/*/tpgt_1/lun/lun_0/store; do [ -L "$link" ] && rm $link; done
for folder in $lio/loopback/*/tpgt_1/lun/lun_0 $lio/loopback/*/tpgt_1 $lio/loopback/* $lio/core/*_[0-9]*/disk*; do
    rmdir $folder 2>/dev/null
done
for link in /sys/kernel/config/nvmet/ports/*/subsystems/*; do rm -f $link; done
for enable in /sys/kernel/config/nvmet/subsystems/*/namespaces/1/enable; do echo 0 >$enable; done
clear_stacks
