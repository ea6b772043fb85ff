//! btrfs.
//!
//! Mirrors `btrfs_fallocate` and `btrfs_zero_range` (fs/btrfs/file.c), 6.1 to 7.3.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::verdict::file::answer::{Mode, Outcome, State, Step};
use crate::verdict::file::context::Context;

const RULE: &str = "btrfs_fallocate, fs/btrfs/file.c";

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
