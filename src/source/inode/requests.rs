//! The requests that tell of a file or its filesystem: they only read, and any open descriptor will do.

use std::fmt::Write;

use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::ioctl::{Opcode, opcode};

use crate::source::ioctl::call::call;

/// `struct fsxattr` (include/uapi/linux/fs.h).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FsXattr {
    /// `FS_XFLAG_*` bits.
    pub xflags: u32,
    /// Extent size hint in bytes.
    pub extsize: u32,
    /// Number of extents.
    pub nextents: u32,
    /// Project.
    pub projid: u32,
    /// Extent size hint for copies on write, in bytes.
    pub cowextsize: u32,
    pad: [u8; 8],
}

impl FsXattr {
    /// `FS_XFLAG_REALTIME`: data lies on the realtime device.
    pub const REALTIME: u32 = 0x1;
    /// `FS_XFLAG_RTINHERIT`: new files of this directory will.
    pub const RTINHERIT: u32 = 0x100;

    /// With these flags alone.
    pub fn with_xflags(xflags: u32) -> Self {
        Self {
            xflags,
            ..Self::default()
        }
    }
}

const FSGETXATTR: Opcode = opcode::read::<FsXattr>(b'X', 31);

/// `struct xfs_fsop_geom` (libxfs/xfs_fs.h), version 5; the fields that a rule rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct XfsGeometry {
    /// Bytes in a block.
    pub blocksize: u32,
    /// Blocks in a realtime extent.
    pub rtextsize: u32,
    /// Blocks of the realtime section; 0 without one.
    pub rtblocks: u64,
    /// Where the log begins; 0 is on a device of its own.
    pub logstart: u64,
    /// `XFS_FSOP_GEOM_FLAGS_*`.
    pub flags: u32,
    /// Where the realtime section begins on the data device; 0 where it has a device of its own (since 6.15).
    pub rtstart: u64,
}

impl XfsGeometry {
    /// `XFS_FSOP_GEOM_FLAGS_REFLINK`.
    pub const REFLINK: u32 = 1 << 20;
    /// `XFS_FSOP_GEOM_FLAGS_ZONED` (since 6.15).
    pub const ZONED: u32 = 1 << 27;

    /// Whether a flag is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

/// Words of 32 bits: every field of the structure begins on one.
#[repr(C, align(8))]
struct Words<const N: usize>([u32; N]);

const FSGEOMETRY: Opcode = opcode::read::<Words<64>>(b'X', 126);
const BTRFS_FS_INFO: Opcode = opcode::read::<Words<256>>(0x94, 31);

const BTRFS_GET_SUBVOL_INFO: Opcode = opcode::read::<Words<126>>(0x94, 60);

pub(super) fn xattr(fd: impl AsFd) -> Result<FsXattr, Errno> {
    let mut found = FsXattr::default();
    // SAFETY: the request fills a `struct fsxattr`, which `FsXattr` is, and holds no address.
    unsafe { call(fd, FSGETXATTR, &mut found) }?;
    Ok(found)
}

pub(super) fn xfs_geometry(fd: impl AsFd) -> Result<XfsGeometry, Errno> {
    let mut found = Words([0; 64]);
    // SAFETY: the request fills the 256 bytes of `struct xfs_fsop_geom`, and holds no address.
    unsafe { call(fd, FSGEOMETRY, &mut found) }?;
    Ok(geometry(&found.0))
}

/// The places are those of the structure, in words: blocksize 0, rtextsize 1, rtblocks 10, logstart 14, flags 23,
/// rtstart 32.
fn geometry(words: &[u32; 64]) -> XfsGeometry {
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let long = |at: usize| {
        let (low, high) = (u64::from(word(at)), u64::from(word(at + 1)));
        if cfg!(target_endian = "little") {
            low | high << 32
        } else {
            low << 32 | high
        }
    };
    XfsGeometry {
        blocksize: word(0),
        rtextsize: word(1),
        rtblocks: long(10),
        logstart: long(14),
        flags: word(23),
        rtstart: long(32),
    }
}

pub(super) fn btrfs_fsid(fd: impl AsFd) -> Result<String, Errno> {
    let mut found = Words([0; 256]);
    // SAFETY: the request fills the 1024 bytes of `struct btrfs_ioctl_fs_info_args`, and holds no address. Its
    // `flags` are 0: nothing is asked for beyond the first fields.
    unsafe { call(fd, BTRFS_FS_INFO, &mut found) }?;
    // max_id and num_devices are 64 bits each; the UUID follows.
    let bytes: Vec<u8> = found
        .0
        .iter()
        .skip(4)
        .take(4)
        .flat_map(|word| word.to_ne_bytes())
        .collect();
    Ok(uuid(&bytes))
}

/// `BTRFS_IOC_GET_SUBVOL_INFO` (since 4.18) answers for any inode of the subvolume and for any user;
/// `BTRFS_IOC_SUBVOL_GETFLAGS` for the subvolume's own directory alone.
pub(super) fn btrfs_subvolume_is_readonly(fd: impl AsFd) -> Result<bool, Errno> {
    let mut found = Words([0; 126]);
    // SAFETY: the request fills the 504 bytes of `struct btrfs_ioctl_get_subvol_info_args`, and holds no address.
    unsafe { call(fd, BTRFS_GET_SUBVOL_INFO, &mut found) }?;
    Ok(is_readonly(&found.0))
}

/// `flags` stand after treeid, a name of 256 bytes, parent_id, dirid and generation: 64 bits from word 72 on. Bit 0 is
/// `BTRFS_ROOT_SUBVOL_RDONLY`.
fn is_readonly(words: &[u32; 126]) -> bool {
    let low = if cfg!(target_endian = "little") {
        72
    } else {
        73
    };
    words.get(low).is_some_and(|flags| flags & 1 != 0)
}

fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_numbers_of_the_headers() {
        assert_eq!(FSGETXATTR, 0x801c_581f);
        assert_eq!(FSGEOMETRY, 0x8100_587e);
        assert_eq!(BTRFS_FS_INFO, 0x8400_941f);
        assert_eq!(BTRFS_GET_SUBVOL_INFO, 0x81f8_943c);
    }

    #[test]
    fn geometry_stands_where_the_structure_has_it() {
        let mut words = [0; 64];
        for (at, value) in [
            (0, 4096),
            (1, 16),
            (10, 7),
            (14, 8),
            (23, XfsGeometry::ZONED),
            (32, 9),
        ] {
            words[at] = value;
        }
        let found = geometry(&words);
        let XfsGeometry {
            blocksize,
            rtextsize,
            rtblocks,
            logstart,
            rtstart,
            ..
        } = found;
        assert_eq!((blocksize, rtextsize), (4096, 16));
        if cfg!(target_endian = "little") {
            assert_eq!((rtblocks, logstart, rtstart), (7, 8, 9));
        }
        assert!(found.has(XfsGeometry::ZONED) && !found.has(XfsGeometry::REFLINK));
    }

    #[test]
    fn a_uuid_reads_as_sysfs_names_it() {
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(uuid(&bytes), "00010203-0405-0607-0809-0a0b0c0d0e0f");
    }
    #[test]
    fn a_subvolume_is_read_only_by_bit_0_of_its_flags() {
        let mut words = [0; 126];
        assert!(!is_readonly(&words));
        words[if cfg!(target_endian = "little") {
            72
        } else {
            73
        }] = 1;
        assert!(is_readonly(&words));
    }
}
