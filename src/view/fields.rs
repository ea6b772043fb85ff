//! The one field table: columns of tables and CSV, their help, and what must be read for each.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::LazyLock;

use zinspect_exporters::{Cell, Field, Tone, Unit};

use crate::facts::needs::{Needs, Sections};
use crate::facts::queue::{Attr, AttrUnit, with_queue_attributes};
use crate::verdict::judgement::{Agreement, Zeroing};
use crate::verdict::reason::Level;
use crate::view::report::{Device, KernelNumbers, Predicted, nvme, scsi, stack};
use crate::view::section::AsCell;

/// Columns that a table has unless others are chosen.
pub const DEFAULT: &[&str] = &[
    "kname",
    "kind",
    "size_bytes",
    "verdict.zeroing",
    "verdict.max_bytes",
    "mode",
    "discard",
    "verdict.because",
];

/// Columns of a tree, after the name.
pub const TREE: &[&str] = &[
    "size_bytes",
    "verdict.zeroing",
    "verdict.max_bytes",
    "mode",
    "note",
];

macro_rules! column {
    ($key:literal, $header:literal, $unit:ident, $help:literal, $get:expr) => {
        column!($key, $header, $unit, $help, $get, None)
    };
    ($key:literal, $header:literal, $unit:ident, $help:literal, $get:expr, $tone:expr) => {
        Field {
            key: $key,
            header: $header,
            help: $help,
            unit: Unit::$unit,
            tone: $tone,
            get: $get,
        }
    };
}

fn value(device: &Device, key: &'static str, value: Option<&impl AsCell>, unit: Unit) -> Cell {
    value
        .and_then(|value| value.cell(unit))
        .unwrap_or_else(|| device.missing(key))
}

/// How a verdict looks.
pub fn tone(device: &Device) -> Tone {
    match device.verdict.zeroing {
        Zeroing::Unmap => Tone::Good,
        Zeroing::Offload => Tone::Fair,
        Zeroing::Software | Zeroing::Unsupported => Tone::Bad,
        Zeroing::Unknown => Tone::Dim,
    }
}

