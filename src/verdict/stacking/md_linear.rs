//! MD linear, and the levels of old kernels that pass everything on.
//!
//! * Up to 6.7: no limits of its own, the minimum over the members; `chunk_size` is only a rounding.
//! * 6.8 to 6.13 have no such level.
//! * Since 6.14 (`linear_set_limits`, drivers/md/md-linear.c): wz and (6.17) hw begin at the rounding, and a rounding
//!   of 0, which is usual, makes both 0.

use crate::facts::md::MdFacts;
use crate::model::device::BlockDevice;
use crate::model::units::{UNLIMITED, clamp_limit, in_words};
use crate::verdict::Judge;
use crate::verdict::prediction::{Passed, Prediction};
use crate::verdict::reason::Reason;
use crate::verdict::stacking::legs::{
    Leg, chain, clause, deciding, legs, minimum, not_known, resting_on, unknown_below,
    without_command,
};
use crate::verdict::stacking::md::{cannot_start, chunk, file, stale_member};

/// The minimum over the members, with the rounding where the kernel begins there.
pub(super) fn predict(
    judge: &Judge,
    device: &BlockDevice,
    md: &MdFacts,
    level: &str,
) -> Prediction {
    let legs = legs(judge, &device.slaves);
    if legs.is_empty() {
        return Prediction::unknown("no member of the array was found", None, Vec::new());
    }
    let rounds = if level == "linear" {
        begins_at_rounding(judge)
    } else {
        Some(false)
    };
    let start = match (rounds, chunk(md)) {
        (Some(false), _) => Passed::UNLIMITED,
        (Some(true), Ok(chunk)) => {
            let chunk = clamp_limit(chunk);
            Passed {
                wz: chunk,
                hw: chunk,
                user: UNLIMITED,
            }
        }
        (Some(true), Err(why)) => return Prediction::unknown(why, None, Vec::new()),
        (None, chunk) => {
            // Where the rounding is at least what the members have, both rules give the same.
            let least = minimum(Passed::UNLIMITED, &legs);
            match chunk {
                Ok(chunk) if clamp_limit(chunk) >= least.wz => Passed::UNLIMITED,
                _ => return which_rule(judge, device),
            }
        }
    };
    if start.wz == 0 {
        return no_rounding(device);
    }
    stack(device, level, start, &legs)
}

/// Whether this kernel's level begins at the rounding; `None` where its number does not tell.
fn begins_at_rounding(judge: &Judge) -> Option<bool> {
    match (judge.kernel.has(6, 8), judge.kernel.has(6, 14)) {
        (_, Some(true)) => Some(true),
        (Some(false), _) => Some(false),
        _ => None,
    }
}

fn which_rule(judge: &Judge, device: &BlockDevice) -> Prediction {
    let why = format!(
        "MD linear begins at its rounding since 6.14 and did not up to 6.7; kernel {} tells neither",
        judge.kernel
    );
    let own = Reason::new("md-linear-rounding", &device.kname, why.clone());
    Prediction::unknown(why, None, vec![own])
}

fn no_rounding(device: &BlockDevice) -> Prediction {
    let text = "MD linear with rounding 0 passes no zeroes command";
    let own = Reason::new("md-linear-rounding", &device.kname, text)
        .because(file(device, "chunk_size"), "0")
        .by_rule(
            "linear_set_limits (drivers/md/md-linear.c, since 6.14)",
            "limits begin at the rounding",
        );
    Prediction::stacked(
        Passed {
            wz: 0,
            hw: 0,
            user: UNLIMITED,
        },
        vec![own],
    )
}

fn stack(device: &BlockDevice, level: &str, start: Passed, legs: &[Leg]) -> Prediction {
    let result = minimum(start, legs);
    let settled = without_command(legs).filter(|_| result.hw == 0);
    if settled.is_none()
        && let Some(leg) = not_known(legs)
    {
        let text = format!("takes the smallest limits of {} members", legs.len());
        let own = Reason::new("md-linear-min", &device.kname, text);
        return unknown_below(resting_on(own, legs), leg);
    }
    if let Some(leg) = stale_member(legs, result) {
        return cannot_start(device, leg);
    }
    let decides = deciding(legs, result);
    let (rule, text) = match decides {
        Some(leg) if result.wz < start.wz || result.hw == 0 || result.user < result.hw => {
            ("md-linear-min", clause(legs, result, leg))
        }
        _ if start.wz == UNLIMITED => (
            "md-linear-min",
            format!("takes the smallest limits of {} members", legs.len()),
        ),
        _ => (
            "md-linear-rounding",
            format!("a command ends at the rounding of {}", in_words(start.wz)),
        ),
    };
    let own = Reason::new(rule, &device.kname, text).because(file(device, "level"), level);
    let own = match start.wz {
        UNLIMITED => own.by_rule(
            "linear_run (drivers/md/md-linear.c, up to 6.7)",
            "no limit of its own",
        ),
        _ => own.by_rule(
            "linear_set_limits (drivers/md/md-linear.c, since 6.14)",
            "limits begin at the rounding, then the minimum over the members",
        ),
    };
    Prediction::stacked(
        result,
        chain(resting_on(own, legs), decides.or_else(|| legs.first())),
    )
}
