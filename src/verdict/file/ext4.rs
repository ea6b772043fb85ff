//! ext4, which serves ext2 and ext3 as well.
//!
//! Mirrors `ext4_fallocate` and `ext4_zero_range` (fs/ext4/extents.c), 6.1 to 7.3; `FALLOC_FL_WRITE_ZEROES` since 6.17.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::source::inode::Attributes;
use crate::verdict::file::answer::{Mode, Outcome, State, Step};
use crate::verdict::file::context::{Context, Gate, TRIAL};
use crate::verdict::file::zeroed_by_device;

/// `EXT4_EXTENTS_FL`.
const EXTENTS: u32 = 0x0008_0000;
/// `EXT4_INLINE_DATA_FL`.
const INLINE_DATA: u32 = 0x1000_0000;
const RULE: &str = "ext4_fallocate, fs/ext4/extents.c";

/// The answer for one mode.
pub(super) fn answer(context: &Context, mode: Mode) -> Outcome {
    if context.facts.ext2_driver {
        let step = Step::new("ext2-driver", "the ext2 driver has no fallocate");
        return Outcome::fails(
            step.by_rule("ext2_file_operations, fs/ext2/file.c", "no ->fallocate"),
            Errno::OPNOTSUPP,
        );
    }
    match mode {
        Mode::PunchHole => {
            let step = Step::new("ext4-punch", "ext4 gives the blocks back")
                .by_rule(RULE, "ext4_punch_hole");
            Outcome::works(step, State::Hole, State::Hole)
        }
        Mode::WriteZeroes => write_zeroes(context),
        Mode::ZeroRange | Mode::ZeroRangeKeepSize => extent_mapped(context, || {
            let text = "ext4 allocates what is not there and marks all of it unwritten";
            let step = Step::new("ext4-zero-range", text).by_rule(RULE, "ext4_zero_range");
            Outcome::works(step, State::Unwritten, State::Unwritten)
        }),
        Mode::Allocate => extent_mapped(context, || {
            let text = "ext4 allocates what is not there, unwritten, and leaves data as it is";
            let step = Step::new("ext4-allocate", text).by_rule(RULE, "ext4_alloc_file_blocks");
            Outcome::works(step, State::Unwritten, State::Written)
        }),
    }
}

/// Whether the file is mapped by extents, or will be: one with its data in the inode is converted first, and a new file
/// is what its directory is.
fn is_extent_mapped(context: &Context) -> Option<bool> {
    let facts = context.facts;
    if matches!(facts.filesystem(), Some("ext2" | "ext3")) && facts.is_directory() {
        return Some(false);
    }
    match facts.flag(EXTENTS | INLINE_DATA)? {
        true => Some(true),
        // A directory from before the filesystem was converted says nothing of new files.
        false if facts.is_directory() => None,
        false => Some(false),
    }
}

fn flags_origin(context: &Context) -> (Origin, String) {
    let value = match &context.facts.flags {
        crate::facts::reading::Reading::Present(flags) => format!("{flags:#x}"),
        other => other.status().unwrap_or_default().to_owned(),
    };
    (
        Origin::Inferred("FS_IOC_GETFLAGS, bit 0x80000 (extents)".into()),
        value,
    )
}

fn extent_mapped(context: &Context, then: impl FnOnce() -> Outcome) -> Outcome {
    let (origin, value) = flags_origin(context);
    match is_extent_mapped(context) {
        Some(true) => then(),
        Some(false) => {
            let text = "the file is mapped by blocks: only extents can be unwritten or zeroed by the device";
            let step = Step::new("ext4-extents", text).because(origin, value);
            Outcome::fails(
                step.by_rule(RULE, "EOPNOTSUPP without EXT4_EXTENTS_FL"),
                Errno::OPNOTSUPP,
            )
        }
        None => {
            let text = "whether the file is, or would be, mapped by extents could not be read";
            Outcome::unknown(
                Step::new("ext4-extents", text).because(origin, value),
                "run as root, or as a user who may read the file",
            )
        }
    }
}

fn write_zeroes(context: &Context) -> Outcome {
    let gate = match context.gate() {
        Gate::Shut(step) => {
            return Outcome::fails(
                step.by_rule(
                    "ext4_fallocate, fs/ext4/extents.c (since 6.17)",
                    "EOPNOTSUPP",
                ),
                Errno::OPNOTSUPP,
            );
        }
        Gate::Unknown(step, to_know) => return Outcome::unknown(step, to_know),
        Gate::Open(step) => step,
    };
    if context.since(6, 17) != Some(true) {
        let text = "ext4 writes zeroes since 6.17, and a vendor may have carried that back";
        let (origin, release) = context.release();
        return Outcome::unknown(
            Step::new("ext4-write-zeroes", text).because(origin, release),
            TRIAL,
        );
    }
    extent_mapped(context, || {
        let outcome = zeroed_by_device(
            context,
            gate,
            "ext4-write-zeroes",
            "ext4_alloc_file_blocks, fs/ext4/extents.c (since 6.17)",
        );
        encrypted(context, outcome).and(edges(context))
    })
}

/// `fscrypt_zeroout_range` writes zeroes encrypted: no device can make those.
fn encrypted(context: &Context, outcome: Outcome) -> Outcome {
    if context.facts.attribute(Attributes::ENCRYPTED) != Some(true) {
        return outcome;
    }
    let step = Step::new(
        "ext4-encrypted",
        "the file is encrypted: zeroes are encrypted and written in software",
    )
    .because(Origin::Inferred("statx(2)".into()), "encrypted")
    .by_rule(
        "ext4_issue_zeroout, fs/ext4/inode.c",
        "fscrypt_zeroout_range",
    );
    let mut steps = vec![step];
    steps.extend(outcome.steps);
    Outcome {
        offloaded: Some(false),
        steps,
        ..outcome
    }
}

/// The blocks at both ends of a range that is not aligned: left unwritten by 6.17 to 7.0, written by 7.1, left again by
/// 7.2, written by 7.3 (seen on 6.17.13 to 7.3.4).
fn edges(context: &Context) -> Step {
    let text = match context.kernel.version {
        Some((6, 17..) | (7, 0 | 2)) => {
            "of an unaligned range the first and last blocks stayed unwritten on releases of this series: align it to \
             blocks"
        }
        _ => {
            "of an unaligned range the first and last blocks stay unwritten on some releases, in no order: align it \
             to blocks, or look with FIEMAP"
        }
    };
    let (origin, release) = context.release();
    Step::new("ext4-edges", text).because(origin, release)
}
