//! Devices that stand on no other block device: the driver's own rule.

use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::units::UNLIMITED;
use crate::verdict::Judge;
use crate::verdict::prediction::{Limits, Passed, Prediction};

pub mod loop_;
pub mod nvme;
pub mod scsi;
pub mod simple;

/// What the driver's rule makes of the device's facts.
pub fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let mut prediction = match (device.kind, device.driver) {
        (Kind::Disk | Kind::NvmePath, Some("nvme")) => nvme::predict(judge, device),
        (Kind::Disk, Some("sd")) => scsi::predict(judge, device),
        (Kind::Loop, _) => loop_::predict(judge, device),
        _ => simple::predict(judge, device),
    };
    if let Ok(limits) = prediction.limits {
        prediction.passed = Some(passed_up(device, limits));
    }
    prediction
}

/// What a leaf hands to what is stacked on it: its rule's numbers, corrected by what its own three files alone can
/// tell. A runtime disable (`blk_queue_disable_write_zeroes` clears wz and un and leaves hw) and the user's limit
/// stand nowhere else.
pub fn passed_up(device: &BlockDevice, limits: Limits) -> Passed {
    let number = |attr: Attr| device.queue.number(attr);
    let hw = number(Attr::WriteZeroesUnmapMaxHwBytes).get();
    let mut passed = Passed {
        wz: limits.write_zeroes_max_bytes,
        hw: limits.write_zeroes_unmap_max_hw_bytes,
        user: UNLIMITED,
    };
    if number(Attr::WriteZeroesMaxBytes) == Reading::Present(0) {
        passed.wz = 0;
        passed.hw = hw.unwrap_or(0);
    } else if let (Some(hw), Some(un)) = (hw, number(Attr::WriteZeroesUnmapMaxBytes).get())
        && un < hw
    {
        passed.user = un;
    }
    passed
}
