//! Where bytes come from: the running host, a captured root or a snapshot. The only layer that makes system calls.

pub mod command;
pub mod errno;
pub mod files;
pub mod inode;
pub mod ioctl;
pub mod open;
pub mod root;
pub mod scripted;
pub mod snapshot;
pub mod transcript;
#[cfg(feature = "udev")]
pub mod udev_live;

use crate::source::command::Commands;
use crate::source::files::Files;

/// One host to read from.
pub struct Host {
    /// Its files.
    pub files: Box<dyn Files>,
    /// Its devices' answers.
    pub commands: Box<dyn Commands>,
    /// Where both come from, as the report names it.
    pub source: Source,
}

/// Where a report's readings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The running host.
    Live,
    /// A directory with a captured root.
    Sysroot,
    /// An archive made by `zinspect capture`.
    Snapshot,
    /// A stack that does not exist.
    WhatIf,
}
