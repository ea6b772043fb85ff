//! One block device: what it is, what stands around it, and the facts that were read of it.

use std::fmt;
use std::rc::Rc;

use crate::facts::dm::DmFacts;
use crate::facts::loop_::LoopFacts;
use crate::facts::md::MdFacts;
use crate::facts::nvme::NvmeFacts;
use crate::facts::queue::QueueLimits;
use crate::facts::reading::Reading;
use crate::facts::scsi::ScsiFacts;
use crate::facts::udev::UdevFacts;
use crate::facts::virtio::VirtioFacts;
use crate::model::ids::{DevNo, KName};
use crate::model::words::words;

words! {
    /// What a block device is, by the driver that made it.
    Kind {
        Disk "disk" "A disk of a driver for hardware or virtio: sd, nvme without multipath, virtio_blk, DASD, Xen.";
        Partition "partition" "A part of a disk; it shares the disk's queue.";
        Dm "dm" "Device-mapper.";
        Md "md" "MD software RAID.";
        Loop "loop" "A file or a device as a disk.";
        NvmeHead "nvme-head" "A namespace behind native NVMe multipath.";
        NvmePath "nvme-path" "One hidden path of such a namespace.";
        Zram "zram" "Compressed memory.";
        Brd "brd" "A RAM disk (`ramN`).";
        Null "null" "null_blk.";
        Nbd "nbd" "Network block device.";
        Ublk "ublk" "A disk served by a process.";
        Pmem "pmem" "Persistent memory.";
        Mmc "mmc" "An SD card or eMMC.";
        Bcache "bcache" "A cached device.";
        Drbd "drbd" "A replicated device.";
        Rbd "rbd" "A Ceph image.";
        Rnbd "rnbd" "RDMA network block device.";
        Other "other" "Anything else.";
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Kind {
    /// Whether its limits come from other block devices.
    pub fn is_stacked(self) -> bool {
        matches!(self, Self::Dm | Self::Md | Self::NvmeHead | Self::Partition)
    }
}

/// A block device as it was found.
#[derive(Debug)]
pub struct BlockDevice {
    /// Its name in `/sys/class/block`.
    pub kname: KName,
    /// Its directory below the root, free of links: `sys/devices/…/block/sda`.
    pub syspath: String,
    /// What it is.
    pub kind: Kind,
    /// The kernel driver that made it, where the name or the path tells.
    pub driver: Option<&'static str>,
    /// Its number; absent for a hidden path.
    pub devno: Reading<DevNo>,
    /// Its size.
    pub size_bytes: Reading<u64>,
    /// Whether the kernel refuses to write to it.
    pub read_only: Reading<bool>,
    /// The permission bits of its node.
    pub node_mode: Reading<u32>,
    /// The SCSI generic node of a disk with its permission bits: commands pass through it as through the disk's own.
    pub sg_node: Option<(String, Reading<u32>)>,
    /// Whether its medium can be taken out.
    pub removable: Reading<bool>,
    /// The number that each disk gets anew when it appears.
    pub diskseq: Reading<u64>,
    /// The disk of a partition.
    pub disk: Option<KName>,
    /// Where a partition begins on its disk.
    pub start_bytes: Reading<u64>,
    /// How far into a disk its first whole physical block begins, in bytes (`alignment_offset`).
    pub alignment_offset: Reading<u64>,
    /// How far into a disk its first whole unit of discard begins, in bytes (`discard_alignment`).
    pub discard_alignment: Reading<u64>,
    /// Devices it stands on; for a multipath head its paths.
    pub slaves: Vec<KName>,
    /// Devices that stand on it.
    pub holders: Vec<KName>,
    /// Its partitions.
    pub partitions: Vec<KName>,
    /// Which of these three could not be listed, and why: an empty list of them says nothing.
    pub unlisted: Vec<(&'static str, Reading<()>)>,
    /// Where it is mounted.
    pub mountpoints: Reading<Vec<String>>,
    /// The limits of its queue; a partition has none of its own.
    pub queue: Rc<QueueLimits>,
    /// What the udev database has of it.
    pub udev: Reading<UdevFacts>,
    /// NVMe facts.
    pub nvme: Option<Box<NvmeFacts>>,
    /// SCSI facts.
    pub scsi: Option<Box<ScsiFacts>>,
    /// Device-mapper facts.
    pub dm: Option<Box<DmFacts>>,
    /// MD facts.
    pub md: Option<Box<MdFacts>>,
    /// Facts of a loop device.
    pub loop_: Option<Box<LoopFacts>>,
    /// virtio-blk facts.
    pub virtio: Option<Box<VirtioFacts>>,
}

impl BlockDevice {
    /// The device as it stands before anything but its place is known.
    pub fn new(kname: KName, syspath: String, kind: Kind, driver: Option<&'static str>) -> Self {
        const LATER: &str = "not needed for what was asked";
        Self {
            kname,
            syspath,
            kind,
            driver,
            devno: Reading::NotAsked(LATER),
            size_bytes: Reading::NotAsked(LATER),
            read_only: Reading::NotAsked(LATER),
            node_mode: Reading::NotAsked(LATER),
            sg_node: None,
            removable: Reading::NotAsked(LATER),
            diskseq: Reading::NotAsked(LATER),
            disk: None,
            start_bytes: Reading::NotAsked(LATER),
            alignment_offset: Reading::NotAsked(LATER),
            discard_alignment: Reading::NotAsked(LATER),
            slaves: Vec::new(),
            holders: Vec::new(),
            partitions: Vec::new(),
            unlisted: Vec::new(),
            mountpoints: Reading::NotAsked(LATER),
            queue: Rc::default(),
            udev: Reading::NotAsked(LATER),
            nvme: None,
            scsi: None,
            dm: None,
            md: None,
            loop_: None,
            virtio: None,
        }
    }

    /// Its directory with the queue limits' files; a partition's are its disk's.
    pub fn queue_path(&self) -> String {
        if self.kind == Kind::Partition {
            format!("/{}/queue", crate::source::files::parent(&self.syspath))
        } else {
            format!("/{}/queue", self.syspath)
        }
    }
}

/// What a name and a place in sysfs say about the driver.
pub fn classify(kname: &str, syspath: &str) -> (Kind, Option<&'static str>) {
    const BY_PREFIX: &[(&str, Kind, &str)] = &[
        ("dm-", Kind::Dm, "device-mapper"),
        ("md", Kind::Md, "md"),
        ("loop", Kind::Loop, "loop"),
        ("zram", Kind::Zram, "zram"),
        ("ram", Kind::Brd, "brd"),
        ("nullb", Kind::Null, "null_blk"),
        ("nbd", Kind::Nbd, "nbd"),
        ("ublkb", Kind::Ublk, "ublk_drv"),
        ("pmem", Kind::Pmem, "nd_pmem"),
        ("mmcblk", Kind::Mmc, "mmcblk"),
        ("bcache", Kind::Bcache, "bcache"),
        ("drbd", Kind::Drbd, "drbd"),
        ("rbd", Kind::Rbd, "rbd"),
        ("rnbd", Kind::Rnbd, "rnbd_client"),
        ("vd", Kind::Disk, "virtio_blk"),
        ("xvd", Kind::Disk, "xen-blkfront"),
        ("dasd", Kind::Disk, "dasd"),
        ("sd", Kind::Disk, "sd"),
        ("sr", Kind::Other, "sr"),
        ("fd", Kind::Other, "floppy"),
        ("zloop", Kind::Other, "zloop"),
    ];
    if kname.starts_with("nvme") {
        let path = syspath.rsplit('/').next().is_some_and(|name| {
            name.strip_prefix("nvme").is_some_and(|rest| {
                rest.trim_start_matches(|c: char| c.is_ascii_digit())
                    .starts_with('c')
            })
        });
        return match () {
            () if path => (Kind::NvmePath, Some("nvme")),
            () if syspath.contains("/nvme-subsystem/") => (Kind::NvmeHead, Some("nvme")),
            () => (Kind::Disk, Some("nvme")),
        };
    }
    BY_PREFIX
        .iter()
        .find(|(prefix, ..)| {
            kname
                .strip_prefix(prefix)
                .is_some_and(|rest| !rest.is_empty())
        })
        .map_or((Kind::Other, None), |(_, kind, driver)| {
            (*kind, Some(*driver))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_tell_the_kind() {
        let kind =
            |name: &str, place: &str| classify(name, &format!("sys/devices/{place}/{name}")).0;
        assert_eq!(
            kind("nvme0n1", "pci0000:00/0000:00:04.0/nvme/nvme0"),
            Kind::Disk
        );
        assert_eq!(
            kind("nvme1n1", "virtual/nvme-subsystem/nvme-subsys1"),
            Kind::NvmeHead
        );
        assert_eq!(
            kind("nvme1c2n1", "pci0000:00/0000:00:05.0/nvme/nvme2"),
            Kind::NvmePath
        );
        assert_eq!(kind("md_d0", "virtual/block"), Kind::Md);
        assert_eq!(kind("ram0", "virtual/block"), Kind::Brd);
        assert_eq!(kind("zram0", "virtual/block"), Kind::Zram);
        assert_eq!(kind("cciss!c0d0", "pci0000:00/x"), Kind::Other);
        assert_eq!(kind("sd", "virtual/block"), Kind::Other);
    }
}
