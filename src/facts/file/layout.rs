//! The extents that a file has now, counted.

use rustix::io::Errno;

use crate::facts::reading::Reading;
use crate::source::inode::{Extent, ExtentFlags, Inode, Segment};

/// How the extents were found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// `FS_IOC_FIEMAP`.
    Fiemap,
    /// lseek(2) with `SEEK_DATA` and `SEEK_HOLE`, which cannot tell unwritten extents from holes.
    Seek,
}

/// How many, and how many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Tally {
    /// How many extents.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Tally {
    fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// A file's extents, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// How they were found out.
    pub method: Method,
    /// Allocated and written: an overwrite changes no metadata, on filesystems that write in place.
    pub written: Tally,
    /// Allocated, read as zeroes: the first write must convert them.
    pub unwritten: Tally,
    /// Of the written ones: other files have them too, and an overwrite must copy.
    pub shared: Tally,
    /// Of the written ones: compressed or encrypted.
    pub encoded: Tally,
    /// Data that lies among metadata.
    pub inline: Tally,
    /// Data that has no place on the device yet.
    pub delayed: Tally,
    /// Bytes within the file's size that no extent covers.
    pub hole_bytes: u64,
}

impl Layout {
    fn empty(method: Method) -> Self {
        let none = Tally::default();
        Self {
            method,
            written: none,
            unwritten: none,
            shared: none,
            encoded: none,
            inline: none,
            delayed: none,
            hole_bytes: 0,
        }
    }

    /// From FIEMAP.
    pub fn of_extents(extents: &[Extent], size: u64) -> Self {
        let mut layout = Self::empty(Method::Fiemap);
        let mut covered = 0u64;
        for extent in extents {
            let end = extent.logical.saturating_add(extent.length).min(size);
            covered = covered.saturating_add(end.saturating_sub(extent.logical));
            let has = |flag: ExtentFlags| extent.flags.contains(flag);
            if has(ExtentFlags::DATA_INLINE) || has(ExtentFlags::DATA_TAIL) {
                layout.inline.add(extent.length);
            } else if has(ExtentFlags::UNWRITTEN) {
                layout.unwritten.add(extent.length);
            } else if has(ExtentFlags::DELALLOC) {
                layout.delayed.add(extent.length);
            } else {
                layout.written.add(extent.length);
                if has(ExtentFlags::SHARED) {
                    layout.shared.add(extent.length);
                }
                if has(ExtentFlags::ENCODED) || has(ExtentFlags::DATA_ENCRYPTED) {
                    layout.encoded.add(extent.length);
                }
            }
        }
        layout.hole_bytes = size.saturating_sub(covered);
        layout
    }

    /// From lseek(2): what reads as a hole may be preallocated.
    pub fn of_segments(segments: &[Segment]) -> Self {
        let mut layout = Self::empty(Method::Seek);
        for segment in segments {
            if segment.data {
                layout.written.add(segment.length);
            } else {
                layout.hole_bytes = layout.hole_bytes.saturating_add(segment.length);
            }
        }
        layout
    }

    /// Whether each byte of a file that is not empty lies in a written extent that is its own.
    pub fn all_written(&self) -> bool {
        let others = [self.unwritten, self.inline, self.delayed, self.shared];
        self.written.count > 0
            && self.hole_bytes == 0
            && others.iter().all(|tally| tally.count == 0)
    }
}

/// Reads it, by lseek(2) where the filesystem has no FIEMAP.
pub(super) fn of(inode: &Inode) -> Reading<Layout> {
    match inode.extents() {
        Ok(extents) => Reading::Present(Layout::of_extents(&extents, inode.stat.size_bytes)),
        Err(Errno::OPNOTSUPP | Errno::NOTTY) => {
            Reading::from(inode.segments()).map(|segments| Layout::of_segments(&segments))
        }
        Err(error) => Reading::from_errno(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn extent(logical: u64, length: u64, flags: ExtentFlags) -> Extent {
        Extent {
            logical,
            physical: logical + 7 * MIB,
            length,
            flags,
        }
    }

    #[test]
    fn extents_are_counted_by_what_an_overwrite_meets() {
        let extents = [
            extent(0, MIB, ExtentFlags::empty()),
            extent(MIB, MIB, ExtentFlags::UNWRITTEN),
            extent(3 * MIB, MIB, ExtentFlags::SHARED | ExtentFlags::ENCODED),
            // Past the end of the file: preallocated with KEEP_SIZE.
            extent(4 * MIB, MIB, ExtentFlags::UNWRITTEN | ExtentFlags::LAST),
        ];
        let layout = Layout::of_extents(&extents, 4 * MIB);
        assert_eq!(
            layout.written,
            Tally {
                count: 2,
                bytes: 2 * MIB
            }
        );
        assert_eq!(
            layout.unwritten,
            Tally {
                count: 2,
                bytes: 2 * MIB
            }
        );
        assert_eq!((layout.shared.bytes, layout.encoded.bytes), (MIB, MIB));
        assert_eq!(layout.hole_bytes, MIB);
        assert!(!layout.all_written());
    }

    #[test]
    fn a_journal_is_ready_when_all_of_it_is_written_and_its_own() {
        let whole = [extent(0, 4 * MIB, ExtentFlags::LAST)];
        assert!(Layout::of_extents(&whole, 4 * MIB).all_written());
        assert!(!Layout::of_extents(&whole, 4 * MIB + 1).all_written());
        assert!(!Layout::of_extents(&[], 0).all_written());
        let shared = [extent(0, 4 * MIB, ExtentFlags::SHARED)];
        assert!(!Layout::of_extents(&shared, 4 * MIB).all_written());
        let inline = [extent(
            0,
            60,
            ExtentFlags::DATA_INLINE | ExtentFlags::NOT_ALIGNED,
        )];
        assert_eq!(
            Layout::of_extents(&inline, 60).inline,
            Tally {
                count: 1,
                bytes: 60
            }
        );
    }

    #[test]
    fn seeking_tells_data_from_holes_alone() {
        let segments = [
            Segment {
                start: 0,
                length: MIB,
                data: true,
            },
            Segment {
                start: MIB,
                length: 3 * MIB,
                data: false,
            },
        ];
        let layout = Layout::of_segments(&segments);
        assert_eq!((layout.written.bytes, layout.hole_bytes), (MIB, 3 * MIB));
        assert_eq!(layout.method, Method::Seek);
    }
}
