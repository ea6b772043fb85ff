//! What a file is and has, beside the answer for it: mount, inode, extents, statx.

use crate::facts::file::{FileFacts, Method, Tally, layout};
use crate::facts::mount;
use crate::source::inode::{FsXattr, Stat};
use crate::view::report::unread::Taker;

/// A mount, from mountinfo.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct MountView {
    /// Its id.
    pub id: i32,
    /// Where it is mounted.
    pub point: String,
    /// The directory of the filesystem that is mounted.
    pub root: String,
    /// MAJ:MIN of the filesystem; 0:N is no device.
    pub devno: Option<String>,
    /// What was mounted.
    pub source: Option<String>,
    /// Options of the mount.
    pub options: Vec<String>,
    /// Options of the filesystem.
    pub super_options: Vec<String>,
}

/// An inode.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct InodeView {
    /// Inode number.
    pub number: u64,
    /// MAJ:MIN as stat has it; 0:N is no device, and for realtime files of XFS it is not the one that data goes to.
    pub devno: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Space allocated to it in bytes.
    pub allocated_bytes: u64,
    /// Names of the FS_*_FL flags that are set.
    pub flags: Option<Vec<String>>,
    /// XFS: its data lies, or will lie, in the realtime section.
    pub realtime: Option<bool>,
    /// Extent size hint in bytes; 0 is none.
    pub extent_size_bytes: Option<u64>,
    /// Project.
    pub project: Option<u32>,
    /// The kernel swaps to it.
    pub swap: Option<bool>,
}

/// The extents that a file has now.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct Extents {
    /// How they were found out; seek cannot tell unwritten extents from holes.
    pub method: Method,
    /// All of the file is written, in extents of its own.
    pub all_written: bool,
    /// Allocated and written.
    pub written: Tally,
    /// Allocated, to be converted by the first write.
    pub unwritten: Tally,
    /// Of the written ones: other files have them too.
    pub shared: Tally,
    /// Of the written ones: compressed or encrypted.
    pub encoded: Tally,
    /// Data among metadata.
    pub inline: Tally,
    /// Data that has no place on the device yet.
    pub delayed: Tally,
    /// Bytes within the size that no extent covers.
    pub hole_bytes: u64,
}

/// What statx filled in.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct Statx {
    /// The mask of filled-in fields.
    pub mask: u32,
    /// Attributes: immutable, append, compressed, encrypted, verity, dax, mount-root, write-atomic.
    pub attributes: Vec<String>,
    /// Preferred I/O size in bytes.
    pub blksize: u32,
    /// Mount id (since 5.8).
    pub mnt_id: Option<u64>,
    /// Alignment of memory for direct I/O in bytes; 0 is none possible (since 6.1).
    pub dio_mem_align: Option<u32>,
    /// Alignment of offsets for direct I/O in bytes (since 6.1).
    pub dio_offset_align: Option<u32>,
    /// Alignment of offsets for direct reads in bytes (since 6.14).
    pub dio_read_offset_align: Option<u32>,
    /// Subvolume (since 6.10).
    pub subvol: Option<u64>,
    /// Smallest untorn write in bytes; 0 is none possible (since 6.11).
    pub atomic_write_unit_min: Option<u32>,
    /// Largest untorn write in bytes (since 6.11).
    pub atomic_write_unit_max: Option<u32>,
    /// Largest untorn write that is not slower in bytes; 0 is not told (since 6.16).
    pub atomic_write_unit_max_opt: Option<u32>,
    /// Segments of an untorn write (since 6.11).
    pub atomic_write_segments_max: Option<u32>,
}

pub(super) fn mount_view(mount: &mount::Mount) -> MountView {
    let options = |options: &std::collections::BTreeMap<String, Option<String>>| {
        let word = |(name, value): (&String, &Option<String>)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        options.iter().map(word).collect()
    };
    MountView {
        id: mount.id,
        point: mount.point.clone(),
        root: mount.root.clone(),
        devno: mount.devno.map(|devno| devno.to_string()),
        source: mount.source.clone(),
        options: options(&mount.options),
        super_options: options(&mount.super_options),
    }
}

