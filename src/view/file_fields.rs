//! Columns of a table of files, and of a file's extents.

use zinspect_exporters::{Cell, Field, Tone, Unit};

use crate::verdict::file::{Call, Mode};
use crate::view::report::file::{FileAnswer, ModeAnswer};
use crate::view::report::inode::{Extents, InodeView};

macro_rules! columns {
    ($record:ty; $($key:literal $header:literal $unit:ident $help:literal $get:expr, $tone:expr;)*) => {
        &[$(Field::<$record> {
            key: $key, header: $header, help: $help, unit: Unit::$unit, tone: $tone, get: $get,
        }),*]
    };
}

/// Columns that a table of files has unless others are chosen.
pub const DEFAULT: &[&str] = &[
    "path",
    "filesystem",
    "devices",
    "write_zeroes",
    "zero_range",
    "punch_hole",
    "allocate",
    "summary",
];

/// Columns of files.
pub const ALL: &[Field<FileAnswer>] = columns! { FileAnswer;
    "path" "PATH" None "the path as it was given" |file| Cell::from(file.path.clone()), None;
    "filesystem" "FILESYSTEM" None "filesystem type" |file| text(file.filesystem.as_ref()), None;
    "devices" "DEVICES" None "devices that zeroes go to" devices, None;
    "write_zeroes" "WRITE-ZEROES" None "whether FALLOC_FL_WRITE_ZEROES works, and is fast" write_zeroes, Some(tone);
    "zero_range" "ZERO-RANGE" None "what a hole and data become" |file| mode(file, Mode::ZeroRange), None;
    "punch_hole" "PUNCH-HOLE" None "what a hole and data become" |file| mode(file, Mode::PunchHole), None;
    "allocate" "ALLOCATE" None "what a hole and data become" |file| mode(file, Mode::Allocate), None;
    "zero_range_keep_size" "ZERO-RANGE-KEEP-SIZE" None "what a hole and data become" |file| mode(file, Mode::ZeroRangeKeepSize), None;
    "supported" "SUPPORTED" None "whether FALLOC_FL_WRITE_ZEROES succeeds" |file| flag(file.write_zeroes.supported), None;
    "errno" "ERRNO" None "the error with which FALLOC_FL_WRITE_ZEROES fails" |file| text(file.write_zeroes.errno.as_ref()), None;
    "fast" "FAST" None "whether the device zeroes by a command that deallocates" |file| flag(file.write_zeroes.fast), None;
    "commit" "COMMIT" None "where metadata goes to that an overwrite changes" |file| file.commit.map_or_else(|| why(file, "commit"), |to| Cell::from(to.word())), None;
    "kind" "KIND" None "regular file, directory" |file| text(file.kind.as_ref()), None;
    "size_bytes" "SIZE" Bytes "size" |file| inode(file, |inode| inode.size_bytes), None;
    "allocated_bytes" "ALLOCATED" Bytes "space allocated to it" |file| inode(file, |inode| inode.allocated_bytes), None;
    "all_written" "ALL-WRITTEN" None "whether all of it lies in written extents of its own" |file| flag(file.extents.as_ref().map(|extents| extents.all_written)), None;
    "written_bytes" "WRITTEN" Bytes "bytes in written extents" |file| bytes(file, |extents| extents.written.bytes), None;
    "unwritten_bytes" "UNWRITTEN" Bytes "bytes in unwritten extents" |file| bytes(file, |extents| extents.unwritten.bytes), None;
    "hole_bytes" "HOLES" Bytes "bytes that no extent covers" |file| bytes(file, |extents| extents.hole_bytes), None;
    "summary" "SUMMARY" None "the answer in a line" |file| Cell::from(file.write_zeroes.summary.clone()), None;
};

fn text(value: Option<&String>) -> Cell {
    value.map_or(Cell::Missing(""), |text| Cell::from(text.clone()))
}

fn flag(value: Option<bool>) -> Cell {
    value.map_or(Cell::Missing("unknown"), Cell::Bool)
}

/// Why a part is null, for a cell.
fn why(file: &FileAnswer, field: &str) -> Cell {
    let unread = file.unread.iter().find(|unread| unread.field == field);
    Cell::Missing(unread.map_or("", |unread| unread.status.word()))
}

fn inode(file: &FileAnswer, get: impl Fn(&InodeView) -> u64) -> Cell {
    let value = file.inode.as_ref().map(get);
    value.map_or_else(|| why(file, "inode"), Cell::Bytes)
}

fn bytes(file: &FileAnswer, get: impl Fn(&Extents) -> u64) -> Cell {
    let value = file.extents.as_ref().map(get);
    value.map_or_else(|| why(file, "extents"), Cell::Bytes)
}

fn devices(file: &FileAnswer) -> Cell {
    if let Some(devices) = &file.devices {
        return Cell::List(devices.clone());
    }
    why(file, "devices")
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
