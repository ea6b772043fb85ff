# QEMU's NVMe disks by their serials, under what the boot brings about ($boot): an IOMMU, a quirk of the kernel.
begin $boot
coldplug
coldplug
by_serial() { disk_by_serial "$1"; }
for serial in $serials; do
    attempt $boot-$serial by_serial $serial
done
observe
