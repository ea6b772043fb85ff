//! The page that explains one file: the answer, why, what each mode leaves, what the file has now, what lies below.

use zinspect_exporters::{Block, Cell, Page, Tone};

use crate::facts::file::{Method, Tally};
use crate::model::ids::KName;
use crate::model::units::in_words;
use crate::verdict::Judge;
use crate::verdict::file::{Overwrite, State};
use crate::verdict::judgement;
use crate::view::report::file::{FileAnswer, ModeAnswer};
use crate::view::report::inode::{Extents, InodeView, MountView, Statx};
use crate::view::{detail, file_fields};

/// The page of one file.
pub fn page(answer: &FileAnswer, judge: &Judge, devices: &[KName]) -> Page {
    let mut page = Page {
        title: format!("{}: {}", answer.path, answer.write_zeroes.summary),
        tone: file_fields::tone(answer),
        blocks: Vec::new(),
    };
    let blocks = &mut page.blocks;
    why(answer, blocks);
    modes(answer, blocks);
    overwrites(answer, blocks);
    if let Some(extents) = &answer.extents {
        now(extents, blocks);
    }
    place(answer, blocks);
    chain(judge, devices, blocks);
    if let Some(inode) = &answer.inode {
        about_inode(inode, blocks);
    }
    if let Some(statx) = &answer.statx {
        about_statx(statx, blocks);
    }
    detail::not_read(&answer.unread, blocks);
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

fn pair(label: &str, value: impl Into<Cell>, note: Option<String>) -> Block {
    Block::Pair {
        label: label.into(),
        value: value.into(),
        note,
    }
}

fn why(answer: &FileAnswer, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Why".into()));
    for reason in &answer.write_zeroes.reasons {
        blocks.push(item(
            0,
            Tone::Plain,
            Some("-"),
            format!("{} [{}]", reason.text, reason.rule),
        ));
        for one in &reason.evidence {
            blocks.push(item(
                1,
                Tone::Dim,
                None,
                format!("{} = {}", one.origin, one.value),
            ));
        }
    }
}

fn modes(answer: &FileAnswer, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(
        "Modes of fallocate, for a range aligned to blocks".into(),
    ));
    for mode in &answer.modes {
        let label = format!("{:#04x} {}", mode.flags, mode.mode.word());
        blocks.push(pair(&label, file_fields::outcome(mode), note(mode)));
    }
}

fn note(mode: &ModeAnswer) -> Option<String> {
    match mode.supported {
        Some(true) if mode.offloaded == Some(true) => Some("by the device".into()),
        Some(true) => None,
        _ => mode.reasons.first().map(|reason| reason.text.clone()),
    }
}

/// What each state that a mode leaves costs a later overwrite.
fn overwrites(answer: &FileAnswer, blocks: &mut Vec<Block>) {
    let mut costs: Vec<(State, Overwrite)> = Vec::new();
    for mode in &answer.modes {
        let pairs = [
            (mode.hole_becomes, mode.overwrite_after_hole),
            (mode.data_becomes, mode.overwrite_after_data),
        ];
        for (state, cost) in pairs {
            if let (Some(state), Some(cost)) = (state, cost)
                && !costs.contains(&(state, cost))
            {
                costs.push((state, cost));
            }
        }
    }
    if costs.is_empty() {
        return;
    }
    blocks.push(Block::Heading("A later O_DSYNC overwrite writes".into()));
    for (state, cost) in costs {
        blocks.push(pair(
            state.word(),
            cost.says(answer.commit),
            Some(cost.word().into()),
        ));
    }
}

fn now(extents: &Extents, blocks: &mut Vec<Block>) {
    let ready = if extents.all_written {
        "all of it is written"
    } else {
        "not all of it is written"
    };
    let ready = match extents.method {
        Method::Fiemap => ready,
        Method::Seek => "data and holes alone: this filesystem has no FIEMAP",
    };
    blocks.push(Block::Heading(format!("What it has now: {ready}")));
    let mut tally = |label: &str, tally: Tally| {
        if tally.count > 0 {
            let count = match tally.count {
                1 => "1 extent".to_owned(),
                count => format!("{count} extents"),
            };
            blocks.push(pair(label, Cell::Bytes(tally.bytes), Some(count)));
        }
    };
    tally("written", extents.written);
    tally("unwritten", extents.unwritten);
    tally("shared with other files", extents.shared);
    tally("compressed or encrypted", extents.encoded);
    tally("inline", extents.inline);
    tally("not placed yet", extents.delayed);
    if extents.hole_bytes > 0 {
        blocks.push(pair("holes", Cell::Bytes(extents.hole_bytes), None));
    }
}

