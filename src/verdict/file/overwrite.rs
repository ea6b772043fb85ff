//! What a later overwrite with O_DSYNC costs, by filesystem and state.

use crate::facts::file::{FileFacts, Journal, Method, NO_LIVE_FILE};
use crate::facts::mount::Mount;
use crate::facts::reading::Reading;
use crate::source::inode::{FsXattr, XfsGeometry};
use crate::verdict::file::answer::{Commit, Overwrite, State};
use crate::verdict::file::innermost;

/// `FS_JOURNAL_DATA_FL`.
const JOURNAL_DATA: u32 = 0x4000;
/// `FS_NOCOW_FL`.
const NOCOW: u32 = 0x0080_0000;

/// What an overwrite of a range in this state costs; `None` where it is not known.
pub fn overwrite(facts: &FileFacts, state: State) -> Option<Overwrite> {
    let facts = innermost(facts);
    let options = facts.mount.value().map(|mount| &mount.super_options);
    let option = |name: &str| options.and_then(|options| options.get(name));
    match facts.filesystem()? {
        "ext4" | "ext3" | "ext2" => {
            // Such a mount has a journal, or it would not have been mounted.
            if option("data").is_some_and(|data| data.as_deref() == Some("journal")) {
                return Some(Overwrite::Journal);
            }
            match facts.flag(JOURNAL_DATA) {
                // Without a journal the flag means nothing (`ext4_inode_journal_mode`, fs/ext4/ext4_jbd2.c).
                Some(true) => match facts.journal {
                    Reading::Present(Journal::None) => Some(in_place(state)),
                    Reading::Present(_) => Some(Overwrite::Journal),
                    _ => None,
                },
                Some(false) => Some(in_place(state)),
                None if facts.flags == Reading::NotAsked(NO_LIVE_FILE) => Some(in_place(state)),
                None => None,
            }
        }
        "xfs" => {
            let geometry = facts.geometry.get();
            let zoned = geometry.is_some_and(|geometry| geometry.has(XfsGeometry::ZONED));
            let realtime = facts
                .xattr
                .get()
                .map(|xattr| xattr.xflags & (FsXattr::REALTIME | FsXattr::RTINHERIT) != 0);
            match (zoned, realtime) {
                (true, None) => None,
                (true, Some(true)) => Some(Overwrite::CopyOnWrite),
                _ if facts.always_cow => Some(Overwrite::CopyOnWrite),
                _ => Some(in_place(state)),
            }
        }
        "btrfs" => match (option("nodatacow"), facts.flag(NOCOW)) {
            (Some(_), _) | (_, Some(true)) => Some(in_place(state)),
            (None, Some(false)) => Some(Overwrite::CopyOnWrite),
            (None, None) => None,
        },
        // As a log it writes nothing in place; zoned devices force that.
        "f2fs" if option("mode").is_some_and(|mode| mode.as_deref() == Some("lfs")) => {
            Some(Overwrite::CopyOnWrite)
        }
        // Else f2fs writes in place or not by a policy of its own.
        "f2fs" => match state {
            State::Written => None,
            other => Some(in_place(other)),
        },
        "tmpfs" | "devtmpfs" | "hugetlbfs" | "ramfs" => Some(Overwrite::Memory),
        "vfat" | "msdos" | "gfs2" | "ocfs2" => Some(in_place(state)),
        _ => None,
    }
}

/// Where metadata goes to that an overwrite of the file changes; absent where there is none on a device.
pub fn commit(facts: &FileFacts) -> Reading<Commit> {
    let facts = innermost(facts);
    facts
        .mount
        .as_ref()
        .and_then(|mount| of_mount(facts, mount))
}

fn of_mount(facts: &FileFacts, mount: &Mount) -> Reading<Commit> {
    match mount.filesystem.as_str() {
        "ext4" | "ext3" | "ext2" => facts.journal.as_ref().map(|journal| match journal {
            Journal::None => Commit::InPlace,
            Journal::Internal => Commit::Journal,
            Journal::External(_) => Commit::ExternalJournal,
        }),
        // A log of its own device must be named at every mount.
        "xfs" if mount.super_options.contains_key("logdev") => {
            Reading::Present(Commit::ExternalJournal)
        }
        "btrfs" => Reading::Present(Commit::LogTree),
        "f2fs" => Reading::Present(Commit::NodeBlock),
        "xfs" | "gfs2" | "ocfs2" => Reading::Present(Commit::Journal),
        "vfat" | "msdos" => Reading::Present(Commit::InPlace),
        "tmpfs" | "devtmpfs" | "hugetlbfs" | "ramfs" => Reading::Absent,
        _ => Reading::NotAsked("there is no rule for this filesystem"),
    }
}

/// What an overwrite costs where preallocation (mode 0) left data of the file as it was. Extents that other files have
/// too stay shared, so the overwrite must copy (`xfs_reflink_trim_around_shared`, fs/xfs/xfs_reflink.c;
/// `can_nocow_extent`, fs/btrfs/inode.c). Every other mode puts extents of the file's own in the place of data.
pub fn overwrite_of_kept(facts: &FileFacts, state: State) -> Option<Overwrite> {
    let cost = overwrite(facts, state)?;
    if cost != Overwrite::InPlace {
        return Some(cost);
    }
    let file = innermost(facts);
    let shares = match file.filesystem()? {
        "btrfs" | "ocfs2" => true,
        "xfs" => file
            .geometry
            .value()
            .is_none_or(|geometry| geometry.has(XfsGeometry::REFLINK)),
        _ => false,
    };
    if !shares {
        return Some(cost);
    }
    // A file of a lower layer is copied up first, by a clone where both layers lie on one filesystem.
    if file.is_directory() && !facts.is_directory() {
        return None;
    }
    match &file.layout {
        Reading::Present(layout) if layout.shared.count > 0 => Some(Overwrite::CopyOnWrite),
        Reading::Present(layout) if layout.method == Method::Fiemap => Some(cost),
        // A new file has its own.
        Reading::NotAsked(_) => Some(cost),
        _ => None,
    }
}

fn in_place(state: State) -> Overwrite {
    match state {
        State::Written => Overwrite::InPlace,
        State::Unwritten => Overwrite::Conversion,
        State::Hole => Overwrite::Allocation,
    }
}
