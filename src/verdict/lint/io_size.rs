//! `optimal_io_size` that no device can mean: filesystems, LVM and MD lay themselves out by it.

use super::{Finding, finding};
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::model::device::{BlockDevice, Kind};
use crate::model::units::in_words;
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

const WHY: &str = "partitioning tools, LVM and filesystems align by it: metadata areas of gigabytes, boot loaders that \
                   find no room, stripes that fit nothing";
/// No stripe of a real array is as wide.
const WIDEST: u64 = 1 << 30;
/// Bridges and controllers that put the largest 16-bit transfer length here, some rounded down to their page.
const LARGEST_TRANSFER: u64 = 0xffff;

pub(super) fn all(judge: &Judge, device: &BlockDevice) -> Vec<Finding> {
    if device.kind == Kind::Partition {
        return Vec::new();
    }
    let number = |attr| device.queue.number(attr).get();
    let (Some(optimal), Some(block)) = (
        number(Attr::OptimalIoSize),
        number(Attr::LogicalBlockSize).filter(|block| *block > 0),
    ) else {
        return Vec::new();
    };
    let least = number(Attr::MinimumIoSize).unwrap_or(block).max(block);
    let stacked = device.kind.is_stacked();
    // A block of an absurd size has no such transfer in 64 bits.
    let bogus = LARGEST_TRANSFER
        .checked_mul(block)
        .is_some_and(|largest| optimal <= largest && optimal.saturating_add(4096) > largest);
    let (level, text) = match () {
        () if optimal == 0 => return Vec::new(),
        () if optimal > WIDEST && stacked => (
            Level::Warning,
            "is what comes out when sizes below that have no common multiple are multiplied: it ran over",
        ),
        () if optimal > WIDEST => (Level::Warning, "is wider than any device's stripe"),
        () if bogus && !optimal.is_power_of_two() => (
            Level::Warning,
            "is the largest transfer of 0xffff blocks, not what the device does best",
        ),
        () if optimal % least != 0 => (
            Level::Warning,
            "is no multiple of the smallest efficient size, so that no layout fits both",
        ),
        () if !stacked && !optimal.is_power_of_two() => (
            Level::Info,
            "is no power of two: right for a RAID controller, doubtful for a single disk",
        ),
        () => return Vec::new(),
    };
    let what = format!("optimal_io_size {} {text}", in_words(optimal));
    let mut found = finding(device, "optimal-io-size", level, what, WHY);
    for (attr, value) in [
        (Attr::OptimalIoSize, optimal),
        (Attr::MinimumIoSize, least),
        (Attr::LogicalBlockSize, block),
    ] {
        let path = format!("{}/{}", device.queue_path(), attr.name());
        found
            .evidence
            .push(Evidence::new(Origin::File(path), value.to_string()));
    }
    if level == Level::Warning {
        found.advice = Some(advice(judge, device));
    }
    vec![found]
}

fn advice(judge: &Judge, device: &BlockDevice) -> String {
    let below: Vec<String> = judge
        .topology
        .below(device)
        .map(ToString::to_string)
        .collect();
    if below.is_empty() {
        "give alignment by hand: `parted --align min`, `pvcreate --dataalignment 1m`, `mkfs.xfs -d su=…,sw=…`".into()
    } else {
        format!("look at optimal_io_size of {}", below.join(", "))
    }
}
