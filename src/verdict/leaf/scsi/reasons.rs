//! The chain of reasons: the decisive step first, each with what it rests on.

mod bits;
mod limit;
mod none;

pub(super) use limit::of_limit;
pub(super) use none::of_none;

use super::sd::{Inputs, Longest, Provisioning, Rule};
use crate::facts::origin::{Fact, Origin};
use crate::facts::reading::Reading;
use crate::verdict::reason::Reason;
use crate::wire::scsi::opcodes::Support;
use crate::wire::scsi::vpd::{BLOCK_LIMITS, LOGICAL_BLOCK_PROVISIONING};

const CONFIG: &str = "sd_config_write_same (drivers/scsi/sd.c)";
const READ_WRITE_SAME: &str = "sd_read_write_same (drivers/scsi/sd.c)";
const BLOCK_LIMITS_RULE: &str = "sd_read_block_limits (drivers/scsi/sd.c)";
const PROVISIONING_RULE: &str = "sd_read_block_provisioning (drivers/scsi/sd.c)";
const CAPACITY_RULE: &str = "read_capacity_16, sd_try_rc16_first (drivers/scsi/sd.c)";

fn reason(inputs: &Inputs, rule: &'static str, text: impl Into<String>) -> Reason {
    Reason::new(rule, &inputs.device.kname, text)
}

/// The place of a byte in a VPD page.
fn page_byte(inputs: &Inputs, code: u8, bytes: &str) -> Origin {
    match inputs.facts.page(code).map(|fact| &fact.origin) {
        Some(Origin::Vpd { via, what }) => Origin::Vpd {
            via: via.clone(),
            what: format!("{what} {bytes}"),
        },
        Some(other) => other.clone(),
        None => Origin::Inferred("nothing".into()),
    }
}

fn page_value(inputs: &Inputs, code: u8, byte: usize) -> String {
    let bytes = inputs.facts.page(code).and_then(Fact::value);
    match bytes.and_then(|bytes| bytes.get(byte)) {
        Some(value) => format!("{value:#04x}"),
        None => "absent".into(),
    }
}

/// Byte 14 of READ CAPACITY(16) with its place.
fn with_byte_14(reason: Reason, inputs: &Inputs) -> Reason {
    let fact = &inputs.facts.rc16;
    let Some(byte) = fact.value().and_then(|bytes| bytes.get(14)) else {
        return reason;
    };
    let origin = match &fact.origin {
        Origin::Command { node, what } => Origin::Command {
            node: node.clone(),
            what: format!("{what} byte 14"),
        },
        other => other.clone(),
    };
    reason.because(origin, format!("{byte:#04x}"))
}

fn with_text<T: std::fmt::Display>(reason: Reason, fact: &Fact<T>) -> Reason {
    match fact.value() {
        Some(value) => reason.because(fact.origin.clone(), value.to_string()),
        None => reason,
    }
}

fn with_flag(reason: Reason, fact: &Fact<bool>) -> Reason {
    match fact.value() {
        Some(value) => reason.because(fact.origin.clone(), if *value { "1" } else { "0" }),
        None => reason,
    }
}

fn with_driver(reason: Reason, inputs: &Inputs) -> Reason {
    let reading = &inputs.facts.host_driver;
    let number = inputs
        .facts
        .hctl
        .value()
        .and_then(|hctl| hctl.split(':').next());
    match (reading.value(), number) {
        (Some(driver), Some(number)) => {
            let file = format!("/sys/class/scsi_host/host{number}/proc_name");
            reason.because(Origin::File(file), driver.clone())
        }
        _ => reason.because(
            Origin::File(format!("/{}", inputs.device.syspath)),
            "its place",
        ),
    }
}

/// Why the limit in blocks is not known.
pub(super) fn limit_unknown(inputs: &Inputs) -> Reason {
    let why = match inputs.rule() {
        Rule::Unknown(why) => why,
        _ => "what the device says of WRITE SAME was not read",
    };
    let text = format!("{why}, and max_write_same_blocks was not read either");
    let status = inputs
        .facts
        .max_write_same_blocks
        .reading
        .status()
        .unwrap_or("absent");
    reason(inputs, "scsi-write-same-limit", text)
        .because(inputs.facts.max_write_same_blocks.origin.clone(), status)
}

/// Why it is not known whether a zeroes command deallocates.
pub(super) fn unmap_unknown(inputs: &Inputs) -> Reason {
    let Provisioning { lbpme, page, .. } = inputs.provisioning;
    let facts = inputs.facts;
    if lbpme.is_none() || page == Some(true) {
        let detail = facts
            .rc16
            .reading
            .detail()
            .or_else(|| facts.rc16.reading.status().map(Into::into));
        let detail = detail
            .map(|detail| format!(" ({detail})"))
            .unwrap_or_default();
        let text = format!("LBPRZ is not known: READ CAPACITY(16) was not read{detail}");
        let status = facts.rc16.reading.status().unwrap_or("present");
        let found = reason(inputs, "scsi-lbprz", text).because(facts.rc16.origin.clone(), status);
        return with_text(found, &facts.zeroing_mode);
    }
    reason(
        inputs,
        "scsi-lbpws",
        "LBPWS is not known: VPD page B2h was not read",
    )
    .because(
        page_byte(inputs, LOGICAL_BLOCK_PROVISIONING, "byte 5"),
        "not read",
    )
}

/// Of a disk that takes WRITE SAME.
pub(super) fn of_some(inputs: &Inputs, unmaps: bool, blocks: u64) -> Vec<Reason> {
    let mut chain = vec![if unmaps {
        bits::unmap(inputs)
    } else {
        bits::no_unmap(inputs)
    }];
    chain.extend(of_limit(inputs, blocks));
    chain
}

fn with_longest(found: Reason, inputs: &Inputs) -> Reason {
    let origin = || page_byte(inputs, BLOCK_LIMITS, "bytes 36 to 43");
    match inputs.longest {
        Longest::Page(raw) => found.because(origin(), raw.to_string()),
        Longest::Short(length, _) => found.because(
            page_byte(inputs, BLOCK_LIMITS, "length"),
            format!("{length} bytes"),
        ),
        Longest::NoPage | Longest::Unknown => found,
    }
}

/// What the device said of a command, with its place.
fn with_support(found: Reason, fact: &Fact<Support>) -> Reason {
    let value = match &fact.reading {
        Reading::Present(support) => support.to_string(),
        other => other.detail().unwrap_or_default(),
    };
    found.because(fact.origin.clone(), value)
}
