//! Columns of a table of files, and of a file's extents.

use zinspect_exporters::{Cell, Field, Tone, Unit};

use crate::verdict::file::{Call, Mode};
use crate::view::report::file::{FileAnswer, ModeAnswer};

macro_rules! columns {
    ($record:ty; $($key:literal $header:literal $unit:ident $help:literal $get:expr, $tone:expr;)*) => {
        &[$(Field::<$record> {
            key: $key, header: $header, help: $help, unit: Unit::$unit, tone: $tone, get: $get,
        }),*]
    };
}

/// Columns of a table of files.
pub const FILES: &[Field<FileAnswer>] = columns! { FileAnswer;
    "path" "PATH" None "the path as it was given" |file| Cell::from(file.path.clone()), None;
    "filesystem" "FILESYSTEM" None "filesystem type" |file| text(file.filesystem.as_ref()), None;
    "devices" "DEVICES" None "devices that zeroes go to" devices, None;
    "write_zeroes" "WRITE-ZEROES" None "whether FALLOC_FL_WRITE_ZEROES works, and is fast" write_zeroes, Some(tone);
    "zero_range" "ZERO-RANGE" None "what a hole and data become" |file| mode(file, Mode::ZeroRange), None;
    "punch_hole" "PUNCH-HOLE" None "what a hole and data become" |file| mode(file, Mode::PunchHole), None;
    "allocate" "ALLOCATE" None "what a hole and data become" |file| mode(file, Mode::Allocate), None;
    "summary" "SUMMARY" None "the answer in a line" |file| Cell::from(file.write_zeroes.summary.clone()), None;
};

fn text(value: Option<&String>) -> Cell {
    value.map_or(Cell::Missing(""), |text| Cell::from(text.clone()))
}

fn devices(file: &FileAnswer) -> Cell {
    if let Some(devices) = &file.devices {
        return Cell::List(devices.clone());
    }
    let unread = file.unread.iter().find(|unread| unread.field == "devices");
    Cell::Missing(unread.map_or("", |unread| unread.status.word()))
}

fn write_zeroes(file: &FileAnswer) -> Cell {
    let answer = &file.write_zeroes;
    Cell::from(match (answer.supported, answer.fast) {
        (Some(false), _) => answer.errno.clone().unwrap_or_default(),
        (Some(true), Some(true)) => "fast".into(),
        (Some(true), Some(false)) => "slow".into(),
        (Some(true), None) => "works".into(),
        (None, _) => return Cell::Missing("unknown"),
    })
}

/// How an answer looks.
pub fn tone(file: &FileAnswer) -> Tone {
    match (file.write_zeroes.supported, file.write_zeroes.fast) {
        (Some(true), Some(true)) => Tone::Good,
        (Some(true), _) => Tone::Fair,
        (Some(false), _) => Tone::Bad,
        (None, _) => Tone::Dim,
    }
}

fn mode(file: &FileAnswer, mode: Mode) -> Cell {
    file.mode(mode)
        .map_or(Cell::Missing(""), |answer| match answer.supported {
            None => Cell::Missing("unknown"),
            Some(_) => Cell::from(outcome(answer)),
        })
}

/// What a mode does, in a few words.
pub fn outcome(answer: &ModeAnswer) -> String {
    match (answer.supported, answer.hole_becomes, answer.data_becomes) {
        (Some(false), ..) => {
            let call = answer.call.map_or("", Call::word);
            format!("{} at {call}", answer.errno.as_deref().unwrap_or_default())
        }
        (None, ..) => "not known".into(),
        (_, Some(hole), Some(data)) if hole == data => format!("all {}", hole.word()),
        (_, Some(hole), Some(data)) => format!("holes {}, data {}", hole.word(), data.word()),
        _ => "works".into(),
    }
}
