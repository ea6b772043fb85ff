//! Layers that will never pass on what their devices can.

use super::{Finding, finding};
use crate::model::device::{BlockDevice, Kind};
use crate::verdict::Judge;
use crate::verdict::reason::Level;

const WHY: &str = "zeroing writes pages of zeroes and nothing is given back to the devices below, whatever they can; \
                   plain discard may still pass";

pub(super) fn all(judge: &Judge, device: &BlockDevice) -> Vec<Finding> {
    if !matches!(device.kind, Kind::Dm | Kind::Md) {
        return Vec::new();
    }
    let prediction = judge.predict(&device.kname);
    let Some(first) = prediction.reasons.first() else {
        return Vec::new();
    };
    let none = prediction
        .limits
        .as_ref()
        .is_ok_and(|limits| limits.write_zeroes_max_bytes == 0);
    let never = match first.rule {
        "dm-target-unsupported" | "md-level" => true,
        // A rounding of 0, as mdadm makes it, is what the array has for good.
        "md-linear-rounding" => none,
        _ => false,
    };
    if !never {
        return Vec::new();
    }
    let able: Vec<String> = device
        .slaves
        .iter()
        .filter(|kname| {
            judge
                .predict(kname)
                .passed
                .is_some_and(|passed| passed.hw > 0 && passed.wz == passed.hw)
        })
        .map(ToString::to_string)
        .collect();
    if able.is_empty() {
        return Vec::new();
    }
    let what = format!("{}; {} below would unmap", first.text, able.join(", "));
    let mut found = finding(device, "layer-never-passes", Level::Info, what, WHY);
    found.evidence.clone_from(&first.evidence);
    vec![found]
}
