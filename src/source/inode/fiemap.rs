//! `FS_IOC_FIEMAP` (Documentation/filesystems/fiemap.rst): a file's extents, some at a time.

use rustix::fd::AsFd;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use rustix::ioctl::Opcode;

use crate::source::ioctl::call::call;

bitflags::bitflags! {
    /// `FIEMAP_EXTENT_*` (include/uapi/linux/fiemap.h).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ExtentFlags: u32 {
        /// The last one.
        const LAST = 0x1;
        /// Where it lies is not known.
        const UNKNOWN = 0x2;
        /// It has no place yet.
        const DELALLOC = 0x4;
        /// Its bytes on the device are not those of the file: compressed or encrypted.
        const ENCODED = 0x8;
        /// Encrypted by the filesystem.
        const DATA_ENCRYPTED = 0x80;
        /// It may begin within a block.
        const NOT_ALIGNED = 0x100;
        /// It lies among metadata.
        const DATA_INLINE = 0x200;
        /// It shares a block with other files.
        const DATA_TAIL = 0x400;
        /// Allocated, reads as zeroes, and the first write must convert it.
        const UNWRITTEN = 0x800;
        /// Made up of neighbouring blocks.
        const MERGED = 0x1000;
        /// Other files have it too.
        const SHARED = 0x2000;
    }
}

impl ExtentFlags {
    /// The names of the bits that are set, as filefrag writes them.
    pub fn words(self) -> Vec<String> {
        self.iter_names()
            .map(|(name, _)| name.to_lowercase().replace("data_", ""))
            .collect()
    }
}

/// `struct fiemap_extent`, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Offset in the file.
    pub logical: u64,
    /// Offset in the filesystem's own address space; on btrfs that is no device's.
    pub physical: u64,
    /// Length.
    pub length: u64,
    /// What it is.
    pub flags: ExtentFlags,
}

/// A stretch of a file as lseek(2) tells data from holes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Offset in the file.
    pub start: u64,
    /// Length.
    pub length: u64,
    /// Whether it has data.
    pub data: bool,
}

const BATCH: usize = 256;
/// `_IOWR('f', 11, struct fiemap)`: the number counts the head alone.
const FIEMAP: Opcode = 0xc020_660b;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

#[repr(C)]
struct Raw {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    extents: [RawExtent; BATCH],
}

const _: () = assert!(size_of::<RawExtent>() == 56 && size_of::<Raw>() == 32 + 56 * BATCH);

pub(super) fn extents(fd: impl AsFd) -> Result<Vec<Extent>, Errno> {
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        let batch = batch(&fd, start)?;
        let Some(last) = batch.last().copied() else {
            return Ok(found);
        };
        found.extend(batch);
        let next = last.logical.saturating_add(last.length);
        // A filesystem that gives the same extent again would keep this going for ever.
        if last.flags.contains(ExtentFlags::LAST) || next <= start {
            return Ok(found);
        }
        start = next;
    }
}

fn batch(fd: impl AsFd, start: u64) -> Result<Vec<Extent>, Errno> {
    let mut raw = Box::new(Raw {
        start,
        length: u64::MAX - start,
        // Not FIEMAP_FLAG_SYNC, which would write.
        flags: 0,
        mapped: 0,
        count: u32::try_from(BATCH).unwrap_or(0),
        reserved: 0,
        extents: [RawExtent::default(); BATCH],
    });
    // SAFETY: the request takes a `struct fiemap` with `count` extents behind it, which `Raw` is, and holds no
    // address.
    unsafe { call(fd, FIEMAP, &mut *raw) }?;
    let mapped = usize::try_from(raw.mapped).unwrap_or(BATCH).min(BATCH);
    Ok(raw.extents.iter().take(mapped).map(extent).collect())
}

fn extent(raw: &RawExtent) -> Extent {
    Extent {
        logical: raw.logical,
        physical: raw.physical,
        length: raw.length,
        flags: ExtentFlags::from_bits_retain(raw.flags),
    }
}

pub(super) fn segments(fd: impl AsFd, size: u64) -> Result<Vec<Segment>, Errno> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < size {
        let data = match seek(&fd, SeekFrom::Data(at)) {
            // No data from here on.
            Err(Errno::NXIO) => size,
            other => other?,
        };
        push(&mut found, at, data.min(size), false);
        if data >= size {
            break;
        }
        let hole = seek(&fd, SeekFrom::Hole(data))?.min(size);
        push(&mut found, data, hole, true);
        if hole <= at {
            break;
        }
        at = hole;
    }
    Ok(found)
}

fn push(found: &mut Vec<Segment>, start: u64, end: u64, data: bool) {
    if end > start {
        found.push(Segment {
            start,
            length: end - start,
            data,
        });
    }
}
