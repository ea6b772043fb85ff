//! Requests and replies of the device-mapper ioctls (include/uapi/linux/dm-ioctl.h, 4.x).
//!
//! Pure: it fills and reads the buffer that `source::ioctl::dm` hands to the kernel. The integers
//! are in the byte order of the running machine, as that buffer never leaves it.

use std::mem::offset_of;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// One target of a table: what it maps, and its table or status text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DmLine {
    /// First sector of the dm device, in 512-byte sectors.
    pub start: u64,
    /// Length in 512-byte sectors.
    pub length: u64,
    /// Target type: "linear", "crypt".
    pub target: String,
    /// The target's text, words separated by one space.
    pub params: String,
}

/// A target type that the kernel has loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DmTargetVersion {
    /// Target type: "linear", "crypt".
    pub name: String,
    /// Its version.
    pub version: [u32; 3],
}

bitflags::bitflags! {
    /// Flags of `struct dm_ioctl`: those that the requests here set, and those that say in what
    /// state a device is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct DmFlags: u32 {
        /// The device is read-only.
        const READONLY = 1 << 0;
        /// The device is suspended: a command sent to it waits.
        const SUSPEND = 1 << 1;
        /// In: the table is asked for, not the status.
        const STATUS_TABLE = 1 << 4;
        /// There is an active table.
        const ACTIVE_PRESENT = 1 << 5;
        /// There is a loaded table that is not active yet.
        const INACTIVE_PRESENT = 1 << 6;
        /// Out: the buffer was too small.
        const BUFFER_FULL = 1 << 8;
        /// In: without it the status of thin-pool, cache and clone commits metadata first, which
        /// writes.
        const NOFLUSH = 1 << 11;
        /// In: the kernel wipes its copy of the buffer, which may hold keys.
        const SECURE_DATA = 1 << 15;
        /// The device goes away when its last user closes it.
        const DEFERRED_REMOVE = 1 << 17;
        /// The kernel itself suspended the device.
        const INTERNAL_SUSPEND = 1 << 18;
    }
}

impl DmFlags {
    /// The flags that describe the device, and not the request.
    pub const STATE: Self = Self::READONLY
        .union(Self::SUSPEND)
        .union(Self::ACTIVE_PRESENT)
        .union(Self::INACTIVE_PRESENT)
        .union(Self::DEFERRED_REMOVE)
        .union(Self::INTERNAL_SUSPEND);
}

/// `struct dm_ioctl`.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Header {
    /// Interface version: the one a request needs, then the kernel's.
    pub version: [u32; 3],
    /// Length of the whole buffer.
    pub data_size: u32,
    /// Where the data begin, from the start of the buffer.
    pub data_start: u32,
    /// How many targets follow.
    pub target_count: u32,
    /// How often the device is open.
    pub open_count: i32,
    /// [`DmFlags`].
    pub flags: u32,
    /// How many events the device has seen.
    pub event_nr: u32,
    padding: u32,
    /// Device number (`huge_encode_dev`).
    pub dev: u64,
    name: [u8; 128],
    uuid: [u8; 129],
    data: [u8; 7],
}

/// Length of `struct dm_ioctl`.
pub const HEADER_LEN: u32 = 312;

const _: () = assert!(size_of::<Header>() == 312);
const _: () = assert!(offset_of!(Header, flags) == 28);
const _: () = assert!(offset_of!(Header, dev) == 40);
const _: () = assert!(offset_of!(Header, uuid) == 176);

/// `struct dm_target_spec`.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct TargetSpec {
    sector_start: u64,
    length: u64,
    status: i32,
    next: u32,
    target_type: [u8; 16],
}

const _: () = assert!(size_of::<TargetSpec>() == 40);
const _: () = assert!(offset_of!(TargetSpec, next) == 20);

/// One of the requests that are sent. Each of them only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// DM_VERSION.
    Version,
    /// DM_TABLE_DEPS.
    TableDeps,
    /// DM_TABLE_STATUS.
    TableStatus,
    /// DM_LIST_VERSIONS.
    ListVersions,
}

impl Request {
    /// The name in the kernel's header.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Version => "DM_VERSION",
            Self::TableDeps => "DM_TABLE_DEPS",
            Self::TableStatus => "DM_TABLE_STATUS",
            Self::ListVersions => "DM_LIST_VERSIONS",
        }
    }

    /// The command number.
    pub const fn number(self) -> u8 {
        match self {
            Self::Version => 0,
            Self::TableDeps => 11,
            Self::TableStatus => 12,
            Self::ListVersions => 13,
        }
    }

    /// The lowest interface version that has it.
    pub const fn since(self) -> [u32; 3] {
        match self {
            Self::Version | Self::TableDeps | Self::TableStatus => [4, 0, 0],
            Self::ListVersions => [4, 1, 0],
        }
    }

    /// The header that asks for it, in a buffer of `data_size` bytes.
    pub fn header(self, devno: Option<(u32, u32)>, flags: DmFlags, data_size: u32) -> Header {
        Header {
            version: self.since(),
            data_size,
            data_start: HEADER_LEN,
            target_count: 0,
            open_count: 0,
            flags: flags.bits(),
            event_nr: 0,
            padding: 0,
            dev: devno.map_or(0, encode_dev),
            name: [0; 128],
            uuid: [0; 129],
            data: [0; 7],
        }
    }
}

