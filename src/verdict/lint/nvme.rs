//! Controllers that claim a command which the kernel does not use, or that are used in another way.

use super::{Finding, finding};
use crate::model::device::{BlockDevice, Kind};
use crate::verdict::Judge;
use crate::verdict::leaf::nvme::byte;
use crate::verdict::quirks::{self, Quirks};
use crate::verdict::reason::{Evidence, Level};
use crate::wire::nvme::identify::Oncs;

pub(super) fn all(judge: &Judge, device: &BlockDevice) -> Vec<Finding> {
    if !matches!(device.kind, Kind::Disk | Kind::NvmePath) {
        return Vec::new();
    }
    let controllers = device.nvme.iter().flat_map(|nvme| &nvme.controllers);
    controllers
        .into_iter()
        .filter_map(|controller| {
            let (quirks, evidence) = quirks::in_force(controller, judge.kernel);
            let quirks = quirks?;
            let oncs = controller.data().get()?.oncs();
            let (what, why) = if quirks.contains(Quirks::DISABLE_WRITE_ZEROES)
                && oncs.contains(Oncs::WRITE_ZEROES)
            {
                (
                    "the device claims Write Zeroes, the kernel does not use it (quirk DISABLE_WRITE_ZEROES)",
                    "devices of this id fail the command or do it slowly: other tools that send it harm them",
                )
            } else if quirks.contains(Quirks::DEALLOCATE_ZEROES) {
                (
                    "zeroes are sent as Deallocate (quirk DEALLOCATE_ZEROES), and no unmap limit says so",
                    "zeroing deallocates also where a caller asked for allocated blocks",
                )
            } else {
                return None;
            };
            let mut found = finding(device, "nvme-quirk", Level::Info, what, why);
            found.evidence = vec![
                evidence,
                Evidence::new(
                    byte(&controller.identify.origin, "bytes 521:520 (ONCS)"),
                    format!("{:#06x}", oncs.bits()),
                ),
            ];
            Some(found)
        })
        .collect()
}
