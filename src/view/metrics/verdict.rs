//! Families of the verdict: what it is, who decides it, what contradicts it, what is missing.

use std::collections::BTreeMap;

use zinspect_exporters::{Family, Sample};

use super::{gauge, number, sample};
use crate::facts::queue::Attr;
use crate::verdict::judgement::{Agreement, Zeroing};
use crate::verdict::reason::Level;
use crate::view::report::Device;
use crate::view::report::unread::Status;

/// Series of one device's conflicts: as many rules by name, or one less and all the others together.
const CONFLICTS: usize = 2;
/// What alerts of `prometheus/alerts.yml` ask for by name, and so never is among the others.
const ALERTED: &[&str] = &["loop-refused", "md-runtime-disabled", "runtime-disabled"];

pub(super) fn families(devices: &[Device]) -> Vec<Family> {
    vec![
        info(devices),
        verdicts(devices),
        gauge(
            devices,
            "zinspect_max_bytes",
            "Bytes that one zeroes command covers; 0 where the kernel writes pages of zeroes.",
            |d| d.verdict.max_bytes.map(number),
        ),
        gauge(
            devices,
            "zinspect_agreement",
            "1 where the kernel's write-zeroes limits are the predicted ones (as far as this kernel shows them), 0 where they differ; no sample without a prediction.",
            |d| match d.agreement {
                Agreement::Agree | Agreement::KernelSilent => Some(1.0),
                Agreement::Differ => Some(0.0),
                Agreement::NotPredicted => None,
            },
        ),
        gauge(
            devices,
            "zinspect_unread_facts",
            "Facts of the device that were denied, refused or made no sense; what a kernel or a device does not have is not counted.",
            |d| Some(number(unread(d))),
        ),
        conflicts(devices),
    ]
}

fn info(devices: &[Device]) -> Family {
    let one = |device: &Device| {
        let decides = device.verdict.decides();
        let block = device.queue.limits().number(Attr::LogicalBlockSize).get();
        let block = block.map(|bytes| bytes.to_string()).unwrap_or_default();
        let labels = [
            ("logical_block_bytes", block.as_str()),
            ("kind", device.kind.word()),
            ("driver", device.driver.as_deref().unwrap_or_default()),
            ("decided_at", decides.map_or("", |reason| &reason.at)),
            ("rule", decides.map_or("", |reason| &reason.rule)),
        ];
        sample(device, &labels, 1.0)
    };
    Family {
        name: "zinspect_device_info",
        help: "What the device is (kind, driver, logical_block_bytes), the device of its stack that decides its verdict (decided_at) and by which rule; always 1.",
        samples: devices.iter().map(one).collect(),
    }
}

fn verdicts(devices: &[Device]) -> Family {
    let one = |device: &Device, zeroing: &Zeroing| {
        let value = f64::from(u8::from(device.verdict.zeroing == *zeroing));
        sample(device, &[("zeroing", zeroing.word())], value)
    };
    Family {
        name: "zinspect_verdict",
        help: "What becomes of a zeroes request: 1 for the verdict in label zeroing (unmap, offload, software, unsupported, unknown), 0 for the others.",
        samples: devices
            .iter()
            .flat_map(|device| Zeroing::ALL.iter().map(move |z| one(device, z)))
            .collect(),
    }
}

fn unread(device: &Device) -> u64 {
    let failed = |status| {
        matches!(
            status,
            Status::Denied | Status::Unsupported | Status::Malformed
        )
    };
    let count = device.unread.iter().filter(|unread| failed(unread.status));
    count.count() as u64
}

/// The gravest conflicts by name. Without a bound a stack of a thousand legs would be a thousand series.
fn conflicts(devices: &[Device]) -> Family {
    Family {
        name: "zinspect_conflicts",
        help: "Things that do not fit together, by rule and level (info, warning, error); of a device with more than two rules the gravest is named, the rest is rule \"others\".",
        samples: devices.iter().flat_map(conflicts_of).collect(),
    }
}

fn conflicts_of(device: &Device) -> Vec<Sample> {
    let mut by_rule: BTreeMap<(bool, std::cmp::Reverse<Level>, &str), u64> = BTreeMap::new();
    for conflict in &device.verdict.conflicts {
        let rule = conflict.rule.as_str();
        let rank = (
            !ALERTED.contains(&rule),
            std::cmp::Reverse(conflict.level),
            rule,
        );
        *by_rule.entry(rank).or_default() += 1;
    }
    let named = match by_rule.len() {
        all if all <= CONFLICTS => all,
        _ => CONFLICTS - 1,
    };
    let mut samples: Vec<Sample> = Vec::new();
    let mut others: Option<(Level, u64)> = None;
    for ((_, level, rule), count) in by_rule {
        if samples.len() < named {
            let labels = [("rule", rule), ("level", level.0.word())];
            samples.push(sample(device, &labels, number(count)));
        } else {
            let (gravest, sum) = others.get_or_insert((level.0, 0));
            *gravest = level.0.max(*gravest);
            *sum += count;
        }
    }
    samples.extend(others.map(|(level, count)| {
        let labels = [("rule", "others"), ("level", level.word())];
        sample(device, &labels, number(count))
    }));
    samples
}
