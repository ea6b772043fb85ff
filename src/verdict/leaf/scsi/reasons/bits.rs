//! Which of LBPME, LBPRZ, LBPWS and LBPWS10 decides whether zeroes unmap.

use super::{
    CAPACITY_RULE, CONFIG, PROVISIONING_RULE, page_byte, page_value, reason, with_byte_14,
    with_flag, with_text,
};
use crate::facts::origin::Origin;
use crate::verdict::leaf::scsi::sd::{Inputs, Provisioning};
use crate::verdict::reason::Reason;
use crate::wire::scsi::capacity::ReadCapacity16;
use crate::wire::scsi::vpd::LOGICAL_BLOCK_PROVISIONING;

pub(super) fn unmap(inputs: &Inputs) -> Reason {
    let Provisioning {
        lbpws,
        lbprz_inferred,
        page,
        ..
    } = inputs.provisioning;
    let inferred = lbprz_inferred || page.is_none();
    let command = match (lbpws, inputs.facts.zeroing_mode.value().map(String::as_str)) {
        (Some(true), _) | (None, Some("writesame_16_unmap")) => ("WRITE SAME(16)", "LBPWS"),
        _ => ("WRITE SAME(10)", "LBPWS10"),
    };
    let (command, bit) = command;
    let lead = if inferred {
        format!("zeroing_mode says that LBPRZ and {bit} are set")
    } else {
        format!("LBPME, LBPRZ and {bit} are set")
    };
    let text = format!("{lead}: zeroes go out as {command} with UNMAP");
    let mut found = with_byte_14(reason(inputs, "scsi-zeroing-mode", text), inputs);
    if inferred {
        found = with_text(found, &inputs.facts.zeroing_mode)
            .because(Origin::Inferred("zeroing_mode".into()), "LBPRZ = 1");
    }
    found
        .because(
            page_byte(inputs, LOGICAL_BLOCK_PROVISIONING, "byte 5"),
            page_value(inputs, LOGICAL_BLOCK_PROVISIONING, 5),
        )
        .by_rule(
            CONFIG,
            "the unmap limit is set where LBPRZ meets LBPWS or LBPWS10",
        )
}

/// Which of the bits is missing.
pub(super) fn no_unmap(inputs: &Inputs) -> Reason {
    let Provisioning {
        lbpme,
        lbprz,
        lbprz_inferred,
        page,
        lbpws,
        lbpws10,
        ..
    } = inputs.provisioning;
    let facts = inputs.facts;
    if lbpme == Some(false) {
        return no_lbpme(inputs);
    }
    if lbprz == Some(false) {
        let also = match (lbpws, lbpws10) {
            (Some(false), Some(false)) => "; LBPWS and LBPWS10 are 0 as well",
            _ => "",
        };
        let byte = facts.rc16.value().and_then(|bytes| bytes.get(14));
        let text = match (lbprz_inferred, byte) {
            (false, Some(byte)) => format!(
                "LBPME is set but LBPRZ is 0: READ CAPACITY(16) byte 14 = {byte:#04x}{also}"
            ),
            _ => "LBPME and LBPWS are set, but zeroing_mode is writesame, so LBPRZ is 0".to_owned(),
        };
        let mut found = with_byte_14(reason(inputs, "scsi-lbprz", text), inputs);
        if lbprz_inferred {
            found = with_text(found, &facts.zeroing_mode)
                .because(Origin::Inferred("zeroing_mode".into()), "LBPRZ = 0");
        }
        return found.by_rule(
            CONFIG,
            "without LBPRZ an unmapped block may read as anything",
        );
    }
    if page.is_none() {
        let text = "zeroing_mode is writesame, so LBPRZ and LBPWS do not meet";
        return with_text(
            reason(inputs, "scsi-zeroing-mode", text),
            &facts.zeroing_mode,
        )
        .because(Origin::Inferred("zeroing_mode".into()), "no unmap")
        .by_rule(
            CONFIG,
            "the mode is an unmap one wherever LBPRZ meets LBPWS or LBPWS10",
        );
    }
    no_lbpws(inputs)
}

fn no_lbpme(inputs: &Inputs) -> Reason {
    let facts = inputs.facts;
    let capacity = facts.capacity();
    let device_has = capacity.value().is_some_and(ReadCapacity16::lbpme);
    let text = match facts.takes_read_capacity_16(inputs.device) {
        _ if device_has => {
            "LBPME is set in the device, but sd has it as 0: it was set since the last rescan"
                .to_owned()
        }
        Some(false) => {
            let level = facts
                .scsi_level
                .get()
                .map(|level| format!(" (scsi_level {level})"));
            format!(
                "sd reads READ CAPACITY(10) from this disk{}, which has no LBPME: no thin \
                 provisioning",
                level.unwrap_or_default()
            )
        }
        _ => "LBPME is 0: the disk does not offer thin provisioning".to_owned(),
    };
    let mut found = with_byte_14(reason(inputs, "scsi-lbpme", text), inputs);
    found = with_flag(found, &facts.thin_provisioning);
    found.by_rule(
        CAPACITY_RULE,
        "LBPME and LBPRZ come from READ CAPACITY(16) byte 14 alone",
    )
}

fn no_lbpws(inputs: &Inputs) -> Reason {
    let unmap = inputs.provisioning.lbpu == Some(true);
    let text = match (inputs.provisioning.page, unmap) {
        (Some(true), true) => {
            "LBPWS and LBPWS10 are 0: it unmaps by the UNMAP command alone, which sd does not \
             zero with"
        }
        (Some(true), false) => "LBPWS and LBPWS10 are 0: no WRITE SAME with UNMAP",
        _ => "sd has no VPD page B2h of this disk, so LBPWS and LBPWS10 count as 0",
    };
    reason(inputs, "scsi-lbpws", text)
        .because(
            page_byte(inputs, LOGICAL_BLOCK_PROVISIONING, "byte 5"),
            page_value(inputs, LOGICAL_BLOCK_PROVISIONING, 5),
        )
        .by_rule(
            PROVISIONING_RULE,
            "bit 6 is LBPWS, bit 5 LBPWS10; a page below 8 bytes is none",
        )
}
