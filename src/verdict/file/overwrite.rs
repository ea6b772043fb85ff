//! What a later overwrite with O_DSYNC costs, by filesystem and state.

use crate::facts::file::{FileFacts, NO_LIVE_FILE};
use crate::facts::reading::Reading;
use crate::source::inode::{FsXattr, XfsGeometry};
use crate::verdict::file::answer::{Overwrite, State};
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
            if option("data").is_some_and(|data| data.as_deref() == Some("journal")) {
                return Some(Overwrite::Journal);
            }
            match facts.flag(JOURNAL_DATA) {
                Some(true) => Some(Overwrite::Journal),
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
        // f2fs writes in place or not by a policy of its own.
        "f2fs" => match state {
            State::Written => None,
            other => Some(in_place(other)),
        },
        "tmpfs" | "devtmpfs" | "hugetlbfs" | "ramfs" => Some(Overwrite::Memory),
        "vfat" | "msdos" | "gfs2" | "ocfs2" => Some(in_place(state)),
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
