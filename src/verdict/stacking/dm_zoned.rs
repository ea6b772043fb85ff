//! The target `zoned` (`dmz_io_hints`, drivers/md/dm-zoned-target.c; the same from 6.1 to 7.3).
//!
//! wz is set to the size of a zone, after the devices' limits were taken and whatever they are, as long as each has a
//! zeroes command; hw is left at their minimum. Where that is neither 0 nor the zone's size the kernel refuses the
//! table (since 6.17), so that such a device cannot exist. Before, there is no hw to refuse, and none to hand on.

use crate::facts::dm::DmFacts;
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::ids::KName;
use crate::model::units::{Sectors, clamp_limit};
use crate::verdict::Judge;
use crate::verdict::prediction::Passed;

/// The limits of the target from those of its devices; the error says what is missing.
pub(super) fn apply(
    judge: &Judge,
    dm: &DmFacts,
    devices: &[KName],
    below: Passed,
) -> Result<Passed, String> {
    let zone = zone_sectors(judge, dm, devices).and_then(|sectors| Sectors(sectors).bytes());
    let zone = zone.filter(|bytes| *bytes > 0).map(clamp_limit);
    let zone = zone.ok_or("the size of a zone below is not known (queue/chunk_sectors)")?;
    if below.hw != 0 && below.hw != zone {
        if !judge.has_unmap_limits() {
            return Ok(Passed {
                wz: zone,
                hw: 0,
                ..below
            });
        }
        return Err("the kernel refuses a zoned target over devices that unmap (EINVAL)".into());
    }
    Ok(Passed { wz: zone, ..below })
}

fn zone_sectors(judge: &Judge, dm: &DmFacts, devices: &[KName]) -> Option<u64> {
    if let Reading::Present(sectors) = dm.zone_sectors {
        return Some(sectors);
    }
    let of = |kname: &KName| {
        let device = judge.topology.get(kname)?;
        let disk = judge.topology.disk_of(device);
        disk.queue
            .number(Attr::ChunkSectors)
            .get()
            .filter(|sectors| *sectors > 0)
    };
    devices.iter().find_map(of)
}
