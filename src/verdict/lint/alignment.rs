//! Partitions that begin in the middle of a physical block.

use super::{Finding, finding};
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::model::device::{BlockDevice, Kind};
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

const WHY: &str = "every block of a filesystem lies across two of the device: writes become reads and writes, and \
                   zeroing deallocates less than was asked";

pub(super) fn all(judge: &Judge, device: &BlockDevice) -> Vec<Finding> {
    if device.kind != Kind::Partition {
        return Vec::new();
    }
    let disk = judge.topology.disk_of(device);
    let number = |attr| disk.queue.number(attr).get().filter(|bytes| *bytes > 0);
    let Some(start) = device.start_bytes.get() else {
        return Vec::new();
    };
    let unit = [Attr::PhysicalBlockSize, Attr::DiscardGranularity]
        .into_iter()
        .find_map(|attr| Some((attr, number(attr).filter(|unit| start % unit != 0)?)));
    let Some((attr, unit)) = unit else {
        return Vec::new();
    };
    // A granularity is where unmapping begins, which may lie off 0 (discard_alignment), so it weighs less.
    let level = if attr == Attr::PhysicalBlockSize {
        Level::Warning
    } else {
        Level::Info
    };
    let what = format!(
        "begins at byte {start}, which is no multiple of {} {unit}",
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
    found.advice = Some("only moving it helps: begin at a multiple of 1 MiB".to_owned());
    vec![found]
}
