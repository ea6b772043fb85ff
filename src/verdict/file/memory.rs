//! Files in memory: tmpfs, and devtmpfs with it.
//!
//! Mirrors `shmem_fallocate` (mm/shmem.c), 6.1 to 7.3.

use rustix::io::Errno;

use crate::verdict::file::answer::{Mode, Outcome, State, Step};
use crate::verdict::file::context::Context;

const RULE: &str = "shmem_fallocate, mm/shmem.c";

/// The answer for one mode.
pub(super) fn answer(context: &Context, mode: Mode) -> Outcome {
    match mode {
        Mode::WriteZeroes => {
            let step = Step::new(
                "tmpfs-write-zeroes",
                "tmpfs has no code for FALLOC_FL_WRITE_ZEROES",
            );
            context.no_write_zeroes(step.by_rule(RULE, "EOPNOTSUPP"))
        }
        Mode::ZeroRange | Mode::ZeroRangeKeepSize => {
            let step = Step::new(
                "tmpfs-zero-range",
                "tmpfs has no code for FALLOC_FL_ZERO_RANGE",
            );
            Outcome::fails(step.by_rule(RULE, "EOPNOTSUPP"), Errno::OPNOTSUPP)
        }
        Mode::PunchHole => {
            let step = Step::new("tmpfs-punch", "tmpfs gives the pages back");
            Outcome::works(step.by_rule(RULE, "0"), State::Hole, State::Hole)
        }
        Mode::Allocate => {
            let step = Step::new(
                "tmpfs-allocate",
                "tmpfs sets pages aside; until they are written they read as a hole",
            );
            Outcome::works(step.by_rule(RULE, "0"), State::Unwritten, State::Written)
        }
    }
}
