//! What does not fit together at a disk whose own answers were not read, as by a plain user: its files still tell that
//! something was set or failed, and not what is right.

use super::conflicts::{conflict, file_evidence};
use super::sd::Inputs;
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::verdict::reason::{Conflict, Evidence, Level};

/// T12 without READ CAPACITY(16): the limit shows that sd chose to unmap, and the mode is another now.
pub(super) fn mode_under_limit(inputs: &Inputs) -> Option<Conflict> {
    let mode = inputs.facts.zeroing_mode.value()?;
    let read = inputs.facts.capacity().value().is_some();
    let number = |attr| inputs.device.queue.number(attr).get();
    let (wz, hw) = (
        number(Attr::WriteZeroesMaxBytes)?,
        number(Attr::WriteZeroesUnmapMaxHwBytes)?,
    );
    if read || wz == 0 || hw == 0 || !matches!(mode.as_str(), "write" | "writesame") {
        return None;
    }
    let text = format!(
        "zeroing_mode is {mode} under an unmap limit, which sd gives with an unmapping mode alone: it was set by hand, \
         or the device lost LBPRZ since it was found; zeroes are written whatever the unmap limits say"
    );
    let mut found = conflict(inputs, "scsi-zeroing-mode-differs", Level::Warning, text);
    found
        .evidence
        .extend(file_evidence(&inputs.facts.zeroing_mode));
    let file = Attr::WriteZeroesUnmapMaxHwBytes.name();
    found.evidence.push(Evidence::new(
        Origin::File(format!("{}/{file}", inputs.device.queue_path())),
        hw.to_string(),
    ));
    found.evidence.push(Evidence::rule(
        "zeroing_mode_store (drivers/scsi/sd.c)",
        "a write changes the mode and no limit; the next rescan decides anew",
    ));
    found.advice = Some(format!(
        "to have sd decide anew: echo 1 > /{}/device/rescan; run as root to see what READ CAPACITY(16) says",
        inputs.device.syspath
    ));
    Some(found)
}

/// A limit of 0 beside a mode that sd chose for a limit above 0, where nothing tells which limit that was.
pub(super) fn zero_beside_unmap(inputs: &Inputs) -> Option<Conflict> {
    let mode = inputs.facts.zeroing_mode.value()?;
    if inputs.file != Some(0) || inputs.formula().is_some() || !mode.ends_with("_unmap") {
        return None;
    }
    let text = format!(
        "max_write_same_blocks is 0 beside zeroing_mode {mode}, which sd used once: a WRITE SAME failed since, or \
         someone wrote 0; zeroes are written until sd is told otherwise"
    );
    let mut found = conflict(inputs, "scsi-max-write-same-written", Level::Warning, text);
    found
        .evidence
        .extend(file_evidence(&inputs.facts.max_write_same_blocks));
    found
        .evidence
        .extend(file_evidence(&inputs.facts.zeroing_mode));
    found.advice =
        Some("run as root to be told the number that sd chooses by itself, and to write it".into());
    Some(found)
}
