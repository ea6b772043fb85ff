# The target `zoned` over disks of 16 zones, the first four conventional; /zoned-metadata is the metadata for them.
zoned() { # NAME DISK
    need dm-zoned
    dd if=/zoned-metadata of=/dev/$2 bs=64k conv=fsync 2>/dev/null || fail "metadata on $2"
    dm $1 "0 $(sectors $2) zoned /dev/$2"
}
zoned_scsi() { # NAME OPTION…
    name=$1
    shift
    scsi_debug_disks zbc=managed zone_size_mb=4 zone_nr_conv=4 dev_size_mb=64 "$@"
    zoned $name ${disks%% *}
}
zoned_null() {
    configured null_blk
    null_disk nullb_dmz zoned=1 zone_size=4 zone_nr_conv=4 memory_backed=1
    zoned $1 $made
}
modprobe null_blk nr_devices=0
begin zoned
attempt dm-zoned zoned_scsi z-scsi
on=$made
[ -n "$on" ] && attempt dm-on-zoned dm z-on "0 8192 linear /dev/$on 0"
attempt dm-zoned-null zoned_null z-null
observe
clear_stacks
begin zoned-unmap
attempt dm-zoned-unmap zoned_scsi z-unmap lbpws=1 lbprz=1
observe
clear_stacks