fn place(answer: &FileAnswer, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Where it lies".into()));
    let mut text = |label: &str, value: &str| {
        if !value.is_empty() {
            blocks.push(pair(label, value.to_owned(), None));
        }
    };
    text("kind", answer.kind.as_deref().unwrap_or_default());
    if answer.real_path.as_deref() != Some(&answer.path) {
        text("real path", answer.real_path.as_deref().unwrap_or_default());
    }
    text(
        "filesystem",
        answer.filesystem.as_deref().unwrap_or_default(),
    );
    text(
        "upper layer",
        answer.upper_path.as_deref().unwrap_or_default(),
    );
    text("features", &answer.features.join(", "));
    text(
        "devices",
        &answer.devices.as_deref().unwrap_or_default().join(", "),
    );
    for other in &answer.other_devices {
        text(&format!("{} device", other.role), &other.path);
    }
    if let Some(MountView {
        point,
        root,
        source,
        options,
        super_options,
        ..
    }) = &answer.mount
    {
        text("mounted on", point);
        if root != "/" {
            text("of it", root);
        }
        text("source", source.as_deref().unwrap_or_default());
        text("mount options", &options.join(","));
        text("filesystem options", &super_options.join(","));
    }
}

/// The devices that zeroes go to, with what they stand on.
fn chain(judge: &Judge, devices: &[KName], blocks: &mut Vec<Block>) {
    const DEEPEST: u8 = 16;
    fn below(judge: &Judge, kname: &KName, depth: u8, blocks: &mut Vec<Block>) {
        let Some(device) = judge.topology.get(kname) else {
            return;
        };
        let verdict = judgement::judge(judge, device).verdict;
        let text = format!("{kname} ({}): {}", device.kind.word(), verdict.summary);
        blocks.push(item(depth, Tone::Plain, Some("-"), text));
        if depth < DEEPEST {
            for slave in judge.topology.below(device) {
                below(judge, slave, depth + 1, blocks);
            }
        }
    }
    if devices.is_empty() {
        return;
    }
    blocks.push(Block::Heading("Devices below".into()));
    for kname in devices {
        below(judge, kname, 0, blocks);
    }
}

fn about_inode(inode: &InodeView, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("Inode".into()));
    blocks.push(pair("number", Cell::UInt(inode.number), None));
    blocks.push(pair("device number", inode.devno.clone(), None));
    blocks.push(pair("size", Cell::Bytes(inode.size_bytes), None));
    blocks.push(pair("allocated", Cell::Bytes(inode.allocated_bytes), None));
    if let Some(flags) = inode.flags.as_ref().filter(|flags| !flags.is_empty()) {
        blocks.push(pair("flags", Cell::List(flags.clone()), None));
    }
    for (label, value) in [("realtime", inode.realtime), ("swap file", inode.swap)] {
        if let Some(value) = value {
            blocks.push(pair(label, Cell::Bool(value), None));
        }
    }
    if let Some(hint) = inode.extent_size_bytes.filter(|hint| *hint > 0) {
        blocks.push(pair("extent size hint", Cell::Bytes(hint), None));
    }
}

fn about_statx(statx: &Statx, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading("statx".into()));
    if !statx.attributes.is_empty() {
        blocks.push(pair(
            "attributes",
            Cell::List(statx.attributes.clone()),
            None,
        ));
    }
    let numbers = [
        ("dio_mem_align", statx.dio_mem_align),
        ("dio_offset_align", statx.dio_offset_align),
        ("dio_read_offset_align", statx.dio_read_offset_align),
        ("atomic_write_unit_min", statx.atomic_write_unit_min),
        ("atomic_write_unit_max", statx.atomic_write_unit_max),
        ("atomic_write_unit_max_opt", statx.atomic_write_unit_max_opt),
    ];
    for (label, value) in numbers {
        if let Some(value) = value {
            let none = (value == 0).then(|| "not possible".to_owned());
            blocks.push(pair(
                label,
                Cell::UInt(u64::from(value)),
                none.or_else(|| Some(in_words(u64::from(value)))),
            ));
        }
    }
    if let Some(subvol) = statx.subvol {
        blocks.push(pair("subvol", Cell::UInt(subvol), None));
    }
}
