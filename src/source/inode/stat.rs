//! statx(2): a field is there only where the kernel's mask says that it filled it in.

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, StatxFlags, statx};
use rustix::io::Errno;

use super::NodeType;

/// `STATX_SUBVOL` (since 6.10).
const SUBVOL: u32 = 0x8000;
/// `STATX_WRITE_ATOMIC` (since 6.11).
const WRITE_ATOMIC: u32 = 0x1_0000;
/// `STATX_DIO_READ_ALIGN` (since 6.14).
const DIO_READ_ALIGN: u32 = 0x2_0000;

bitflags::bitflags! {
    /// `STATX_ATTR_*` (include/uapi/linux/stat.h).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Attributes: u64 {
        /// Compressed by the filesystem.
        const COMPRESSED = 0x4;
        /// Cannot be changed.
        const IMMUTABLE = 0x10;
        /// Can only grow at its end.
        const APPEND = 0x20;
        /// Left out of backups.
        const NODUMP = 0x40;
        /// Needs a key.
        const ENCRYPTED = 0x800;
        /// A mount is made on access.
        const AUTOMOUNT = 0x1000;
        /// The root of a mount.
        const MOUNT_ROOT = 0x2000;
        /// Protected by fs-verity.
        const VERITY = 0x10_0000;
        /// Mapped without a page cache.
        const DAX = 0x20_0000;
        /// Untorn writes are possible.
        const WRITE_ATOMIC = 0x40_0000;
    }
}

impl Attributes {
    /// The names of the bits that are set, in small letters.
    pub fn words(self) -> Vec<String> {
        self.iter_names()
            .map(|(name, _)| name.to_lowercase().replace('_', "-"))
            .collect()
    }
}

/// What statx(2) says of an inode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// The fields that were filled in.
    pub mask: u32,
    /// What it is.
    pub node: NodeType,
    /// Its attributes.
    pub attributes: Attributes,
    /// Names that it has; 0 of a directory that was removed.
    pub nlink: u32,
    /// Inode number.
    pub ino: u64,
    /// The filesystem's device number; for btrfs and overlayfs an anonymous one.
    pub dev: (u32, u32),
    /// The device's own number, of a node.
    pub rdev: (u32, u32),
    /// Size in bytes.
    pub size_bytes: u64,
    /// Space allocated to it, in bytes.
    pub allocated_bytes: u64,
    /// Preferred I/O size in bytes.
    pub blksize: u32,
    /// Mount id, column 1 of mountinfo (since 5.8).
    pub mnt_id: Option<u64>,
    /// Alignment of memory and of offsets for direct I/O in bytes; 0 is none possible (since 6.1).
    pub dio_align: Option<(u32, u32)>,
    /// Alignment of offsets for direct reads in bytes (since 6.14).
    pub dio_read_offset_align: Option<u32>,
    /// Subvolume (since 6.10).
    pub subvol: Option<u64>,
    /// Smallest, largest and best largest untorn write in bytes, and segments; 0 is none possible (since 6.11).
    pub atomic_write: Option<[u32; 4]>,
}

impl Stat {
    pub(super) fn of(fd: &OwnedFd) -> Result<Self, Errno> {
        // Asking for the unique mount id beside this one would replace it, and mountinfo has not got that.
        let mask = StatxFlags::BASIC_STATS
            | StatxFlags::BTIME
            | StatxFlags::MNT_ID
            | StatxFlags::DIOALIGN
            | StatxFlags::from_bits_retain(SUBVOL | WRITE_ATOMIC | DIO_READ_ALIGN);
        let raw = statx(fd, "", AtFlags::EMPTY_PATH, mask)?;
        let mask = raw.stx_mask;
        let filled = |bit: u32| mask & bit == bit;
        Ok(Self {
            mask,
            node: NodeType::of(u32::from(raw.stx_mode)),
            attributes: Attributes::from_bits_retain(raw.stx_attributes.bits()),
            nlink: raw.stx_nlink,
            ino: raw.stx_ino,
            dev: (raw.stx_dev_major, raw.stx_dev_minor),
            rdev: (raw.stx_rdev_major, raw.stx_rdev_minor),
            size_bytes: raw.stx_size,
            allocated_bytes: raw.stx_blocks.saturating_mul(512),
            blksize: raw.stx_blksize,
            mnt_id: filled(StatxFlags::MNT_ID.bits()).then_some(raw.stx_mnt_id),
            dio_align: filled(StatxFlags::DIOALIGN.bits())
                .then_some((raw.stx_dio_mem_align, raw.stx_dio_offset_align)),
            dio_read_offset_align: filled(DIO_READ_ALIGN).then_some(raw.stx_dio_read_offset_align),
            subvol: filled(SUBVOL).then_some(raw.stx_subvol),
            atomic_write: filled(WRITE_ATOMIC).then_some([
                raw.stx_atomic_write_unit_min,
                raw.stx_atomic_write_unit_max,
                raw.stx_atomic_write_unit_max_opt,
                raw.stx_atomic_write_segments_max,
            ]),
        })
    }
}
