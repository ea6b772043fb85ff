//! What does not fit together at a SCSI disk.

use super::modes;
use super::sd::{B0_BYTES, DEFAULT_BLOCKS, Inputs, Longest};
use super::unread;
use crate::facts::origin::{Fact, Origin};
use crate::facts::reading::Reading;
use crate::verdict::reason::{Conflict, Evidence, Level};
use crate::wire::scsi::capacity::ReadCapacity16;
use crate::wire::scsi::vpd::{
    self, BLOCK_LIMITS, BlockCharacteristics, BlockLimits, LOGICAL_BLOCK_PROVISIONING,
    LogicalBlockProvisioning, PageError, PageFinding,
};

/// Says of page B0h all that its length brings about.
const LIMIT_IGNORED: &str = "scsi-write-same-limit-ignored";

/// Every conflict of a disk.
pub(super) fn all(inputs: &Inputs) -> Vec<Conflict> {
    let mut found = Vec::new();
    found.extend(mode_differs(inputs));
    found.extend(lbprz_disagrees(inputs));
    found.extend(unmap_without_lbpme(inputs));
    found.extend(limit_ignored(inputs));
    found.extend(limit_written(inputs));
    found.extend(unread::mode_under_limit(inputs));
    found.extend(unread::zero_beside_unmap(inputs));
    let told = found.iter().any(|conflict| conflict.rule == LIMIT_IGNORED);
    for (code, fact) in &inputs.facts.vpd {
        if *code != BLOCK_LIMITS || !told {
            found.extend(page_odd(inputs, *code, fact));
        }
    }
    found
}

pub(super) fn conflict(
    inputs: &Inputs,
    rule: &'static str,
    level: Level,
    text: impl Into<String>,
) -> Conflict {
    Conflict {
        rule,
        level,
        at: inputs.device.kname.clone(),
        text: text.into(),
        evidence: Vec::new(),
        advice: None,
    }
}

fn page_evidence(inputs: &Inputs, code: u8, bytes: &str, value: String) -> Option<Evidence> {
    let origin = match &inputs.facts.page(code)?.origin {
        Origin::Vpd { via, what } => Origin::Vpd {
            via: via.clone(),
            what: format!("{what} {bytes}"),
        },
        other => other.clone(),
    };
    Some(Evidence::new(origin, value))
}

fn capacity_evidence(inputs: &Inputs) -> Option<Evidence> {
    let fact = &inputs.facts.rc16;
    let byte = fact.value()?.get(14)?;
    Some(Evidence::new(
        fact.origin.clone(),
        format!("byte 14 = {byte:#04x}"),
    ))
}

pub(super) fn file_evidence<T: std::fmt::Display>(fact: &Fact<T>) -> Option<Evidence> {
    fact.value()
        .map(|value| Evidence::new(fact.origin.clone(), value.to_string()))
}

/// The path of a file of `scsi_disk`, for an advice.
fn path<T>(fact: &Fact<T>) -> String {
    fact.origin.to_string()
}

/// T12: the mode was set by hand, or the device lost what sd keeps having of it.
fn mode_differs(inputs: &Inputs) -> Option<Conflict> {
    let fact = &inputs.facts.zeroing_mode;
    let kernel = fact.value()?.as_str();
    let predicted = modes::zeroing(inputs)?;
    if kernel == predicted {
        return None;
    }
    let unmaps = |mode: &str| mode.ends_with("_unmap");
    let (level, text) = match (unmaps(predicted), unmaps(kernel)) {
        (true, false) => (
            Level::Warning,
            format!(
                "zeroing_mode is {kernel} where the device gives {predicted}: it was set by hand, \
                 and zeroes are written whatever the unmap limits say"
            ),
        ),
        (false, true) => (
            Level::Warning,
            format!(
                "zeroing_mode is {kernel} where the device gives {predicted}: it was set by hand, \
                 or the device lost LBPRZ since it was found; zeroes go out with UNMAP, and an \
                 unmapped block may read as anything"
            ),
        ),
        _ => (
            Level::Info,
            format!(
                "zeroing_mode is {kernel} where the device gives {predicted}: it was set by hand, \
                 and limits and deallocation are the same in both"
            ),
        ),
    };
    let mut found = conflict(inputs, "scsi-zeroing-mode-differs", level, text);
    found.evidence.extend(file_evidence(fact));
    found.evidence.extend(capacity_evidence(inputs));
    found.evidence.push(Evidence::rule(
        "zeroing_mode_store (drivers/scsi/sd.c)",
        "a write changes the mode and no limit; the next rescan decides anew",
    ));
    if level > Level::Info {
        found.advice = Some(format!(
            "to have sd's own choice back: echo {predicted} > {}",
            path(fact)
        ));
    }
    Some(found)
}

