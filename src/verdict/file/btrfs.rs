//! btrfs.
//!
//! Mirrors `btrfs_fallocate` and `btrfs_zero_range` (fs/btrfs/file.c), 6.1 to 7.3.

use rustix::io::Errno;

use crate::facts::file::NO_LIVE_FILE;
use crate::facts::origin::Origin;
use crate::facts::reading::Reading;
use crate::verdict::file::answer::{Call, Mode, Outcome, State, Step};
use crate::verdict::file::context::Context;

const RULE: &str = "btrfs_fallocate, fs/btrfs/file.c";

/// The answer where the subvolume keeps the file from being opened for writing, or where that is not known. A snapshot
/// may be read-only in a mount that is not.
pub(super) fn read_only_subvolume(context: &Context) -> Option<Outcome> {
    if context.facts.filesystem() != Some("btrfs") {
        return None;
    }
    let readonly = &context.facts.subvolume_readonly;
    let asked = Origin::Inferred("BTRFS_IOC_GET_SUBVOL_INFO".into());
    let step = |text: &str, value: &str| {
        Step::new("btrfs-subvolume", text)
            .because(asked.clone(), value)
            .by_rule("btrfs_permission, fs/btrfs/inode.c", "EROFS")
    };
    match readonly {
        Reading::Present(false) | Reading::NotAsked(NO_LIVE_FILE) => None,
        Reading::Present(true) => Some(Outcome::refused(
            step(
                "the subvolume, or snapshot, is read-only",
                "BTRFS_ROOT_SUBVOL_RDONLY",
            ),
            Errno::ROFS,
            Call::Open,
        )),
        other => Some(Outcome::unknown(
            step(
                "whether the subvolume is read-only could not be read",
                other.status().unwrap_or_default(),
            ),
            "run as root, or as a user who may read the file",
        )),
    }
}

/// The answer for one mode.
pub(super) fn answer(context: &Context, mode: Mode) -> Outcome {
    if context
        .facts
        .features
        .iter()
        .any(|feature| feature == "zoned")
    {
        let step = Step::new("btrfs-zoned", "btrfs on a zoned device has no fallocate");
        let step = step.because(
            Origin::File("/sys/fs/btrfs/UUID/features/zoned".into()),
            "present",
        );
        return Outcome::fails(step.by_rule(RULE, "EOPNOTSUPP"), Errno::OPNOTSUPP);
    }
    match mode {
        Mode::WriteZeroes => {
            let step = Step::new(
                "btrfs-write-zeroes",
                "btrfs has no code for FALLOC_FL_WRITE_ZEROES",
            );
            context.no_write_zeroes(step.by_rule(RULE, "EOPNOTSUPP"))
        }
        Mode::ZeroRange | Mode::ZeroRangeKeepSize => {
            let text = "btrfs drops the data and preallocates the range";
            Outcome::works(
                Step::new("btrfs-zero-range", text)
                    .by_rule("btrfs_zero_range, fs/btrfs/file.c", "0"),
                State::Unwritten,
                State::Unwritten,
            )
        }
        Mode::PunchHole => {
            let step = Step::new("btrfs-punch", "btrfs gives the space back");
            Outcome::works(
                step.by_rule("btrfs_punch_hole, fs/btrfs/file.c", "0"),
                State::Hole,
                State::Hole,
            )
        }
        Mode::Allocate => {
            let text = "btrfs preallocates what is not there and leaves data as it is";
            Outcome::works(
                Step::new("btrfs-allocate", text).by_rule(RULE, "0"),
                State::Unwritten,
                State::Written,
            )
        }
    }
}
