//! The page that explains one device: verdict, reasons with evidence, conflicts, decoded facts, what is missing.

use std::collections::BTreeMap;
use std::fmt::Write;

use zinspect_exporters::{Block, Cell, Page, Tone};

use crate::model::device::BlockDevice;
use crate::model::units::in_words;
use crate::verdict::reason::Level;
use crate::view::report::unread::{Status, Unread};
use crate::view::report::{Device, Evidence};
use crate::view::{fields, raw};

/// Parts of a page that are shown on request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Detail {
    /// The bytes beside each decoded field.
    pub raw: bool,
}

/// The page of one device.
pub fn page(report: &Device, device: &BlockDevice, detail: Detail) -> Page {
    let name = report.path.as_deref().unwrap_or(&report.kname);
    let mut page = Page {
        title: format!(
            "{name}: {} — {}",
            report.verdict.zeroing.word(),
            report.verdict.summary
        ),
        tone: fields::tone(report),
        blocks: Vec::new(),
    };
    let blocks = &mut page.blocks;
    reasons(report, blocks);
    conflicts(report, blocks);
    numbers(report, blocks);
    facts(report, device, detail, blocks);
    missing(report, blocks);
    page
}

fn item(depth: u8, tone: Tone, bullet: Option<&'static str>, text: impl Into<String>) -> Block {
    Block::Item {
        depth,
        tone,
        bullet,
        text: text.into(),
    }
}

fn evidence(depth: u8, evidence: &[Evidence], blocks: &mut Vec<Block>) {
    for one in evidence {
        blocks.push(item(
            depth,
            Tone::Dim,
            None,
            format!("{} = {}", one.origin, one.value),
        ));
    }
}

fn reasons(report: &Device, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Why".into()));
    if let Some(decides) = report.verdict.decides() {
        let text = format!("decided at {} by rule {}", decides.at, decides.rule);
        blocks.push(item(0, Tone::Plain, None, text));
    }
    for reason in &report.verdict.reasons {
        let text = format!("{}: {} [{}]", reason.at, reason.text, reason.rule);
        blocks.push(item(0, Tone::Plain, Some("-"), text));
        evidence(1, &reason.evidence, blocks);
    }
}

fn conflicts(report: &Device, blocks: &mut Vec<Block>) {
    if report.verdict.conflicts.is_empty() {
        return;
    }
    blocks.push(Block::Heading("What does not fit".into()));
    for conflict in &report.verdict.conflicts {
        let tone = match conflict.level {
            Level::Error => Tone::Bad,
            Level::Warning => Tone::Fair,
            Level::Info => Tone::Plain,
        };
        let text = format!(
            "{} at {}: {} [{}]",
            conflict.level.word(),
            conflict.at,
            conflict.text,
            conflict.rule
        );
        blocks.push(item(0, tone, Some("!"), text));
        evidence(1, &conflict.evidence, blocks);
        if let Some(advice) = &conflict.advice {
            blocks.push(item(1, Tone::Plain, Some(">"), advice.clone()));
        }
    }
}

fn numbers(report: &Device, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(format!(
        "Limits, kernel against prediction: {}",
        report.agreement.word()
    )));
    let predicted = report.predicted.as_ref();
    let kernel = &report.kernel;
    let rows = [
        (
            "write_zeroes_max_bytes",
            kernel.write_zeroes_max_bytes,
            predicted.map(|p| p.write_zeroes_max_bytes),
        ),
        (
            "write_zeroes_unmap_max_hw_bytes",
            kernel.write_zeroes_unmap_max_hw_bytes,
            predicted.map(|p| p.write_zeroes_unmap_max_hw_bytes),
        ),
        (
            "write_zeroes_unmap_max_bytes",
            kernel.write_zeroes_unmap_max_bytes,
            predicted.map(|p| p.write_zeroes_unmap_max_bytes),
        ),
    ];
    for (name, kernel, predicted) in rows {
        let value = match kernel {
            Some(bytes) => Cell::UInt(bytes),
            None => report.missing(&format!("kernel.{name}")),
        };
        let note = match (kernel, predicted) {
            (_, None) => "not predicted".to_owned(),
            (Some(kernel), Some(predicted)) if kernel == predicted => {
                format!("predicted the same, {}", in_words(kernel))
            }
            (_, Some(predicted)) => format!("predicted {predicted}"),
        };
        blocks.push(Block::Pair {
            label: name.into(),
            value,
            note: Some(note),
        });
    }
}

/// Every decoded field of the device's own parts that has a value.
fn facts(report: &Device, device: &BlockDevice, detail: Detail, blocks: &mut Vec<Block>) {
    const GENERAL: &[&str] = &[
        "kind",
        "driver",
        "size_bytes",
        "devno",
        "disk",
        "start_bytes",
        "read_only",
        "removable",
        "diskseq",
        "mountpoints",
        "slaves",
        "holders",
        "partitions",
        "queue.logical_block_size",
        "queue.physical_block_size",
        "queue.discard_granularity",
        "queue.discard_max_bytes",
    ];
    const PARTS: &[&str] = &["nvme", "scsi", "dm", "md", "loop", "virtio", "udev"];
    blocks.push(Block::Heading("Device".into()));
    for key in GENERAL {
        pair(report, device, detail, key, blocks);
    }
    for part in PARTS {
        let mut heading = Some(Block::Heading((*part).to_owned()));
        for field in fields::ALL
            .iter()
            .filter(|field| field.key.split('.').next() == Some(part))
        {
            if matches!((field.get)(report), Cell::Missing(_)) {
                continue;
            }
            blocks.extend(heading.take());
            pair(report, device, detail, field.key, blocks);
        }
    }
}

fn pair(report: &Device, device: &BlockDevice, detail: Detail, key: &str, blocks: &mut Vec<Block>) {
    let Some(field) = fields::ALL.iter().find(|field| field.key == key) else {
        return;
    };
    let value = (field.get)(report);
    let empty = matches!(&value, Cell::List(list) if list.is_empty());
    if empty || matches!(value, Cell::Missing(_)) {
        return;
    }
    let note = match detail.raw {
        true => raw::of(device, key).map(|raw| {
            let mut note = raw.place;
            note.push(':');
            for byte in &raw.bytes {
                let _ = write!(note, " {byte:02x}");
            }
            note
        }),
        false => None,
    };
    blocks.push(Block::Pair {
        label: key.to_owned(),
        value,
        note,
    });
}

/// What could not be read, and who could.
fn missing(report: &Device, blocks: &mut Vec<Block>) {
    not_read(&report.unread, blocks);
    if report
        .unread
        .iter()
        .any(|unread| unread.status == Status::Denied)
    {
        let text = "root would read what is denied here";
        blocks.push(item(0, Tone::Plain, None, text));
    }
}

/// What could not be read, gathered by reason; what the kernel or the device merely does not have is left to JSON.
pub(super) fn not_read(unread: &[Unread], blocks: &mut Vec<Block>) {
    let mut by_reason: BTreeMap<(&'static str, &str), Vec<&str>> = BTreeMap::new();
    for unread in unread
        .iter()
        .filter(|unread| unread.status != Status::Absent)
    {
        let detail = unread.detail.as_deref().unwrap_or_default();
        let reason = (unread.status.word(), detail);
        by_reason.entry(reason).or_default().push(&unread.field);
    }
    if by_reason.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Not read".into()));
    for ((status, detail), fields) in by_reason {
        let text = match detail {
            "" => format!("{status}: {}", fields.join(", ")),
            detail => format!("{status}, {detail}: {}", fields.join(", ")),
        };
        blocks.push(item(0, Tone::Dim, Some("-"), text));
    }
}