/// READ CAPACITY(16) decides, page B2h does not.
fn lbprz_disagrees(inputs: &Inputs) -> Option<Conflict> {
    let capacity = inputs.facts.capacity();
    let capacity = capacity.value().filter(|capacity| capacity.lbpme())?;
    let page = inputs.facts.provisioning();
    let field = page.value()?.value.lbprz()?;
    // xx1b is "zeroes".
    let by_page = field & 1 == 1;
    if by_page == capacity.lbprz() {
        return None;
    }
    let text = format!(
        "READ CAPACITY(16) says LBPRZ {}, VPD page B2h says {field:03b}b: sd goes by the former \
         alone",
        u8::from(capacity.lbprz())
    );
    let mut found = conflict(inputs, "scsi-lbprz-disagree", Level::Info, text);
    found.evidence.extend(capacity_evidence(inputs));
    let value = format!("LBPRZ = {field:03b}b");
    found.evidence.extend(page_evidence(
        inputs,
        LOGICAL_BLOCK_PROVISIONING,
        "byte 5",
        value,
    ));
    found.evidence.push(Evidence::rule(
        "read_capacity_16 (drivers/scsi/sd.c)",
        "LBPRZ is byte 14 bit 6, where bit 7 (LBPME) is set",
    ));
    Some(found)
}

/// Bridges that pass the page of the disk behind them, but do not set LBPME.
fn unmap_without_lbpme(inputs: &Inputs) -> Option<Conflict> {
    let capacity = inputs.facts.capacity();
    let device_has = capacity.value().is_some_and(ReadCapacity16::lbpme);
    let off = inputs.provisioning.lbpme == Some(false) && !device_has;
    if !off || modes::device_unmaps(inputs) != Some(true) {
        return None;
    }
    let text = "VPD page B2h offers to unmap, but LBPME is 0, so the kernel neither discards nor \
                zeroes by unmapping; many USB bridges announce it so, some of them truly, some not";
    let mut found = conflict(inputs, "scsi-lbpu-without-lbpme", Level::Warning, text);
    found.evidence.extend(capacity_evidence(inputs));
    let thin = &inputs.facts.thin_provisioning;
    if let Some(value) = thin.value() {
        found.evidence.push(Evidence::new(
            thin.origin.clone(),
            u8::from(*value).to_string(),
        ));
    }
    let byte = inputs
        .facts
        .page(LOGICAL_BLOCK_PROVISIONING)?
        .value()?
        .get(5)
        .copied()?;
    let value = format!("{byte:#04x}");
    found.evidence.extend(page_evidence(
        inputs,
        LOGICAL_BLOCK_PROVISIONING,
        "byte 5",
        value,
    ));
    found.advice = Some(
        "do not write provisioning_mode by hand before a probe on a disk without data has shown \
         that unmapping works"
            .to_owned(),
    );
    Some(found)
}

/// LIO with thin provisioning answers a page B0h of 44 bytes, whose limit sd does not take.
fn limit_ignored(inputs: &Inputs) -> Option<Conflict> {
    let Longest::Short(length, Some(limit)) = inputs.longest else {
        return None;
    };
    if limit == 0 || inputs.unrounded() == Some(0) || inputs.file == Some(limit) {
        return None;
    }
    let too_much = limit < DEFAULT_BLOCKS;
    let (level, text) = if too_much {
        (
            Level::Warning,
            format!(
                "the device takes {limit} blocks in a WRITE SAME, but sd sends up to \
                 {DEFAULT_BLOCKS}: it ignores a page B0h of {length} bytes; the first larger \
                 zeroing fails, and then zeroes are written"
            ),
        )
    } else {
        (
            Level::Info,
            format!(
                "the device takes {limit} blocks in a WRITE SAME, of which sd uses \
                 {DEFAULT_BLOCKS}: it ignores a page B0h of {length} bytes"
            ),
        )
    };
    let mut found = conflict(inputs, LIMIT_IGNORED, level, text);
    let value = limit.to_string();
    found
        .evidence
        .extend(page_evidence(inputs, BLOCK_LIMITS, "bytes 36 to 43", value));
    found.evidence.push(Evidence::rule(
        "sd_read_block_limits (drivers/scsi/sd.c)",
        "MAXIMUM WRITE SAME LENGTH counts from a page of at least 64 bytes",
    ));
    if too_much {
        let file = path(&inputs.facts.max_write_same_blocks);
        found.advice = Some(format!("before zeroing: echo {limit} > {file}"));
    }
    Some(found)
}

