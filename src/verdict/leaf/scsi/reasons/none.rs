//! Why a disk takes no WRITE SAME.

use super::{
    CONFIG, READ_WRITE_SAME, page_byte, reason, with_driver, with_longest, with_support, with_text,
};
use crate::facts::origin::Origin;
use crate::model::units::in_words;
use crate::verdict::leaf::scsi::sd::{Ban, Inputs, Rule};
use crate::verdict::reason::Reason;
use crate::wire::scsi::vpd::ATA_INFORMATION;

/// Of a disk that takes no WRITE SAME at all.
pub(in super::super) fn of_none(inputs: &Inputs) -> Vec<Reason> {
    let rule = inputs.rule();
    let first = match (rule, inputs.unrounded(), inputs.formula()) {
        (Rule::Banned(ban), ..) => banned(inputs, ban),
        (Rule::NotSupported, ..) => not_supported(inputs),
        (_, Some(before), Some(0)) => rounded_away(inputs, before),
        (_, _, formula) => stopped(inputs, formula),
    };
    vec![with_text(first, &inputs.facts.max_write_same_blocks)]
}

fn banned(inputs: &Inputs, ban: Ban) -> Reason {
    const ATA_TEXT: &str =
        "an ATA disk that does not answer REPORT SUPPORTED OPERATION CODES: sd gives up WRITE SAME";
    match ban {
        Ban::Driver(rule) => {
            let name = rule.names.first().copied().unwrap_or_default();
            let text = format!("{name} tells sd not to use WRITE SAME on its disks");
            with_driver(reason(inputs, "scsi-no-write-same", text), inputs)
                .by_rule(rule.source, "no_write_same = 1")
        }
        Ban::AtaVendor => {
            let vendor = inputs.facts.vendor.value().cloned().unwrap_or_default();
            reason(inputs, "scsi-rsoc", ATA_TEXT)
                .because(
                    Origin::File(format!("/{}/device/vendor", inputs.device.syspath)),
                    vendor,
                )
                .by_rule(
                    READ_WRITE_SAME,
                    "since 6.17: the vendor field is exactly ATA",
                )
        }
        Ban::AtaPage => reason(inputs, "scsi-rsoc", ATA_TEXT)
            .because(page_byte(inputs, ATA_INFORMATION, ""), "present")
            .by_rule(
                READ_WRITE_SAME,
                "up to 6.16: there is VPD page 89h (ATA Information)",
            ),
    }
}

fn not_supported(inputs: &Inputs) -> Reason {
    let opcodes = &inputs.facts.opcodes;
    let text = "the device says that it supports neither WRITE SAME(16) nor WRITE SAME(10)";
    let mut found = reason(inputs, "scsi-rsoc", text);
    for fact in [&opcodes.write_same_16, &opcodes.write_same_10] {
        found = with_support(found, fact);
    }
    with_longest(found, inputs).by_rule(
        CONFIG,
        "up to 65535 blocks sd wants one of the two to be supported",
    )
}

fn rounded_away(inputs: &Inputs, before: u64) -> Reason {
    let physical = inputs.physical.map(in_words).unwrap_or_default();
    let text = format!(
        "the limit of {before} blocks is less than one physical block ({physical}), and rounds \
         down to 0"
    );
    with_longest(reason(inputs, "scsi-write-same-limit", text), inputs)
        .by_rule(CONFIG, "the limit is rounded down to the physical block")
}

/// `max_write_same_blocks` is 0, and nothing in the device's answers says why.
fn stopped(inputs: &Inputs, formula: Option<u64>) -> Reason {
    let mode = &inputs.facts.zeroing_mode;
    let given = formula
        .map(|blocks| format!(", though its answers give {blocks}"))
        .unwrap_or_default();
    let why = match (mode.value().map(String::as_str), inputs.host) {
        (_, Some(rule)) if rule.only.is_some() => format!(
            "{} sets that {}",
            rule.names.first().copied().unwrap_or_default(),
            rule.only.unwrap_or_default()
        ),
        (Some("write"), _) => {
            "sd never used it: a flag of its driver, or no medium when sd looked".to_owned()
        }
        (Some(mode), _) => format!(
            "zeroing_mode is {mode}, so sd once used it: a WRITE SAME failed since, or someone \
             wrote 0"
        ),
        (None, _) => "a flag of its driver, a failed command, or someone wrote 0".to_owned(),
    };
    let text = format!("max_write_same_blocks is 0{given}: {why}");
    let found = with_text(reason(inputs, "scsi-no-write-same", text), mode);
    let found = match inputs.host {
        Some(rule) => {
            with_driver(found, inputs).by_rule(rule.source, rule.only.unwrap_or("always"))
        }
        None => found,
    };
    found.by_rule(
        CONFIG,
        "no_write_same clears the limit and leaves zeroing_mode as it was",
    )
}
