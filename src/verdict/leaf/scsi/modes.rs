//! `zeroing_mode` and `provisioning_mode` as sd sets them by itself.

use super::sd::{Inputs, Longest, Provisioning, both, either};
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::wire::scsi::vpd::{BLOCK_LIMITS, BlockLimits};

/// The two modes of a disk; `None` where the facts do not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SdModes {
    /// `scsi_disk/*/zeroing_mode`.
    pub zeroing: Option<&'static str>,
    /// `scsi_disk/*/provisioning_mode`.
    pub provisioning: Option<&'static str>,
}

/// The modes that follow from the device's answers. A mode that a user wrote since is a difference,
/// and a `provisioning_mode` that says `disabled` is one after a failed discard.
pub fn predicted_modes(judge: &Judge, device: &BlockDevice) -> SdModes {
    let Some(facts) = device
        .scsi
        .as_deref()
        .filter(|_| device.driver == Some("sd"))
    else {
        return SdModes::default();
    };
    let inputs = Inputs::of(judge, device, facts);
    SdModes {
        zeroing: zeroing(&inputs),
        provisioning: provisioning(judge, &inputs),
    }
}

/// `sd_config_write_same`: a disk banned from the start keeps the initial `write`.
pub(super) fn zeroing(inputs: &Inputs) -> Option<&'static str> {
    let file = inputs.file;
    let kernel = inputs.facts.zeroing_mode.value().map(String::as_str);
    let untouched = file.is_none_or(|blocks| blocks == 0);
    // A flag that no rule here knows shows itself by the initial mode beside a limit of 0.
    let unknown_ban = file == Some(0) && kernel == Some("write");
    if untouched && (inputs.ban().is_some() || unknown_ban) {
        return Some("write");
    }
    let Provisioning {
        lbprz,
        lbprz_inferred,
        lbpws,
        lbpws10,
        ..
    } = inputs.provisioning;
    if lbprz_inferred {
        return None;
    }
    match (both(lbprz, lbpws), both(lbprz, lbpws10)) {
        (Some(true), _) => return Some("writesame_16_unmap"),
        (Some(false), Some(true)) => return Some("writesame_10_unmap"),
        (Some(false), Some(false)) => {}
        _ => return None,
    }
    // The mode is decided before the limit is rounded, and stays when the limit is cleared later.
    let limit = match (file, inputs.unrounded()) {
        (Some(blocks), _) if blocks > 0 => Some(blocks),
        (_, unrounded) => unrounded,
    };
    limit.map(|blocks| if blocks > 0 { "writesame" } else { "write" })
}

/// `sd_discard_mode` since 6.11; before, `read_capacity_16` and `sd_read_block_limits` set it on
/// the way.
fn provisioning(judge: &Judge, inputs: &Inputs) -> Option<&'static str> {
    let Provisioning {
        lbpme,
        page,
        lbpu,
        lbpws,
        lbpws10,
        ..
    } = inputs.provisioning;
    if !lbpme? {
        return Some("full");
    }
    if inputs.longest == Longest::Unknown {
        return None;
    }
    let limits = limits(judge, inputs);
    if limits.is_none() && judge.kernel.at_least(6, 11) == Some(false) {
        return Some("writesame_16");
    }
    let most = limits.as_ref().is_some_and(names_unmap);
    if !page? {
        return Some(if most { "unmap" } else { "writesame_16" });
    }
    match (both(lbpu, Some(most))?, lbpws?, lbpws10?) {
        (true, ..) => Some("unmap"),
        (_, true, _) => Some("writesame_16"),
        (_, _, true) => Some("writesame_10"),
        _ => Some("disabled"),
    }
}

/// Page B0h where sd counts it.
fn limits(judge: &Judge, inputs: &Inputs) -> Option<BlockLimits> {
    match (inputs.longest, inputs.facts.block_limits()) {
        (Longest::Page(_), Reading::Present(page))
            if inputs.facts.counts(BLOCK_LIMITS, judge.kernel) =>
        {
            Some(page.value)
        }
        _ => None,
    }
}

fn names_unmap(limits: &BlockLimits) -> bool {
    let some = |field: Option<u32>| field.map(|number| number > 0);
    let blocks = some(limits.maximum_unmap_lba_count());
    let descriptors = some(limits.maximum_unmap_block_descriptor_count());
    both(blocks, descriptors) == Some(true)
}

/// Whether UNMAP or a WRITE SAME with UNMAP is there by page B2h, as the device has it and whatever
/// LBPME says.
pub(super) fn device_unmaps(inputs: &Inputs) -> Option<bool> {
    let page = inputs.facts.provisioning();
    let page = &page.value()?.value;
    either(page.lbpu(), either(page.lbpws(), page.lbpws10()))
}