/// What is wrong with a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// The header says the data begin where they can't.
    #[error("the data begin at byte {0}, outside the buffer")]
    Start(u32),
    /// An entry begins or ends outside the data.
    #[error("entry {entry} at byte {offset} reaches past the end of the data")]
    Outside {
        /// Which entry, from 0.
        entry: usize,
        /// Where it begins, from the start of the data.
        offset: usize,
    },
    /// An entry points back, so that the list would never end.
    #[error("entry {entry} points back to byte {next}")]
    Backwards {
        /// Which entry, from 0.
        entry: usize,
        /// Where it points.
        next: usize,
    },
    /// A text has no end.
    #[error("the text of entry {entry} does not end")]
    Unterminated {
        /// Which entry, from 0.
        entry: usize,
    },
}

/// `huge_encode_dev` (include/linux/kdev_t.h): 12 bits of major, 20 of minor.
pub fn encode_dev((major, minor): (u32, u32)) -> u64 {
    let (major, minor) = (u64::from(major), u64::from(minor));
    (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12)
}

/// `huge_decode_dev`.
pub fn decode_dev(dev: u64) -> (u32, u32) {
    let low = u32::try_from(dev & 0xffff_ffff).unwrap_or_default();
    (
        (low & 0x000f_ff00) >> 8,
        (low & 0xff) | ((low >> 12) & 0x000f_ff00),
    )
}

/// The header of a reply.
pub fn header(buffer: &[u8]) -> Result<Header, ReplyError> {
    Header::read_from_prefix(buffer)
        .map(|(header, _)| header)
        .map_err(|_| ReplyError::Start(0))
}

/// The part of the buffer behind the header.
fn data(buffer: &[u8]) -> Result<(Header, &[u8]), ReplyError> {
    let header = header(buffer)?;
    let start = usize::try_from(header.data_start).unwrap_or(usize::MAX);
    let size = usize::try_from(header.data_size)
        .unwrap_or(usize::MAX)
        .min(buffer.len());
    if start < size_of::<Header>() {
        return Err(ReplyError::Start(header.data_start));
    }
    let data = buffer
        .get(start..size)
        .ok_or(ReplyError::Start(header.data_start))?;
    Ok((header, data))
}

/// The targets in the answer to DM_TABLE_STATUS. Each text goes through `clean` (which hides keys
/// or leaves out counters) while it is still in the kernel's buffer.
pub fn targets(
    buffer: &[u8],
    clean: impl Fn(&str, &str) -> String,
) -> Result<Vec<DmLine>, ReplyError> {
    let (header, data) = data(buffer)?;
    let count = usize::try_from(header.target_count).unwrap_or(usize::MAX);
    let mut lines = Vec::new();
    let mut offset = 0;
    for entry in 0..count {
        let outside = ReplyError::Outside { entry, offset };
        let tail = data.get(offset..).ok_or(outside)?;
        let (spec, rest) = TargetSpec::read_from_prefix(tail).map_err(|_| outside)?;
        let target = lossy(
            spec.target_type
                .split(|byte| *byte == 0)
                .next()
                .unwrap_or_default(),
        );
        let params = lossy(text(rest, entry)?);
        let params = clean(&target, &params);
        lines.push(DmLine {
            start: spec.sector_start,
            length: spec.length,
            target,
            params,
        });
        // From the start of the first entry, unlike in a table that is loaded.
        let next = usize::try_from(spec.next).unwrap_or(usize::MAX);
        if next <= offset && entry + 1 < count {
            return Err(ReplyError::Backwards { entry, next });
        }
        offset = next;
    }
    Ok(lines)
}

/// The devices in the answer to DM_TABLE_DEPS (`struct dm_target_deps`).
pub fn deps(buffer: &[u8]) -> Result<Vec<(u32, u32)>, ReplyError> {
    let (_, data) = data(buffer)?;
    let outside = ReplyError::Outside {
        entry: 0,
        offset: 0,
    };
    let (count, rest) = u32::read_from_prefix(data).map_err(|_| outside)?;
    let rest = rest.get(4..).ok_or(outside)?;
    let mut numbers = rest.chunks_exact(8);
    let mut devices = Vec::new();
    for entry in 0..usize::try_from(count).unwrap_or(usize::MAX) {
        let outside = ReplyError::Outside {
            entry,
            offset: 8 + 8 * entry,
        };
        let bytes = numbers.next().ok_or(outside)?;
        let dev = u64::read_from_bytes(bytes).map_err(|_| outside)?;
        devices.push(decode_dev(dev));
    }
    Ok(devices)
}

/// The target types in the answer to DM_LIST_VERSIONS (`struct dm_target_versions`), by name.
pub fn target_versions(buffer: &[u8]) -> Result<Vec<DmTargetVersion>, ReplyError> {
    let (_, data) = data(buffer)?;
    let mut found = Vec::new();
    if data.is_empty() {
        return Ok(found);
    }
    let mut offset = 0_usize;
    for entry in 0.. {
        let outside = ReplyError::Outside { entry, offset };
        let tail = data.get(offset..).ok_or(outside)?;
        let ([next, major, minor, patch], rest) =
            <[u32; 4]>::read_from_prefix(tail).map_err(|_| outside)?;
        let name = lossy(text(rest, entry)?);
        found.push(DmTargetVersion {
            name,
            version: [major, minor, patch],
        });
        if next == 0 {
            break;
        }
        // From the start of this entry.
        let next = usize::try_from(next).unwrap_or(usize::MAX);
        offset = offset.checked_add(next).ok_or(outside)?;
    }
    found.sort_by(|one, other| (&one.name, one.version).cmp(&(&other.name, other.version)));
    Ok(found)
}

fn text(bytes: &[u8], entry: usize) -> Result<&[u8], ReplyError> {
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .ok_or(ReplyError::Unterminated { entry })?;
    Ok(bytes.get(..end).unwrap_or_default())
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
