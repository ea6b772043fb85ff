//! How many blocks one command covers.

use super::{BLOCK_LIMITS_RULE, READ_WRITE_SAME, reason, with_longest, with_support, with_text};
use crate::model::units::in_words;
use crate::verdict::leaf::scsi::sd::{
    B0_BYTES, DEFAULT_BLOCKS, Inputs, Longest, MOST_BLOCKS, Rsoc, Rule,
};
use crate::verdict::prediction::blocks_as_limit;
use crate::verdict::reason::Reason;

/// Where the limit comes from.
pub(in super::super) fn of_limit(inputs: &Inputs, blocks: u64) -> Vec<Reason> {
    let mut chain = Vec::new();
    let size = inputs
        .block
        .map(|block| format!(" of {block} bytes"))
        .unwrap_or_default();
    let covers = inputs
        .block
        .map(|block| in_words(blocks_as_limit(blocks, block)));
    let covers = covers
        .map(|covers| format!(" ({covers})"))
        .unwrap_or_default();
    let lead = format!("one command covers at most {blocks} blocks{size}{covers}");
    let why = match (inputs.file_agrees(), inputs.rule()) {
        (Some(false), _) => {
            "as max_write_same_blocks says, which is not what the device's answers give: \
             it was written by hand, or the device changed since"
                .to_owned()
        }
        (_, Rule::Page(raw)) if raw > MOST_BLOCKS => {
            format!("MAXIMUM WRITE SAME LENGTH is {raw}, of which sd takes at most {MOST_BLOCKS}")
        }
        (_, Rule::Page(raw)) => format!("MAXIMUM WRITE SAME LENGTH is {raw}"),
        (_, Rule::Default) => format!("{}, so sd takes {DEFAULT_BLOCKS}", no_limit(inputs)),
        _ => "as max_write_same_blocks says".to_owned(),
    };
    let rounded = match inputs.unrounded() {
        Some(before) if inputs.file_agrees() != Some(false) && before != blocks => {
            ", rounded down to whole physical blocks"
        }
        _ => "",
    };
    let mut found = reason(
        inputs,
        "scsi-write-same-limit",
        format!("{lead}: {why}{rounded}"),
    );
    found = with_longest(found, inputs);
    found = with_text(found, &inputs.facts.max_write_same_blocks);
    chain.push(found.by_rule(
        BLOCK_LIMITS_RULE,
        "MAXIMUM WRITE SAME LENGTH counts from a page B0h of at least 64 bytes, in 32 bits",
    ));
    chain.extend(opcodes(inputs));
    chain
}

fn no_limit(inputs: &Inputs) -> String {
    match inputs.longest {
        Longest::Short(length, _) => {
            format!("VPD page B0h has {length} bytes where sd wants {B0_BYTES}")
        }
        Longest::Page(raw) if raw > u64::from(u32::MAX) => {
            format!("MAXIMUM WRITE SAME LENGTH is {raw}, whose low 32 bits are 0")
        }
        Longest::Page(_) => "MAXIMUM WRITE SAME LENGTH is 0 (not reported)".into(),
        Longest::NoPage | Longest::Unknown => "sd has no VPD page B0h of this disk".into(),
    }
}

fn opcodes(inputs: &Inputs) -> Option<Reason> {
    let facts = inputs.facts;
    let (text, fact) = match inputs.rsoc {
        Rsoc::Answers(Some(true), _) => (
            "the device says that it supports WRITE SAME(16)",
            &facts.opcodes.write_same_16,
        ),
        Rsoc::Answers(_, Some(true)) => (
            "the device says that it supports WRITE SAME(10)",
            &facts.opcodes.write_same_10,
        ),
        Rsoc::Answers(Some(false), Some(false)) if matches!(inputs.rule(), Rule::Page(_)) => (
            "the device says that it supports no WRITE SAME, but sd does not ask where the page \
             names more than 65535 blocks",
            &facts.opcodes.write_same_16,
        ),
        Rsoc::Refused => (
            "the device refused REPORT SUPPORTED OPERATION CODES, so sd takes WRITE SAME for given",
            &facts.opcodes.inquiry,
        ),
        _ => return None,
    };
    let found = with_support(reason(inputs, "scsi-rsoc", text), fact);
    Some(found.by_rule(
        READ_WRITE_SAME,
        "SUPPORT 011b counts; a refusal counts as no answer",
    ))
}
