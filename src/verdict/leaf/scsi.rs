//! SCSI disks: what `sd_config_write_same` makes of the device's answers (drivers/scsi/sd.c, Linux
//! 6.1 to 7.3).

use crate::facts::origin::Origin;
use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::verdict::prediction::{Limits, Prediction, blocks_as_limit};
use crate::verdict::reason::Conflict;

mod conflicts;
mod hosts;
mod modes;
mod reasons;
mod sd;
#[cfg(test)]
mod tests;
mod unread;

pub use modes::{SdModes, predicted_modes};

use sd::Inputs;

const TO_KNOW: &str = "run as root, or give read access to the device's node: READ CAPACITY(16) \
                       and REPORT SUPPORTED OPERATION CODES need no privilege beyond that";

/// What sd makes of the device's answers, and of `max_write_same_blocks` where it was read: a user
/// may have written it.
pub fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let Some(facts) = device.scsi.as_deref() else {
        return Prediction::unknown("no SCSI facts were read", None, Vec::new());
    };
    let inputs = Inputs::of(judge, device, facts);
    let Some(blocks) = inputs.blocks() else {
        let reason = reasons::limit_unknown(&inputs);
        return Prediction::unknown(reason.text.clone(), Some(TO_KNOW), vec![reason]);
    };
    if blocks == 0 {
        return Prediction::known(Limits::NONE, reasons::of_none(&inputs));
    }
    let Some(block) = inputs.block else {
        let why =
            "the logical block size was not read, so the limit in blocks can't be told in bytes";
        return Prediction::unknown(why, None, reasons::of_limit(&inputs, blocks));
    };
    let limit = blocks_as_limit(blocks, block);
    let Some(unmaps) = inputs.unmaps() else {
        let mut chain = vec![reasons::unmap_unknown(&inputs)];
        chain.extend(reasons::of_limit(&inputs, blocks));
        let why = chain
            .first()
            .map(|reason| reason.text.clone())
            .unwrap_or_default();
        return Prediction::unknown(why, Some(TO_KNOW), chain);
    };
    let hw = if unmaps { limit } else { 0 };
    Prediction::known(
        Limits::new(limit, hw),
        reasons::of_some(&inputs, unmaps, blocks),
    )
}

/// LBPRZ as sd has it, and where that stands: READ CAPACITY(16), or `zeroing_mode` where that was
/// not read. Without LBPME it does not count.
pub fn lbprz(judge: &Judge, device: &BlockDevice) -> Option<(bool, Origin)> {
    let facts = device.scsi.as_deref()?;
    let provisioning = Inputs::of(judge, device, facts).provisioning;
    let origin = if provisioning.lbprz_inferred {
        Origin::Inferred("zeroing_mode".into())
    } else if provisioning.lbpme == Some(false) && facts.thin_provisioning.value().is_some() {
        facts.thin_provisioning.origin.clone()
    } else {
        facts.rc16.origin.clone()
    };
    provisioning.lbprz.map(|lbprz| (lbprz, origin))
}

/// What does not fit together at a SCSI disk.
pub fn conflicts(judge: &Judge, device: &BlockDevice) -> Vec<Conflict> {
    let Some(facts) = device.scsi.as_deref() else {
        return Vec::new();
    };
    conflicts::all(&Inputs::of(judge, device, facts))
}
