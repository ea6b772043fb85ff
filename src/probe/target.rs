//! What is to be probed, as far as it matters to a plan.

use std::path::PathBuf;

use super::known_bad::Bad;
use super::uses::Use;

/// A directory for a scratch file, or a device.
#[derive(Debug)]
pub enum Target {
    /// A file of the probe's own in a directory.
    Scratch(Box<ScratchDir>),
    /// A disk or a partition.
    Device(Box<Device>),
}

impl Target {
    /// As messages name it.
    pub fn shown(&self) -> String {
        match self {
            Self::Scratch(dir) => dir.path.display().to_string(),
            Self::Device(device) => device.kname.clone(),
        }
    }

    /// The device, where it is one.
    pub fn device(&self) -> Option<&Device> {
        match self {
            Self::Device(device) => Some(device),
            Self::Scratch(_) => None,
        }
    }
}

/// A directory.
#[derive(Debug, Clone)]
pub struct ScratchDir {
    /// The directory.
    pub path: PathBuf,
    /// The device that holds its filesystem, where there is exactly one.
    pub kname: Option<String>,
    /// Bytes that an ordinary user may still write.
    pub free_bytes: u64,
    /// What offsets and lengths are multiples of.
    pub block: u64,
    /// The row of the list of devices known to hang, of any that the filesystem stands on.
    pub bad: Option<&'static Bad>,
}

/// The limits of a queue that a probe rests on; `None` where the kernel has no such file or none was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// `write_zeroes_max_bytes`.
    pub write_zeroes_max_bytes: Option<u64>,
    /// `write_zeroes_unmap_max_hw_bytes`.
    pub write_zeroes_unmap_max_hw_bytes: Option<u64>,
    /// `write_zeroes_unmap_max_bytes`.
    pub write_zeroes_unmap_max_bytes: Option<u64>,
    /// `discard_max_bytes`.
    pub discard_max_bytes: Option<u64>,
    /// `discard_granularity`.
    pub discard_granularity: Option<u64>,
    /// `max_sectors_kb`.
    pub max_sectors_kb: Option<u64>,
    /// `max_hw_sectors_kb`.
    pub max_hw_sectors_kb: Option<u64>,
}

/// A device or a partition.
#[derive(Debug, Clone)]
pub struct Device {
    /// Its kernel name.
    pub kname: String,
    /// Its directory in sysfs, from `sys/` on.
    pub syspath: String,
    /// Its node.
    pub node: String,
    /// Its number.
    pub devno: (u32, u32),
    /// The disk that it is a partition of, or itself.
    pub disk: String,
    /// Directory of the disk, which has the queue.
    pub disk_syspath: String,
    /// Where it begins on the disk.
    pub start_bytes: u64,
    /// Its size.
    pub size_bytes: u64,
    /// Logical block size.
    pub logical_block: u64,
    /// What offsets and lengths are multiples of: the logical block size.
    pub block: u64,
    /// The driver.
    pub driver: Option<&'static str>,
    /// The kind, by the word of every output.
    pub kind: &'static str,
    /// The number that the disk got when it appeared.
    pub diskseq: Option<u64>,
    /// What a confirmation must name.
    pub identity: String,
    /// Whether the identity outlasts the device's removal.
    pub identity_lasts: bool,
    /// Whether the kernel refuses to write.
    pub read_only: bool,
    /// Zones that must be written in order.
    pub zoned: bool,
    /// Queue limits.
    pub limits: Limits,
    /// Who uses it.
    pub uses: Vec<Use>,
    /// The row of the list of devices known to hang.
    pub bad: Option<&'static Bad>,
    /// Namespace id and controllers, where it is an NVMe namespace.
    pub nvme: Option<Nvme>,
    /// Where it is a SCSI disk.
    pub scsi: Option<Scsi>,
    /// The legs of a multipath map.
    pub legs: Vec<Leg>,
    /// The running kernel, where its release tells.
    pub kernel: Option<(u32, u32)>,
    /// A loop device's backing file.
    pub backing_file: Option<String>,
    /// The one thin volume that it is, or stands on.
    pub thin: Option<Thin>,
}

/// A thin volume and its pool, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thin {
    /// The volume.
    pub volume: (u32, u32),
    /// Its pool.
    pub pool: (u32, u32),
}

/// An NVMe namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nvme {
    /// Namespace id.
    pub nsid: u32,
    /// ONCS bit 3: Write Zeroes.
    pub write_zeroes: Option<bool>,
    /// DLFEAT, raw.
    pub dlfeat: Option<u8>,
    /// Why the kernel never sends Write Zeroes to it, or why that is not known.
    pub turned_off: Option<String>,
}

/// A SCSI disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scsi {
    /// WRITE SAME (16): what REPORT SUPPORTED OPERATION CODES says; `None` where it was not answered.
    pub write_same_16: Option<bool>,
    /// WRITE SAME (10).
    pub write_same_10: Option<bool>,
    /// LBPWS of VPD page B2h: UNMAP in WRITE SAME (16).
    pub lbpws: Option<bool>,
    /// LBPWS10 of VPD page B2h: UNMAP in WRITE SAME (10).
    pub lbpws10: Option<bool>,
    /// Whether WRITE SAME (16) evaluates NDOB.
    pub ndob: Option<bool>,
    /// MAXIMUM WRITE SAME LENGTH in blocks, 0 where not said.
    pub max_blocks: u64,
}

/// One leg of a multipath map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// Its kernel name.
    pub kname: String,
    /// The node that takes its commands.
    pub node: Option<String>,
    /// The node's number.
    pub devno: (u32, u32),
    /// Why it takes none.
    pub skip: Option<String>,
    /// Where the map begins on it.
    pub start_bytes: u64,
}

#[cfg(test)]
pub(super) mod fixtures {
    use super::*;

    /// A disk of a size that nothing else is known of.
    pub(in super::super) fn disk(size_bytes: u64) -> Device {
        Device {
            kname: "sdz".to_owned(),
            syspath: "sys/devices/sdz".to_owned(),
            node: "/dev/sdz".to_owned(),
            devno: (8, 400),
            disk: "sdz".to_owned(),
            disk_syspath: "sys/devices/sdz".to_owned(),
            start_bytes: 0,
            size_bytes,
            logical_block: 512,
            block: 512,
            driver: Some("sd"),
            kind: "disk",
            diskseq: Some(9),
            identity: "sdz.diskseq-9".to_owned(),
            identity_lasts: false,
            read_only: false,
            zoned: false,
            limits: Limits::default(),
            uses: Vec::new(),
            bad: None,
            nvme: None,
            scsi: None,
            legs: Vec::new(),
            kernel: Some((7, 3)),
            backing_file: None,
            thin: None,
        }
    }
}
