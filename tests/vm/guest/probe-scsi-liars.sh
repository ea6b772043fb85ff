# The same lies behind SCSI: LIO's iblock over the NBD server. WRITE SAME with UNMAP arrives there as TRIM, so here
# the device's own command lies, not only the kernel's.
modprobe -a sg sd_mod target_core_mod target_core_iblock target_core_file tcm_loop || fail LIO
number=10
for lie in honest nothing half neighbour slow slower error:0 hang; do
    liar $number "$lie"
    lio_on $number iblock /dev/$made emulate_tpu=1 emulate_tpws=1 unmap_zeroes_data=1
    case $lie in
        hang) probed hang $made scsi-write-same-16-unmap --range 8M:1M --timeout 3 ;;
        *) probed ${lie%:*} $made pwrite,scsi-write-same-16-unmap --range 8M:2M ;;
    esac
    number=$((number + 1))
done
