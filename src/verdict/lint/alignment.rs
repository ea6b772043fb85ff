//! Partitions that begin in the middle of a physical block.

use super::{Finding, finding};
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::units::in_words;
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

const WHY: &str = "every block of a filesystem lies across two of the device: writes become reads and writes, and \
                   zeroing deallocates less than was asked";

pub(super) fn all(judge: &Judge, device: &BlockDevice) -> Vec<Finding> {
    if device.kind != Kind::Partition {
        return Vec::new();
    }
    let disk = judge.topology.disk_of(device);
    let Some(start) = device.start_bytes.get() else {
        return Vec::new();
    };
    let unit = missed(disk, start);
    let Some((attr, unit, first)) = unit else {
        return Vec::new();
    };
    // Off the unit of discard only its ends stay mapped.
    let level = if attr == Attr::PhysicalBlockSize {
        Level::Warning
    } else {
        Level::Info
    };
    let (file, off) = if attr == Attr::PhysicalBlockSize {
        ("alignment_offset", first)
    } else {
        ("discard_alignment", first)
    };
    let beyond = match off {
        0 => String::new(),
        off => format!(" beyond {file} {off}"),
    };
    let what = format!(
        "begins at byte {start}, which is no multiple of {} {unit}{beyond}",
        attr.name()
    );
    let mut found = finding(device, "partition-misaligned", level, what, WHY);
    found.evidence = vec![
        Evidence::new(
            Origin::File(format!("/{}/start", device.syspath)),
            (start / 512).to_string(),
        ),
        Evidence::new(
            Origin::File(format!("{}/{}", device.queue_path(), attr.name())),
            unit.to_string(),
        ),
    ];
    if first > 0 {
        found.evidence.push(Evidence::new(
            Origin::File(format!("/{}/{file}", disk.syspath)),
            first.to_string(),
        ));
    }
    found.advice = Some(advice(unit, first));
    vec![found]
}

/// The unit that a place lies off, with where the first of it begins.
fn missed(disk: &BlockDevice, start: u64) -> Option<(Attr, u64, u64)> {
    let number = |attr| disk.queue.number(attr).get().filter(|bytes| *bytes > 0);
    // Of the disk: where its blocks begin. A kernel or a capture without the file has them at 0; -1 is "no such place".
    let offset = |reading: &Reading<u64>| match reading {
        Reading::Present(offset) => Some(*offset),
        Reading::Absent | Reading::NotAsked(_) => Some(0),
        _ => None,
    };
    [
        (Attr::PhysicalBlockSize, &disk.alignment_offset),
        (Attr::DiscardGranularity, &disk.discard_alignment),
    ]
    .into_iter()
    .find_map(|(attr, first)| {
        let (unit, first) = (number(attr)?, offset(first)?);
        (start % unit != first % unit).then_some((attr, unit, first % unit))
    })
}

/// Partitioning tools begin at multiples of 1 MiB; where that is no multiple of the unit, at the next common one.
fn advice(unit: u64, first: u64) -> String {
    const USUAL: u64 = 1 << 20;
    let common = (USUAL / gcd(USUAL, unit)).saturating_mul(unit);
    let beyond = match first {
        0 => String::new(),
        first => format!(" and {first} bytes"),
    };
    format!(
        "only moving it helps: begin at a multiple of {}{beyond}",
        in_words(common)
    )
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