const GENERAL: &[Field<Device>] = &[
    column!("kname", "NAME", None, "kernel name", |d| Cell::from(
        d.kname.clone()
    )),
    column!(
        "path",
        "PATH",
        None,
        "device node; none for a hidden path",
        |d| value(d, "path", d.path.as_ref(), Unit::None)
    ),
    column!(
        "devno",
        "MAJ:MIN",
        None,
        "device number; none for a hidden path",
        |d| value(d, "devno", d.devno.as_ref(), Unit::None)
    ),
    column!(
        "kind",
        "KIND",
        None,
        "disk, partition, dm, md, loop, nvme-head, nvme-path, zram, brd, null, nbd, ublk, pmem, mmc, bcache, drbd, rbd, rnbd, other",
        |d| Cell::from(d.kind.word())
    ),
    column!(
        "driver",
        "DRIVER",
        None,
        "kernel driver, where name or place tells",
        |d| value(d, "driver", d.driver.as_ref(), Unit::None)
    ),
    column!("size_bytes", "SIZE", Bytes, "size", |d| value(
        d,
        "size_bytes",
        d.size_bytes.as_ref(),
        Unit::Bytes
    )),
    column!(
        "verdict.zeroing",
        "VERDICT",
        None,
        "what becomes of a zeroes request: unmap, offload, software, unsupported, unknown",
        |d| Cell::from(d.verdict.zeroing.word()),
        Some(tone)
    ),
    column!(
        "verdict.max_bytes",
        "MAX",
        Bytes,
        "what one zeroes command covers; 0 where the kernel writes pages of zeroes",
        |d| value(
            d,
            "verdict.max_bytes",
            d.verdict.max_bytes.as_ref(),
            Unit::Bytes
        )
    ),
    column!(
        "mode",
        "MODE",
        None,
        "DLFEAT of NVMe, zeroing_mode of SCSI, level of MD, targets of dm",
        mode
    ),
    column!(
        "discard",
        "DISC-MAX",
        Bytes,
        "largest discard (queue.discard_max_bytes); 0 where there is none",
        |d| d.queue.cell(Attr::DiscardMaxBytes)
    ),
    column!(
        "verdict.because",
        "REASON",
        None,
        "the decisive reason in a clause",
        |d| Cell::from(d.verdict.because.clone())
    ),
    column!(
        "verdict.summary",
        "SUMMARY",
        None,
        "the verdict in a line",
        |d| Cell::from(d.verdict.summary.clone())
    ),
    column!(
        "verdict.reasons",
        "RULES",
        None,
        "rules of the chain of reasons, with the device",
        |d| {
            Cell::List(
                d.verdict
                    .reasons
                    .iter()
                    .map(|r| format!("{}@{}", r.rule, r.at))
                    .collect(),
            )
        }
    ),
    column!(
        "verdict.conflicts",
        "CONFLICTS",
        None,
        "rules that do not fit, with the device",
        |d| {
            Cell::List(
                d.verdict
                    .conflicts
                    .iter()
                    .map(|c| format!("{}@{}", c.rule, c.at))
                    .collect(),
            )
        },
        Some(conflict_tone)
    ),
    column!(
        "agreement",
        "AGREEMENT",
        None,
        "kernel's numbers against the predicted: agree, differ, kernel-silent, not-predicted",
        |d| Cell::from(d.agreement.word()),
        Some(|d| if d.agreement == Agreement::Differ {
            Tone::Bad
        } else {
            Tone::Plain
        })
    ),
    column!(
        "read_only",
        "RO",
        None,
        "the kernel refuses to write to it",
        |d| value(d, "read_only", d.read_only.as_ref(), Unit::None)
    ),
    column!(
        "removable",
        "RM",
        None,
        "its medium can be taken out",
        |d| value(d, "removable", d.removable.as_ref(), Unit::None)
    ),
    column!(
        "diskseq",
        "DISKSEQ",
        Count,
        "number that each disk gets anew when it appears",
        |d| { value(d, "diskseq", d.diskseq.as_ref(), Unit::Count) }
    ),
    column!("disk", "DISK", None, "disk of a partition", |d| value(
        d,
        "disk",
        d.disk.as_ref(),
        Unit::None
    )),
    column!(
        "start_bytes",
        "START",
        Bytes,
        "where a partition begins on its disk",
        |d| value(d, "start_bytes", d.start_bytes.as_ref(), Unit::Bytes)
    ),
    column!(
        "mountpoints",
        "MOUNTPOINTS",
        None,
        "where it is mounted",
        |d| value(d, "mountpoints", d.mountpoints.as_ref(), Unit::None)
    ),
    column!(
        "slaves",
        "SLAVES",
        None,
        "devices it stands on; for a multipath head its paths",
        |d| { Cell::List(d.slaves.clone()) }
    ),
    column!(
        "holders",
        "HOLDERS",
        None,
        "devices that stand on it",
        |d| Cell::List(d.holders.clone())
    ),
    column!("partitions", "PARTITIONS", None, "its partitions", |d| {
        Cell::List(d.partitions.clone())
    }),
    column!(
        "unread",
        "UNREAD",
        None,
        "values that could not be read, with the reason",
        |d| {
            Cell::List(
                d.unread
                    .iter()
                    .map(|u| format!("{}:{}", u.field, u.status.word()))
                    .collect(),
            )
        }
    ),
    column!(
        "note",
        "NOTE",
        None,
        "state and difference of a path, targets of dm, what is behind a loop",
        note
    ),
];

fn conflict_tone(device: &Device) -> Tone {
    match device
        .verdict
        .conflicts
        .iter()
        .map(|conflict| conflict.level)
        .max()
    {
        Some(Level::Error) => Tone::Bad,
        Some(Level::Warning) => Tone::Fair,
        _ => Tone::Plain,
    }
}

fn mode(device: &Device) -> Cell {
    if let Some(nvme) = &device.nvme {
        return match &nvme.dlfeat {
            Some(dlfeat) => Cell::Text(Cow::Owned(format!("dlfeat {}", dlfeat.raw))),
            None => device.missing("nvme.dlfeat"),
        };
    }
    if let Some(scsi) = &device.scsi {
        return match &scsi.zeroing_mode.kernel {
            Some(mode) => Cell::Text(Cow::Owned(mode.clone())),
            None => device.missing("scsi.zeroing_mode.kernel"),
        };
    }
    if let Some(md) = &device.md {
        return value(device, "md.level", md.level.as_ref(), Unit::None);
    }
    if let Some(dm) = &device.dm {
        return value(device, "dm.targets", dm.targets.as_ref(), Unit::None);
    }
    Cell::Missing("")
}

