# QEMU's own controllers and disks.
begin machine
coldplug
coldplug

by_serial() { disk_by_serial "$1"; }

# The disk whose SCSI host adapter has that driver.
by_adapter() { # DRIVER MODULE
    need "$2"
    await "adapter_disk $1"
}
adapter_disk() {
    for disk in /sys/block/sd*; do
        place=$(readlink -f $disk/device)
        host=${place#*/host} host=host${host%%/*}
        driver=$(cat /sys/class/scsi_host/$host/proc_name)
        [ "$driver" = "$1" ] && made=${disk##*/} && return 0
    done
    return 1
}
hidden_path() { # of the head with that serial
    disk_by_serial "$1"
    made=$(ls -d /sys/block/nvme*c*n* | sed 's|.*/||' | grep "^${made%n*}c" | head -n 1)
}
by_name() { need "$2"; made=$1; await "[ -d /sys/block/$1 ]"; }
partition_by_serial() { disk_by_serial "$1"; partition_on $made; }

for serial in $serials; do
    attempt $serial by_serial $serial
done
attempt nvme-path hidden_path nvme-shared
attempt ahci by_serial ahci
attempt usb-storage by_adapter usb-storage usb-storage
attempt usb-uas by_serial uas-512
attempt usb-uas-4k by_serial uas-4k
attempt megasas by_adapter megaraid_sas megaraid_sas
attempt pvscsi by_adapter vmw_pvscsi vmw_pvscsi
attempt lsi by_adapter sym53c8xx sym53c8xx
attempt sd-card by_name mmcblk0 mmc_block
attempt pmem by_name pmem0 nd_pmem
attempt partition-nvme partition_by_serial nvme-mdts7
attempt partition-virtio partition_by_serial virtio-blk
observe