/// `max_write_same_blocks` is not what the device's answers give.
fn limit_written(inputs: &Inputs) -> Option<Conflict> {
    if inputs.file_agrees() != Some(false) {
        return None;
    }
    let (file, formula) = (inputs.file?, inputs.formula()?);
    // A host's capture may lack the pages, and then what sd had of them can't be told from what a
    // user wrote. The initial mode beside 0 is a driver's flag that no rule here knows.
    let pages = inputs.longest != Longest::NoPage || inputs.facts.takes_vpd() == Some(false);
    let initial = inputs
        .facts
        .zeroing_mode
        .value()
        .is_some_and(|mode| mode == "write");
    if !pages || (file == 0 && initial) {
        return None;
    }
    let (level, text, advised) = written(file, formula, inputs.ban().is_some());
    let fact = &inputs.facts.max_write_same_blocks;
    let mut found = conflict(inputs, "scsi-max-write-same-written", level, text);
    found.evidence.extend(file_evidence(fact));
    if let Longest::Page(raw) = inputs.longest {
        let value = raw.to_string();
        found
            .evidence
            .extend(page_evidence(inputs, BLOCK_LIMITS, "bytes 36 to 43", value));
    }
    found.evidence.push(Evidence::rule(
        "max_write_same_blocks_store (drivers/scsi/sd.c)",
        "0 sets no_write_same, 1 to 0x7fffff clears it and is the new limit",
    ));
    found.advice = advised.map(|blocks| {
        format!(
            "to have sd's own choice back: echo {blocks} > {}",
            path(fact)
        )
    });
    Some(found)
}

/// What a difference between the file and the device's answers means, and the value that undoes it.
fn written(file: u64, formula: u64, banned: bool) -> (Level, String, Option<u64>) {
    const FILE: &str = "max_write_same_blocks is";
    let given = format!("{formula} that the device's answers give");
    match (file, formula) {
        (0, _) => {
            let text = format!(
                "{FILE} 0, not the {given}: a WRITE SAME failed, or someone wrote 0; zeroes are \
                 written until sd is told otherwise"
            );
            (Level::Warning, text, Some(formula))
        }
        (_, 0) => {
            let whose = if banned {
                "sd's rules say"
            } else {
                "the device says"
            };
            let text = format!("{FILE} {file}: someone wrote it, against what {whose}");
            (Level::Warning, text, Some(0))
        }
        _ if file > formula => {
            let text = format!(
                "{FILE} {file}, more than the {given}: someone wrote it; a larger zeroing may \
                 fail, and then zeroes are written"
            );
            (Level::Warning, text, Some(formula))
        }
        _ => {
            let text = format!("{FILE} {file}, less than the {given}: someone wrote it");
            (Level::Info, text, None)
        }
    }
}

/// A page that is not what it should be.
fn page_odd(inputs: &Inputs, code: u8, fact: &Fact<Vec<u8>>) -> Option<Conflict> {
    const RULE: &str = "scsi-page-malformed";
    let bytes = match &fact.reading {
        Reading::Present(bytes) => bytes,
        Reading::Malformed(why) => {
            let text = format!("VPD page {code:02X}h makes no sense, and does not count: {why}");
            let mut found = conflict(inputs, RULE, Level::Warning, text);
            found
                .evidence
                .push(Evidence::new(fact.origin.clone(), why.to_string()));
            return Some(found);
        }
        _ => return None,
    };
    let odd: Vec<String> = match findings(code, bytes) {
        Err(error) => vec![error.to_string()],
        Ok(findings) => findings
            .iter()
            .filter(|finding| !matches!(finding, PageFinding::Longer { .. }))
            .map(ToString::to_string)
            .collect(),
    };
    if odd.is_empty() {
        return None;
    }
    let consequence = match (code, inputs.longest) {
        (BLOCK_LIMITS, Longest::Short(length, _)) if length < B0_BYTES => {
            "; sd takes no WRITE SAME and UNMAP limits from it"
        }
        (LOGICAL_BLOCK_PROVISIONING, _) if bytes.len() < 8 => "; sd does not count it",
        _ => "",
    };
    let text = format!("VPD page {code:02X}h: {}{consequence}", odd.join("; "));
    let mut found = conflict(inputs, RULE, Level::Info, text);
    found.evidence.push(Evidence::new(
        fact.origin.clone(),
        format!("{} bytes", bytes.len()),
    ));
    Some(found)
}

fn findings(code: u8, bytes: &[u8]) -> Result<Vec<PageFinding>, PageError> {
    Ok(match code {
        vpd::BLOCK_LIMITS => BlockLimits::decode(bytes)?.findings,
        vpd::BLOCK_CHARACTERISTICS => BlockCharacteristics::decode(bytes)?.findings,
        vpd::LOGICAL_BLOCK_PROVISIONING => LogicalBlockProvisioning::decode(bytes)?.findings,
        _ => vpd::page(code, bytes)?.findings,
    })
}
