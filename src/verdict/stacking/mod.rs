//! Devices that stand on others: how limits pass upwards, one file for each rule.
//!
//! A stacked device is worked out from what its slaves hand up ([`Prediction::passed`]) and never from its own three
//! files, so that what the kernel shows of it can be held against it. The common ground is `blk_stack_limits`
//! (block/blk-settings.c): a plain minimum of wz, hw and the user's limit, where one 0 makes the result 0.

use crate::model::device::{BlockDevice, Kind};
use crate::verdict::Judge;
use crate::verdict::prediction::Prediction;

mod conflicts;
mod dm_table;
mod dm_targets;
mod dm_uuid;
mod dm_zoned;
mod legs;
mod md;
mod md_linear;
mod md_raid0;
mod md_unsupported;
mod nvme_head;
mod partition;
#[cfg(test)]
mod tests;

pub use conflicts::conflicts;
pub(super) use conflicts::{reload, stale};
pub use legs::PASSES_ON;
pub(super) use legs::{Leg, chain, clause, unknown_below};

/// What stacking makes of the devices below.
pub fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    match device.kind {
        Kind::Partition => partition::predict(judge, device),
        Kind::Dm => dm_table::predict(judge, device),
        Kind::Md => md::predict(judge, device),
        Kind::NvmeHead => nvme_head::predict(judge, device),
        kind => Prediction::unknown(
            format!("no rule for a {kind} to stand on others"),
            None,
            Vec::new(),
        ),
    }
}
