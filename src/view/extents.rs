//! Extents one by one: rows of a table, and JSON.

use zinspect_exporters::{Cell, Field, Unit};

use crate::facts::file::Method;
use crate::source::inode::{Extent, ExtentFlags, Segment, Stat};
use crate::view::report::SCHEMA_VERSION;

/// What `zinspect extents -o json` prints.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub struct Report<'f> {
    /// Version of the contract.
    pub schema_version: u32,
    /// The files in the order given.
    pub files: &'f [FileExtents],
}

impl<'f> Report<'f> {
    /// Of these files.
    pub fn new(files: &'f [FileExtents]) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            files,
        }
    }
}

/// The extents of one file.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct FileExtents {
    /// The path as it was given.
    pub path: String,
    /// How they were found out; seek cannot tell unwritten extents from holes.
    pub method: Method,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Space allocated in bytes.
    pub allocated_bytes: u64,
    /// In order; what none covers is a hole.
    pub extents: Vec<OneExtent>,
}

/// One extent.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct OneExtent {
    /// Offset in the file in bytes.
    pub logical_bytes: u64,
    /// Offset in the filesystem's address space in bytes; null where it is not known.
    pub physical_bytes: Option<u64>,
    /// Length in bytes.
    pub length_bytes: u64,
    /// written, unwritten, inline, delayed; by seek data, hole.
    pub state: &'static str,
    /// The flags of FIEMAP that are set, as filefrag names them.
    pub flags: Vec<String>,
}

impl FileExtents {
    /// From FIEMAP.
    pub fn mapped(path: String, stat: &Stat, extents: Vec<Extent>) -> Self {
        let extents = extents.into_iter().map(|extent| OneExtent {
            logical_bytes: extent.logical,
            physical_bytes: (!extent.flags.contains(ExtentFlags::UNKNOWN))
                .then_some(extent.physical),
            length_bytes: extent.length,
            state: state(extent.flags),
            flags: extent.flags.words(),
        });
        Self::new(path, Method::Fiemap, stat, extents.collect())
    }

    /// From lseek(2).
    pub fn sought(path: String, stat: &Stat, segments: Vec<Segment>) -> Self {
        let extents = segments.into_iter().map(|segment| OneExtent {
            logical_bytes: segment.start,
            physical_bytes: None,
            length_bytes: segment.length,
            state: if segment.data { "data" } else { "hole" },
            flags: Vec::new(),
        });
        Self::new(path, Method::Seek, stat, extents.collect())
    }

    fn new(path: String, method: Method, stat: &Stat, extents: Vec<OneExtent>) -> Self {
        let (size_bytes, allocated_bytes) = (stat.size_bytes, stat.allocated_bytes);
        Self {
            path,
            method,
            size_bytes,
            allocated_bytes,
            extents,
        }
    }

    /// A row for each extent.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.extents.iter().map(|extent| Row {
            path: self.path.clone(),
            extent: extent.clone(),
        })
    }
}

fn state(flags: ExtentFlags) -> &'static str {
    match flags {
        flags if flags.intersects(ExtentFlags::DATA_INLINE | ExtentFlags::DATA_TAIL) => "inline",
        flags if flags.contains(ExtentFlags::UNWRITTEN) => "unwritten",
        flags if flags.contains(ExtentFlags::DELALLOC) => "delayed",
        _ => "written",
    }
}

/// One extent of one file.
#[derive(Debug, Clone)]
pub struct Row {
    path: String,
    extent: OneExtent,
}

macro_rules! field {
    ($key:literal, $header:literal, $unit:ident, $help:literal, $get:expr) => {
        Field {
            key: $key,
            header: $header,
            help: $help,
            unit: Unit::$unit,
            tone: None,
            get: $get,
        }
    };
}

/// Columns.
pub const FIELDS: &[Field<Row>] = &[
    field!("path", "PATH", None, "the path as it was given", |row| {
        Cell::from(row.path.clone())
    }),
    field!(
        "logical_bytes",
        "LOGICAL",
        Count,
        "offset in the file in bytes",
        |row| { Cell::UInt(row.extent.logical_bytes) }
    ),
    field!(
        "physical_bytes",
        "PHYSICAL",
        Count,
        "offset in the filesystem in bytes",
        |row| {
            row.extent
                .physical_bytes
                .map_or(Cell::Missing(""), Cell::UInt)
        }
    ),
    field!(
        "length_bytes",
        "LENGTH",
        Bytes,
        "length",
        |row| Cell::Bytes(row.extent.length_bytes)
    ),
    field!(
        "state",
        "STATE",
        None,
        "written, unwritten, inline, delayed; by seek data, hole",
        |row| { Cell::from(row.extent.state) }
    ),
    field!("flags", "FLAGS", None, "flags of FIEMAP", |row| Cell::List(
        row.extent.flags.clone()
    )),
];
