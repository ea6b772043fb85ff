//! A block device's own node.
//!
//! Mirrors `blkdev_fallocate` (block/fops.c), 6.1 to 7.3; `FALLOC_FL_WRITE_ZEROES` since 6.17. A device has no extents,
//! so there is no state of a range to speak of.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::verdict::file::answer::{Mode, Outcome, State, Step};
use crate::verdict::file::context::{Context, Gate};
use crate::verdict::judgement::Zeroing;

const RULE: &str = "blkdev_fallocate, block/fops.c";

/// The answer for one mode.
pub(super) fn answer(context: &Context, mode: Mode) -> Outcome {
    let Some(device) = context.device() else {
        let step = Step::new("block-device", "the device could not be read");
        return Outcome::unknown(step, "name it by its kernel name");
    };
    // The mode and the limit are checked first; whether the device is read-only when the zeroes go out.
    if device.zeroing == Zeroing::Unsupported && !refused_as_it_is(context, mode) {
        let step = Step::new(
            "block-read-only",
            format!("{} is read-only or has no medium", device.kname),
        );
        let step = step.by_rule("blkdev_issue_zeroout, block/blk-lib.c", "EPERM");
        return Outcome::fails(step, Errno::PERM);
    }
    let wz = device.wz.get();
    let path = Origin::File(format!("{}/write_zeroes_max_bytes", device.queue_path));
    let limit = |step: Step| match wz {
        Some(wz) => step.because(path.clone(), wz.to_string()),
        None => step,
    };
    let done = |step: Step| {
        stateless(
            Outcome::works(step, State::Written, State::Written),
            wz.map(|wz| wz > 0),
        )
    };
    match mode {
        Mode::Allocate => {
            let step = Step::new("block-allocate", "a device has nothing to preallocate")
                .by_rule(RULE, "EOPNOTSUPP");
            Outcome::fails(step, Errno::OPNOTSUPP)
        }
        Mode::WriteZeroes => match context.gate() {
            Gate::Open(step) => stateless(
                Outcome::works(step.by_rule(RULE, "0"), State::Written, State::Written),
                Some(device.zeroing >= Zeroing::Offload),
            ),
            Gate::Shut(step) => Outcome::fails(step.by_rule(RULE, "EOPNOTSUPP"), Errno::OPNOTSUPP),
            Gate::Unknown(step, to_know) => Outcome::unknown(step, to_know),
        },
        Mode::PunchHole => match wz {
            Some(0) => {
                let step = limit(Step::new(
                    "block-punch",
                    "the device has no zeroes command, and this mode writes none",
                ));
                Outcome::fails(step.by_rule(RULE, "EOPNOTSUPP"), Errno::OPNOTSUPP)
            }
            Some(_) => done(limit(Step::new(
                "block-punch",
                "the device's zeroes command may deallocate",
            ))),
            None => Outcome::unknown(
                Step::new("block-punch", "the device's limit could not be read"),
                "run as root",
            ),
        },
        Mode::ZeroRange | Mode::ZeroRangeKeepSize => {
            let text = "zeroes by command without deallocating, or by writing where there is none";
            done(limit(Step::new("block-zero-range", text)))
        }
    }
}

/// Whether the call ends at its mode or at the device's limit, or may do so.
fn refused_as_it_is(context: &Context, mode: Mode) -> bool {
    match mode {
        Mode::Allocate => true,
        Mode::WriteZeroes => !matches!(context.gate(), Gate::Open(_)),
        _ => false,
    }
}

fn stateless(mut outcome: Outcome, offloaded: Option<bool>) -> Outcome {
    (outcome.hole, outcome.data, outcome.offloaded) = (None, None, offloaded);
    outcome
}