fn note(device: &Device) -> Cell {
    let mut words = Vec::new();
    if let Some(state) = device
        .nvme
        .as_ref()
        .and_then(|nvme| nvme.ana_state.as_ref())
    {
        words.push(format!("ana {state}"));
    }
    if let Some(dm) = &device.dm {
        words.extend(dm.name.clone());
    }
    if let Some(file) = device
        .loop_
        .as_ref()
        .and_then(|part| part.backing_file.clone())
    {
        words.push(format!("on {file}"));
    }
    let conflicts = device
        .verdict
        .conflicts
        .iter()
        .filter(|conflict| conflict.at == device.kname);
    words.extend(conflicts.map(|conflict| format!("{}: {}", conflict.level.word(), conflict.rule)));
    if words.is_empty() {
        Cell::Missing("")
    } else {
        Cell::Text(Cow::Owned(words.join("; ")))
    }
}

macro_rules! queue_fields {
    ($($variant:ident $name:ident $since:literal $unit:ident $help:literal;)*) => {
        const QUEUE: &[Field<Device>] = &[$(Field {
            key: concat!("queue.", stringify!($name)),
            header: stringify!($name),
            help: concat!($help, " (since ", $since, ")"),
            unit: unit_of(AttrUnit::$unit),
            tone: None,
            get: |device| device.queue.cell(Attr::$variant),
        }),*];
    };
}

const fn unit_of(unit: AttrUnit) -> Unit {
    match unit {
        AttrUnit::Bytes | AttrUnit::Kib => Unit::Bytes,
        AttrUnit::Text | AttrUnit::Flag => Unit::None,
        _ => Unit::Count,
    }
}

with_queue_attributes!(queue_fields);

/// Every column, in the order of help.
pub static ALL: LazyLock<Vec<Field<Device>>> = LazyLock::new(|| {
    let groups: [&[Field<Device>]; 20] = [
        GENERAL,
        KernelNumbers::FIELDS,
        Predicted::FIELDS,
        nvme::Nvme::FIELDS,
        nvme::DlfeatView::FIELDS,
        nvme::LbaFormatView::FIELDS,
        scsi::Scsi::FIELDS,
        scsi::ZeroingMode::FIELDS,
        scsi::ProvisioningMode::FIELDS,
        scsi::OpcodesView::FIELDS,
        scsi::VpdB0::FIELDS,
        scsi::VpdB1::FIELDS,
        scsi::VpdB2::FIELDS,
        scsi::Ata::FIELDS,
        stack::Dm::FIELDS,
        stack::Md::FIELDS,
        stack::Loop::FIELDS,
        stack::Virtio::FIELDS,
        stack::Udev::FIELDS,
        QUEUE,
    ];
    let copy = |field: &Field<Device>| Field {
        key: field.key,
        header: field.header,
        help: field.help,
        unit: field.unit,
        tone: field.tone,
        get: field.get,
    };
    groups
        .iter()
        .flat_map(|group| group.iter().map(copy))
        .collect()
});

/// The columns that every device has, for `--help`; there are more of one driver or layer.
pub fn help() -> String {
    let mut text = String::from(
        "Columns by heading or key, separated by commas; \"+a,b\" adds to the default ones, \"all\" is every \
         one. Those of one driver or layer, and every queue limit, are in --list-columns:\n",
    );
    for field in GENERAL {
        let _ = write!(text, "\n  {:<12} {}", field.header, field.help);
    }
    text
}

/// What must be read so that these columns can be shown.
pub fn needs(fields: &[&Field<Device>]) -> Needs {
    fields.iter().fold(Needs::VERDICT, |needs, field| {
        needs.union(need_of(field.key))
    })
}

fn need_of(key: &str) -> Needs {
    let needs = Needs::VERDICT;
    let (group, rest) = key.split_once('.').unwrap_or((key, ""));
    match group {
        "queue" => Attr::by_name(rest).map_or(needs, |attr| needs.with_attr(attr)),
        "discard" => needs.with_attr(Attr::DiscardMaxBytes),
        "nvme" | "note" => needs.with(Sections::NVME),
        "scsi" => needs.with(Sections::SCSI),
        "dm" => needs.with(Sections::DM),
        "loop" => needs.with(Sections::LOOP),
        "udev" => needs.with(Sections::UDEV),
        "holders" | "partitions" => needs.with(Sections::EDGES),
        "removable" | "diskseq" => needs.with(Sections::IDENTITY),
        "mountpoints" => needs.with(Sections::MOUNTS),
        "unread" => Needs::ALL,
        _ => needs,
    }
}
