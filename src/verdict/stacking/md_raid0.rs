//! MD RAID0: the chunk and the members, whichever is smaller (`raid0_set_limits`, drivers/md/raid0.c).
//!
//! wz begins at the chunk in every kernel from 6.1 to 7.3, hw likewise since 6.17 (commit f0bd03832f5c; its first
//! release candidates began at no limit and could not start arrays over members that unmap).

use crate::facts::md::MdFacts;
use crate::model::device::BlockDevice;
use crate::model::units::{UNLIMITED, clamp_limit, in_words};
use crate::verdict::Judge;
use crate::verdict::prediction::{Passed, Prediction};
use crate::verdict::reason::Reason;
use crate::verdict::stacking::legs::{
    chain, clause, deciding, legs, minimum, not_known, resting_on, unknown_below, without_command,
};
use crate::verdict::stacking::md::{cannot_start, chunk, file, stale_member};

const RULE: &str = "raid0_set_limits (drivers/md/raid0.c)";

/// The minimum of chunk and members.
pub(super) fn predict(judge: &Judge, device: &BlockDevice, md: &MdFacts) -> Prediction {
    let legs = legs(judge, &device.slaves);
    if legs.is_empty() {
        return Prediction::unknown("no member of the array was found", None, Vec::new());
    }
    let chunk = match chunk(md) {
        Ok(0) => return Prediction::unknown("a RAID0 array with chunk size 0", None, Vec::new()),
        Ok(chunk) => clamp_limit(chunk),
        Err(why) => return Prediction::unknown(why, None, Vec::new()),
    };
    let start = Passed {
        wz: chunk,
        hw: chunk,
        user: UNLIMITED,
    };
    let result = minimum(start, &legs);
    let settled = without_command(&legs).filter(|_| result.hw == 0);
    if settled.is_none()
        && let Some(leg) = not_known(&legs)
    {
        let text = format!(
            "takes the smallest of its chunk ({}) and its members",
            in_words(chunk)
        );
        let own = Reason::new("md-raid0-min", &device.kname, text)
            .because(file(device, "chunk_size"), chunk.to_string());
        return unknown_below(resting_on(own, &legs), leg);
    }
    if let Some(leg) = stale_member(&legs, result) {
        return cannot_start(device, leg);
    }
    let decides = deciding(&legs, result);
    let (rule, text) = match decides {
        // With equal sizes the chunk is as much the reason as the member, and the one that people can change.
        Some(leg) if result.wz < chunk || result.hw == 0 || result.user < result.hw => {
            ("md-raid0-min", clause(&legs, result, leg))
        }
        _ => {
            let text = format!("a command ends at the chunk of {}", in_words(chunk));
            ("md-raid0-chunk", text)
        }
    };
    let own = Reason::new(rule, &device.kname, text)
        .because(file(device, "chunk_size"), chunk.to_string())
        .by_rule(
            RULE,
            "limits begin at the chunk, then the minimum over the members",
        );
    let smallest = decides.or_else(|| {
        let least = |leg: &&super::legs::Leg| leg.passed().map(|passed| passed.wz);
        legs.iter().min_by_key(least)
    });
    Prediction::stacked(result, chain(resting_on(own, &legs), smallest))
}
