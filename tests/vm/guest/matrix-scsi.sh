# What a SCSI disk can say of itself: scsi_debug, one way at a time.
variant() { # CASE OPTION…
    begin $1
    shift
    attempt $group one_disk "$@"
    observe
}
one_disk() {
    scsi_debug_disks "$@"
    made=${disks%% *}
}
# MAXIMUM WRITE SAME LENGTH may change between two hosts, so these are one stage.
begin scsi-length
length() { # BLOCKS
    before=$(ls /sys/block)
    echo $1 >/sys/module/scsi_debug/parameters/write_same_length || fail write_same_length
    echo 1 >/sys/bus/pseudo/drivers/scsi_debug/add_host || fail add_host
    await 'made=$(ls /sys/block | grep ^sd | grep -vFx "$before"); [ -n "$made" ]'
    await "[ -b /dev/$made ] && [ -s /sys/block/$made/queue/hw_sector_size ]"
}
scsi_debug_disks lbpws=1 dev_size_mb=8 per_host_store=1
for blocks in 0 1 7 65534 65535 65536 8388607 16777216; do
    attempt scsi-length-$blocks length $blocks
done
observe

# A stage for each of the rest; $1 decides how many words an option list has, so one line is one case.
while read -r line; do
    [ -n "$line" ] && variant $line
done <<END
scsi-plain dev_size_mb=8
scsi-lbpu lbpu=1 dev_size_mb=8
scsi-lbpws lbpws=1 dev_size_mb=8
scsi-lbpws-no-lbprz lbpws=1 lbprz=0 dev_size_mb=8
scsi-lbpws-lbprz-2 lbpws=1 lbprz=2 dev_size_mb=8
scsi-lbpws10 lbpws10=1 dev_size_mb=8
scsi-physical-4k lbpws=1 physblk_exp=3 dev_size_mb=8
scsi-physical-rounds-to-0 lbpws=1 physblk_exp=3 write_same_length=7 dev_size_mb=8
scsi-physical-rounds lbpws=1 physblk_exp=3 write_same_length=1001 dev_size_mb=8
scsi-4k lbpws=1 sector_size=4096 dev_size_mb=8
scsi-4k-long lbpws=1 sector_size=4096 write_same_length=16777216 dev_size_mb=8
scsi-level-4 lbpws=1 scsi_level=4 dev_size_mb=8
scsi-level-5 lbpws=1 scsi_level=5 dev_size_mb=8
scsi-level-6 lbpws=1 scsi_level=6 dev_size_mb=8
scsi-level-8 lbpws=1 scsi_level=8 dev_size_mb=8
scsi-level-4-large lbpws=1 scsi_level=4 virtual_gb=4096 dev_size_mb=8
scsi-large lbpws=1 virtual_gb=4096 dev_size_mb=8
scsi-protected lbpws=1 dif=1 dix=1 dev_size_mb=8
scsi-protected-level-4 lbpws=1 scsi_level=4 dif=1 dev_size_mb=8
scsi-zoned zbc=managed zone_size_mb=4 dev_size_mb=64
END
