"""What goes into the initramfs: modules, programs, and the packages of Debian they come from."""

# Without these a kernel cannot boot the rig at all; the others may be missing from a kernel, and
# then only a script that needs them fails. The share is 9p over virtio.
ESSENTIAL_MODULES = "9pnet_virtio 9p".split()

MODULES = """
    virtio_pci virtio_blk virtio_scsi ahci sd_mod sr_mod sg usb-storage uas xhci-pci
    nvme nvme-loop nvme-tcp nvmet nvmet-tcp
    scsi_debug loop zram brd null_blk nbd
    dm-mod dm-crypt dm-thin-pool dm-multipath dm-round-robin dm-service-time dm-queue-length
    dm-delay dm-flakey dm-mirror dm-snapshot dm-raid dm-integrity dm-verity dm-cache dm-cache-smq
    dm-clone dm-era dm-switch dm-unstripe dm-log-writes dm-writecache dm-zero dm-zoned dm-ebs dm-dust dm-vdo
    ublk_drv megaraid_sas sym53c8xx vmw_pvscsi sdhci-pci mmc_block nd_pmem nd_e820
    md-mod linear md-linear raid0 raid1 raid10 raid456
    ext4 xfs btrfs f2fs vfat exfat overlay fuse nls_cp437 nls_ascii nls_iso8859-1 nls_utf8
    target_core_mod target_core_iblock target_core_file target_core_user tcm_loop
    scsi_dh_alua scsi_dh_rdac
    crc32c_generic crc32_generic libcrc32c blake2b_generic xxhash_generic
    ecb cbc xts essiv aes_generic aesni-intel sha256_generic cts hmac sha512_generic zstd_compress
""".split()

# Program -> package. `setup` installs the packages, the initramfs takes the programs. A program
# that is not on the machine is left out and said so by `tests/vm/run`.
PROGRAMS = {
    "busybox": "busybox-static",
    "dash": "dash",
    "kmod": "kmod",
    "dmsetup": "dmsetup",
    "lvm": "lvm2",
    "mdadm": "mdadm",
    "nvme": "nvme-cli",
    "sg_inq": "sg3-utils", "sg_vpd": "sg3-utils", "sg_readcap": "sg3-utils",
    "sg_opcodes": "sg3-utils", "sg_write_same": "sg3-utils", "sg_unmap": "sg3-utils",
    "sg_get_lba_status": "sg3-utils", "sg_raw": "sg3-utils",
    "losetup": "util-linux", "blkdiscard": "util-linux", "fallocate": "util-linux",
    "setpriv": "util-linux", "lsblk": "util-linux", "partx": "util-linux",
    "blkzone": "util-linux", "blkid": "util-linux", "mkswap": "util-linux",
    "sfdisk": "fdisk",
    "mke2fs": "e2fsprogs",
    "mkfs.xfs": "xfsprogs", "xfs_io": "xfsprogs",
    "mkfs.btrfs": "btrfs-progs", "btrfs": "btrfs-progs", "mkfs.f2fs": "f2fs-tools", "mkfs.fat": "dosfstools",
    "mkfs.vfat": "dosfstools",
}

# Needed on the machine itself, beside those above.
HOST_PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "ldd": "libc-bin",
    "objdump": "binutils",
    "depmod": "kmod",
    "dpkg-deb": "dpkg",
    "apt-get": "apt",
    "debootstrap": "debootstrap",
}

# Names by which a program is also called.
LINKS = {
    "kmod": ["modprobe", "insmod", "rmmod", "lsmod"],
    "mke2fs": ["mkfs.ext4", "mkfs.ext2"],
}

# Files beside the programs that they do not work without.
DATA_FILES = ["/etc/mke2fs.conf"]
