//! From names to a topology: all devices, or some and what stands below or above them.

use std::collections::{HashSet, VecDeque};

use crate::facts::collect::{CollectError, Collector};
use crate::model::device::BlockDevice;
use crate::model::ids::KName;
use crate::model::topology::Topology;

/// Devices and all they stand on, and what could not be read on the way.
#[derive(Debug, Default)]
pub struct Collected {
    /// The devices.
    pub topology: Topology,
    /// Devices that were named by others or by a listing and could not be read.
    pub missing: Vec<CollectError>,
}

/// Every device of the host.
pub fn all(collector: &Collector) -> Result<Collected, CollectError> {
    let (names, missing) = collector.listing()?;
    let mut collected = Collected {
        missing,
        ..Collected::default()
    };
    for kname in names {
        match collector.device(&kname) {
            Ok(device) => {
                collected.topology.add(device);
            }
            Err(error) => collected.missing.push(error),
        }
    }
    Ok(collected)
}

/// These devices, in this order, then everything below them; nothing else is opened.
pub fn with_stacks(collector: &Collector, targets: &[KName]) -> Collected {
    reach(collector, targets, |device| {
        device
            .slaves
            .iter()
            .chain(device.disk.iter())
            .cloned()
            .collect()
    })
}

/// These devices with all that stands on them, and what that stands on beside them.
pub fn with_holders(collector: &Collector, targets: &[KName]) -> Collected {
    reach(collector, targets, |device| {
        let below = device.slaves.iter().chain(device.disk.iter());
        below
            .chain(&device.holders)
            .chain(&device.partitions)
            .cloned()
            .collect()
    })
}

fn reach(
    collector: &Collector,
    targets: &[KName],
    next: impl Fn(&BlockDevice) -> Vec<KName>,
) -> Collected {
    let mut collected = Collected::default();
    let mut queue: VecDeque<KName> = targets.iter().cloned().collect();
    let mut failed = HashSet::new();
    while let Some(kname) = queue.pop_front() {
        if collected.topology.get(&kname).is_some() || failed.contains(&kname) {
            continue;
        }
        match collector.device(&kname) {
            Ok(device) => {
                queue.extend(next(&device));
                collected.topology.add(device);
            }
            Err(error) => {
                failed.insert(kname);
                collected.missing.push(error);
            }
        }
    }
    collected
}
