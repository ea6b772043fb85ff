//! Partitions: they have no queue, their requests go to the disk's (`bdev_get_queue`, include/linux/blkdev.h; since 2.6).

use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::verdict::prediction::Prediction;
use crate::verdict::reason::Reason;
use crate::verdict::stacking::legs::{Leg, chain, unknown_below};

/// The disk's numbers, and the disk's chain of reasons.
pub(super) fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let Some(disk) = &device.disk else {
        return Prediction::unknown("the disk it lies on could not be found", None, Vec::new());
    };
    let leg = Leg::of(judge, disk);
    let text = match leg.decisive() {
        Some(cause) if cause.at == *disk => format!("shares the queue of {disk}: {}", cause.text),
        Some(cause) => {
            format!(
                "shares the queue of {disk}; {} below decides: {}",
                cause.at, cause.text
            )
        }
        None => format!("shares the queue of {disk}"),
    };
    let own = Reason::new("partition-queue", &device.kname, text).by_rule(
        "bdev_get_queue (include/linux/blkdev.h)",
        "a partition has no queue of its own",
    );
    if leg.prediction.limits.is_err() {
        return unknown_below(own, &leg);
    }
    Prediction {
        limits: leg.prediction.limits.clone(),
        passed: leg.passed(),
        reasons: chain(own, Some(&leg)),
    }
}