pub(super) fn inode(facts: &FileFacts, stat: &Stat, taker: &mut Taker) -> InodeView {
    let of_xattr = |xattr: &FsXattr| (u64::from(xattr.extsize), xattr.projid);
    let xattr = taker.take("inode.extent_size_bytes", &facts.xattr);
    InodeView {
        number: stat.ino,
        devno: format!("{}:{}", stat.dev.0, stat.dev.1),
        size_bytes: stat.size_bytes,
        allocated_bytes: stat.allocated_bytes,
        flags: taker.part("inode.flags", &facts.flags, |_, flags| flag_words(*flags)),
        realtime: match facts.filesystem() {
            Some("xfs") => {
                let known = facts.realtime();
                if known.is_none() {
                    taker.take("inode.realtime", &facts.xattr);
                }
                known
            }
            _ => None,
        },
        extent_size_bytes: xattr.as_ref().map(|xattr| of_xattr(xattr).0),
        project: xattr.as_ref().map(|xattr| of_xattr(xattr).1),
        swap: taker.take("inode.swap", &facts.swap),
    }
}

/// Names of `FS_*_FL` (include/uapi/linux/fs.h), as chattr(1) explains them.
fn flag_words(flags: u32) -> Vec<String> {
    const NAMES: &[(u32, &str)] = &[
        (0x4, "compressed"),
        (0x8, "sync"),
        (0x10, "immutable"),
        (0x20, "append"),
        (0x40, "nodump"),
        (0x80, "noatime"),
        (0x400, "nocompress"),
        (0x800, "encrypted"),
        (0x4000, "journal-data"),
        (0x1_0000, "dirsync"),
        (0x8_0000, "extents"),
        (0x10_0000, "verity"),
        (0x80_0000, "nocow"),
        (0x200_0000, "dax"),
        (0x1000_0000, "inline-data"),
        (0x2000_0000, "projinherit"),
        (0x4000_0000, "casefold"),
    ];
    let set = NAMES.iter().filter(|(bit, _)| flags & bit != 0);
    set.map(|(_, name)| (*name).to_owned()).collect()
}

pub(super) fn extents(layout: &layout::Layout) -> Extents {
    Extents {
        method: layout.method,
        all_written: layout.all_written(),
        written: layout.written,
        unwritten: layout.unwritten,
        shared: layout.shared,
        encoded: layout.encoded,
        inline: layout.inline,
        delayed: layout.delayed,
        hole_bytes: layout.hole_bytes,
    }
}

pub(super) fn statx(stat: &Stat, taker: &mut Taker) -> Statx {
    let atomic = |at: usize| stat.atomic_write.and_then(|units| units.get(at).copied());
    Statx {
        mask: stat.mask,
        attributes: stat.attributes.words(),
        blksize: stat.blksize,
        mnt_id: taker.absent("statx.mnt_id", stat.mnt_id),
        dio_mem_align: taker.absent(
            "statx.dio_mem_align",
            stat.dio_align.map(|(memory, _)| memory),
        ),
        dio_offset_align: taker.absent(
            "statx.dio_offset_align",
            stat.dio_align.map(|(_, offset)| offset),
        ),
        dio_read_offset_align: taker
            .absent("statx.dio_read_offset_align", stat.dio_read_offset_align),
        subvol: taker.absent("statx.subvol", stat.subvol),
        atomic_write_unit_min: taker.absent("statx.atomic_write_unit_min", atomic(0)),
        atomic_write_unit_max: taker.absent("statx.atomic_write_unit_max", atomic(1)),
        atomic_write_unit_max_opt: taker.absent("statx.atomic_write_unit_max_opt", atomic(2)),
        atomic_write_segments_max: taker.absent("statx.atomic_write_segments_max", atomic(3)),
    }
}
