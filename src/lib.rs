//! zinspect: what a block device really does when it is asked for zeroes, and why.
//!
//! Data flows one way:
//!
//! ```text
//! source ── bytes, errno ──▶ wire ── structures ──▶ facts ── readings with origin ──▶ model ── graph ──▶
//! verdict ── mode and reasons ──▶ view ── records ──▶ zinspect_exporters
//! ```
//!
//! Devices and captures are read by [`source`] alone, and written to by [`probe`] alone; `facts::target` looks at what a
//! path is, `cli` and `serve` talk to terminal and network. Everything else is pure and runs the same on a live host, a
//! captured one and a scripted one. A value that cannot be read is data ([`facts::reading::Reading`]), not an error.
#![deny(clippy::indexing_slicing)]
// They panic where nobody reads: `say` and `output` do not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod bench;
pub mod cli;
pub mod facts;
pub mod model;
pub mod probe;
pub mod say;
#[cfg(feature = "serve")]
pub mod serve;
pub mod source;
pub mod verdict;
pub mod view;
pub mod wire;
