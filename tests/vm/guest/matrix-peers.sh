# The set-ups of blktests scsi/010, dm/003, md/004 and nvme/065: a disk without LBPRZ has no unmap limit, one that
# unmaps by WRITE SAME has wz in all three, and a user's 0 takes the last of them away; through each layer.

layers() { # ASSERTION
    take 1
    attempt $group-scsi itself $a
    assert $group-scsi $1
    take 1
    attempt $group-dm dm peer "0 $(sectors $a) linear /dev/$a 0"
    assert $group-dm $1
    take 2
    attempt $group-raid0 md_array 90 raid0 none $a $b
    assert $group-raid0 $1
    take 2
    attempt $group-md-linear md_linear 91 $a $b
    take 1
    attempt $group-nvmet over_loop peer 12 $a
    assert $group-nvmet $1
}
itself() { made=$1; }
md_linear() {
    modprobe -q linear || modprobe -q md-linear || { echo "this kernel has no module md-linear"; exit 1; }
    md_array $1 linear --force $2 $3
}
over_loop() { # NAME NUMBER DEVICE
    need nvme-loop
    nvmet_subsystem $1 $3
    nvmet_port $2 loop $1
    nvmet_connect $2 loop $1
}
taken_away() { # DISK: by a user's 0
    made=$1
    echo 0 >$(limit $made) || fail "user limit of $made"
}
gone() {
    nvme disconnect-all >/dev/null 2>&1
    rm -f /sys/kernel/config/nvmet/ports/12/subsystems/peer
    served=/sys/kernel/config/nvmet/subsystems/peer/namespaces/1/enable
    [ -e $served ] && echo 0 >$served
    clear_stacks
}

for way in lbprz-0: ws16:lbpws=1 ws10:lbpws10=1; do
    begin peer-${way%%:*}
    lbprz=lbprz=1 word=unmap
    [ $group = peer-lbprz-0 ] && lbprz=lbprz=0 word=none
    scsi_debug_disks $lbprz ${way#*:} add_host=7 per_host_store=1 dev_size_mb=16
    pool=$disks
    layers $word
    observe
    if [ $word = unmap ] && have_unmap_files $a; then
        standing=$(tr ' ' : <$out/roles)
        begin $group-off
        for one in $standing; do
            name=$group${one#${group%-off}}
            attempt ${name%:*} taken_away ${one#*:}
            assert ${name%:*} off
            expect ${name%:*} agree user-limit
        done
        observe
    fi
    gone
done
