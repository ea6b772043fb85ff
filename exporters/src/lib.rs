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
//! | a ticket | [`write_markdown`] |
//! | a picture of what stands on what | [`write_svg`], [`write_dot`] |
//! | a page for a browser | [`write_html`] |
//! | properties for udev or an environment | [`write_properties`] |
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
pub mod dot;
pub mod field;
pub mod graph;
mod hex;
pub mod html;
pub mod json;
mod layout;
pub mod markdown;
pub mod prometheus;
pub mod properties;
mod style;
pub mod svg;
pub mod table;
mod text;
pub mod tree;
mod wrap;

pub use bytes::{ByteStyle, format_bytes};
pub use csv::write_csv;
pub use detail::{Block, Page, write_page};
pub use dot::write_dot;
pub use field::{Cell, Field, Tone, Unit, UnknownField, select};
pub use graph::{Graph, GraphNode};
pub use html::{HtmlPage, escape_markup, write_html};
pub use json::{Streamed, write_json, write_ndjson};
pub use markdown::write_markdown;
pub use prometheus::{Family, PrometheusError, Sample, write_prometheus};
pub use properties::write_properties;
pub use svg::{svg, svg_parts, write_svg};
pub use table::{TableOptions, write_table};
pub use text::printable;
pub use tree::{Tree, TreeNode, write_tree};
