//! f2fs.
//!
//! Mirrors `f2fs_fallocate` (fs/f2fs/file.c), 6.1 to 7.3.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::verdict::file::answer::{Mode, Outcome, State, Step};
use crate::verdict::file::context::Context;

const RULE: &str = "f2fs_fallocate, fs/f2fs/file.c";
/// `FS_COMPR_FL`.
const COMPRESSED: u32 = 0x4;
/// `FS_NOCOW_FL`, by which f2fs shows a pinned file.
const PINNED: u32 = 0x0080_0000;

/// The answer for one mode.
pub(super) fn answer(context: &Context, mode: Mode) -> Outcome {
    if mode == Mode::WriteZeroes {
        let step = Step::new(
            "f2fs-write-zeroes",
            "f2fs has no code for FALLOC_FL_WRITE_ZEROES",
        );
        return context.no_write_zeroes(step.by_rule(RULE, "EOPNOTSUPP"));
    }
    if mode == Mode::Allocate {
        let text = "f2fs reserves what is not there and leaves data as it is";
        return Outcome::works(
            Step::new("f2fs-allocate", text).by_rule("f2fs_expand_inode_data, fs/f2fs/file.c", "0"),
            State::Unwritten,
            State::Written,
        );
    }
    match context.facts.flag(COMPRESSED | PINNED) {
        Some(true) => {
            let flags = context.facts.flags.get().unwrap_or_default();
            let step = Step::new(
                "f2fs-compressed",
                "f2fs changes no mapping of a compressed or pinned file",
            );
            let step = step.because(
                Origin::Inferred("FS_IOC_GETFLAGS, bits 0x4 and 0x800000".into()),
                format!("{flags:#x}"),
            );
            return Outcome::fails(step.by_rule(RULE, "EOPNOTSUPP"), Errno::OPNOTSUPP);
        }
        None => {
            let step = Step::new(
                "f2fs-compressed",
                "whether the file is compressed or pinned could not be read",
            );
            return Outcome::unknown(step, "run as root, or as a user who may read the file");
        }
        Some(false) => {}
    }
    if mode == Mode::PunchHole {
        let step = Step::new("f2fs-punch", "f2fs gives the blocks back");
        return Outcome::works(
            step.by_rule(RULE, "f2fs_punch_hole"),
            State::Hole,
            State::Hole,
        );
    }
    let text = "f2fs gives the blocks back and reserves the range anew";
    Outcome::works(
        Step::new("f2fs-zero-range", text).by_rule(RULE, "f2fs_zero_range"),
        State::Unwritten,
        State::Unwritten,
    )
}
