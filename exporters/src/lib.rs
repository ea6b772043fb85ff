//! Renders records: tables, trees, explained pages, CSV, JSON and Prometheus text.
//!
//! This is the bottom layer. It knows how to write things and nothing of what they mean: the caller
//! describes a record once, as a list of [`Field`]s, and every format comes from that list.
//!
//! | to write | call |
//! |---|---|
//! | rows under headings | [`write_table`] |
//! | things that stand under other things | [`write_tree`] |
//! | a page of explained text | [`write_page`] |
//! | data for a spreadsheet | [`write_csv`] |
//! | data for a program | [`write_json`], [`write_ndjson`], [`Streamed`] |
//! | metrics for a scrape | [`write_prometheus`] |
//!
//! What all of them keep to:
//!
//! - They write to the writer that is given, in large pieces, and flush it. Every error of
//!   the writer comes back as it was, [`BrokenPipe`](std::io::ErrorKind::BrokenPipe) too.
//! - A value that is missing is never shown as zero; see [`Cell::Missing`].
//! - No control character and no character that reorders or hides text reaches the output, whatever
//!   the values hold: a second wall behind the caller's own. See [`printable`].
//! - Text is measured in columns of a terminal, so wide characters line up.

pub mod bytes;
pub mod csv;
pub mod detail;
pub mod field;
mod hex;
pub mod json;
mod layout;
pub mod prometheus;
mod style;
pub mod table;
mod text;
pub mod tree;
mod wrap;

pub use bytes::{ByteStyle, format_bytes};
pub use csv::write_csv;
pub use detail::{Block, Page, write_page};
pub use field::{Cell, Field, Tone, Unit, UnknownField, select};
pub use json::{Streamed, write_json, write_ndjson};
pub use prometheus::{Family, PrometheusError, Sample, write_prometheus};
pub use table::{TableOptions, write_table};
pub use text::printable;
pub use tree::{Tree, TreeNode, write_tree};
