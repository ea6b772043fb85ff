//! MD software RAID: which rule an array's level has.

use crate::facts::md::MdFacts;
use crate::facts::origin::Origin;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::verdict::prediction::{Limits, Passed, Prediction};
use crate::verdict::reason::Reason;
use crate::verdict::stacking::legs::{Leg, chain};
use crate::verdict::stacking::{md_linear, md_raid0, md_unsupported};

/// By level.
pub(super) fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let Some(md) = device.md.as_deref() else {
        return Prediction::unknown("no MD facts were read", None, Vec::new());
    };
    if let Some(state @ ("inactive" | "clear")) = md.array_state.value().map(String::as_str) {
        let why = format!("the array is not running (array_state {state})");
        let own = Reason::new("md-not-running", &device.kname, why.clone())
            .because(file(device, "array_state"), state);
        return Prediction::unknown(why, Some("start the array"), vec![own]);
    }
    let level = match &md.level {
        Reading::Present(level) => level.as_str(),
        other => {
            let status = other.status().unwrap_or_default();
            let why = format!("the array's level could not be read ({status})");
            return Prediction::unknown(why, None, Vec::new());
        }
    };
    match level {
        "raid0" => md_raid0::predict(judge, device, md),
        "faulty" | "multipath" if judge.kernel.has(6, 8) == Some(true) => {
            let why = format!(
                "MD level {level} is gone since 6.8, and kernel {} has it no more",
                judge.kernel
            );
            let own = Reason::new("md-level-gone", &device.kname, why.clone());
            Prediction::unknown(why, None, vec![own])
        }
        // Both had no limits of their own (`drivers/md/md-faulty.c`, `md-multipath.c` of 6.1).
        "linear" | "faulty" | "multipath" => md_linear::predict(judge, device, md, level),
        _ if md_unsupported::LEVELS.contains(&level) => md_unsupported::predict(device, level),
        other => {
            let why = format!("the rule of MD level {other:?} is not known here");
            Prediction::unknown(why, None, Vec::new())
        }
    }
}

/// A file of the array's `md` directory.
pub(super) fn file(device: &BlockDevice, name: &str) -> Origin {
    Origin::File(format!("/{}/md/{name}", device.syspath))
}

/// The array's chunk with the place it stands at; the error is why there is no rule without it.
pub(super) fn chunk(md: &MdFacts) -> Result<u64, String> {
    md.chunk_bytes.get().ok_or_else(|| {
        let status = md.chunk_bytes.status().unwrap_or_default();
        format!("the array's chunk size could not be read ({status})")
    })
}

/// A member whose limits no array can start on since 6.17: the command was disabled at run time and left hw behind,
/// so that the array's would be wz 0 and hw > 0, which `blk_validate_limits` refuses.
pub(super) fn stale_member(legs: &[Leg], result: Passed) -> Option<&Leg> {
    let stale = |passed: &Passed| passed.wz == 0 && passed.hw > 0;
    legs.iter()
        .find(|leg| result.hw > 0 && leg.passed().as_ref().is_some_and(stale))
}

/// What an array that cannot start is worth: nothing. Its numbers are those of no queue.
pub(super) fn cannot_start(device: &BlockDevice, leg: &Leg) -> Prediction {
    let text = format!(
        "the kernel would not start this array now (EINVAL): {} below lost its zeroes command and kept its unmap limit",
        leg.kname
    );
    let own = Reason::new("md-cannot-start", &device.kname, text).by_rule(
        "blk_validate_limits (block/blk-settings.c, since 6.17)",
        "an unmap limit that is neither 0 nor the zeroes limit is refused",
    );
    Prediction::known(Limits::NONE, chain(own, Some(leg)))
}
