//! Native NVMe multipath heads (`nvme_update_ns_info`, drivers/nvme/host/core.c).
//!
//! * Since 6.12: the head starts without limits and at each scan of a
//!   path takes the minimum of its own present limits and the path's. It never grows until the head is made anew, also
//!   not when the weak path is gone.
//! * 6.1: the head is set to the path just scanned and then stacked with that same path, so that the last scanned one
//!   decides; which that was, nothing shows.
//! * 6.2 to 6.11 could not be tried, and a vendor's kernel may do either: where the paths differ nothing is known.

use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::verdict::prediction::{Passed, Prediction};
use crate::verdict::reason::Reason;
use crate::verdict::stacking::legs::{
    Leg, chain, clause, deciding, legs, minimum, not_known, resting_on, unknown_below,
    without_command,
};

const RULE: &str = "nvme_update_ns_info (drivers/nvme/host/core.c, since 6.12)";

/// The minimum over the paths, where the kernel takes one.
pub(super) fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let legs = legs(judge, &device.slaves);
    if legs.is_empty() {
        return Prediction::unknown("no path of this multipath head was found", None, Vec::new());
    }
    let result = minimum(Passed::UNLIMITED, &legs);
    if judge.kernel.has(6, 12) != Some(true)
        && let Some(prediction) = last_scanned(judge, device, &legs)
    {
        return prediction;
    }
    if let Some(prediction) = refused(device, &legs, result) {
        return prediction;
    }
    // A path without the command has no unmap limit either, so one settles it, whatever the others are.
    let decides = match (without_command(&legs), not_known(&legs)) {
        (Some(leg), _) => Some(leg),
        (None, Some(leg)) => {
            let text = format!("takes the smallest limits of {} paths", legs.len());
            let own = resting_on(Reason::new("nvme-head-min", &device.kname, text), &legs);
            return unknown_below(own, leg);
        }
        (None, None) => deciding(&legs, result),
    };
    let text = decides
        .map(|leg| clause(&legs, result, leg))
        .unwrap_or_default();
    let own = Reason::new("nvme-head-min", &device.kname, text).by_rule(
        RULE,
        "a running minimum over every path that was ever scanned",
    );
    Prediction::stacked(result, chain(resting_on(own, &legs), decides))
}

/// A path that lost its command and kept its unmap limit: the head's update fails, and it keeps what it had. The nvme
/// driver never brings a path there.
fn refused(device: &BlockDevice, legs: &[Leg], result: Passed) -> Option<Prediction> {
    let leg = without_command(legs).filter(|_| result.hw > 0)?;
    let why = format!(
        "the kernel refuses the limits of path {} (EINVAL), and the head keeps those it had",
        leg.kname
    );
    let own = Reason::new("nvme-head-refused", &device.kname, why.clone()).by_rule(
        "blk_validate_limits (block/blk-settings.c, since 6.17)",
        "an unmap limit that is neither 0 nor the zeroes limit is refused",
    );
    Some(Prediction::unknown(why, None, vec![resting_on(own, legs)]))
}

/// On an old kernel any path's numbers are legal: nothing can be told unless all paths have the same.
fn last_scanned(judge: &Judge, device: &BlockDevice, legs: &[Leg]) -> Option<Prediction> {
    let mut seen: Vec<Passed> = legs.iter().filter_map(Leg::passed).collect();
    seen.dedup();
    if seen.len() < 2 {
        return None;
    }
    let mut legal: Vec<u64> = seen.iter().map(|passed| passed.wz).collect();
    legal.sort_unstable();
    legal.dedup();
    let legal: Vec<String> = legal.iter().map(ToString::to_string).collect();
    let legal = legal.join(" or ");
    let (text, why) = if judge.kernel.has(6, 2) == Some(false) {
        (
            format!("shows the limits of the path that was scanned last: {legal}"),
            format!(
                "its paths differ ({legal}), and kernel {} shows those of the path scanned last, which nothing tells",
                judge.kernel
            ),
        )
    } else {
        (
            format!("shows the limits of the path that was scanned last, or the smallest: {legal}"),
            format!(
                "its paths differ ({legal}): 6.1 shows the path scanned last, 6.12 and later the smallest, and kernel \
                 {} tells neither",
                judge.kernel
            ),
        )
    };
    let own = Reason::new("nvme-head-last-scanned", &device.kname, text).by_rule(
        "nvme_update_ns_info (drivers/nvme/host/core.c, 6.1)",
        "the head is set to the path just scanned, without a minimum",
    );
    Some(Prediction::unknown(why, None, vec![resting_on(own, legs)]))
}
