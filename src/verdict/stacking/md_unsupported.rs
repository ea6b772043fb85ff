//! MD levels that pass no zeroes command, whatever their members can: every kernel from 6.1 to 7.3, and on RAID4/5/6
//! with the bitmap `llbitmap` too, which looks at its members' unmap limits only for its own initial zeroing.

use crate::model::device::BlockDevice;
use crate::model::units::UNLIMITED;
use crate::verdict::prediction::{Passed, Prediction};
use crate::verdict::reason::Reason;
use crate::verdict::stacking::md::file;

/// The levels.
pub(super) const LEVELS: &[&str] = &["raid1", "raid10", "raid4", "raid5", "raid6"];

/// 0/0.
pub(super) fn predict(device: &BlockDevice, level: &str) -> Prediction {
    let rule = match level {
        "raid1" => "raid1_set_limits (drivers/md/raid1.c)",
        "raid10" => "raid10_set_queue_limits (drivers/md/raid10.c)",
        _ => "raid5_set_limits (drivers/md/raid5.c)",
    };
    let text = format!("MD level {level} passes no zeroes command, whatever its members can");
    let own = Reason::new("md-level", &device.kname, text)
        .because(file(device, "level"), level)
        .by_rule(rule, "max_write_zeroes_sectors = 0");
    Prediction::stacked(
        Passed {
            wz: 0,
            hw: 0,
            user: UNLIMITED,
        },
        vec![own],
    )
}
