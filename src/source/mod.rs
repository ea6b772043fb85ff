//! Where bytes come from: the running host, a captured root or a snapshot. The only layer that reads devices.

pub mod command;
pub mod errno;
pub mod events;
pub mod files;
pub mod inode;
pub mod ioctl;
pub mod open;
pub mod regular;
pub mod remember;
pub mod root;
pub mod scripted;
pub mod snapshot;
pub mod transcript;
pub mod trigger;
#[cfg(feature = "udev")]
pub mod udev_changes;
#[cfg(feature = "udev")]
pub mod udev_live;
pub mod whole_file;

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

/// The running kernel's release by uname(2), for where a sandbox hides /proc/sys.
pub fn running_release() -> Vec<u8> {
    rustix::system::uname().release().to_bytes().to_vec()
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
