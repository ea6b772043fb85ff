//! Commands that are sent to a device node, and what comes back.
//!
//! No variant of [`Command`] can write, and none can be made that does: an NVMe Identify, a
//! [`ReadCdb`] that exists for reading commands only, and the five device-mapper requests that
//! look at a table without changing it.

use std::fmt;

use rustix::io::Errno;

use crate::source::errno::errno_text;
use crate::wire::nvme::command::Identify;
use crate::wire::scsi::cdb::ReadCdb;

pub use crate::wire::dm::ioctl::{DmLine, DmTargetVersion};

/// Where the device-mapper driver listens.
pub const DM_CONTROL: &str = "/dev/mapper/control";

/// Block or character: a device number means nothing without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A block special file.
    Block,
    /// A character special file.
    Char,
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Block => "block device",
            Self::Char => "character device",
        })
    }
}

/// The device node a command goes to.
///
/// The source opens it read-only, non-blocking and close-on-exec, and refuses if the opened node
/// is of another kind or has another number: a stale node must never send a command to another
/// device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// "/dev/nvme0", "/dev/sda", "/dev/mapper/control".
    pub path: String,
    /// The number the node must have; `None` where nothing tells it in advance.
    pub devno: Option<(u32, u32)>,
    /// The kind the node must be of.
    pub kind: NodeKind,
}

impl Node {
    /// A block device of this number.
    pub fn block(path: impl Into<String>, devno: (u32, u32)) -> Self {
        Self {
            path: path.into(),
            devno: Some(devno),
            kind: NodeKind::Block,
        }
    }

    /// A character device of this number (an NVMe controller, a generic namespace).
    pub fn char(path: impl Into<String>, devno: (u32, u32)) -> Self {
        Self {
            path: path.into(),
            devno: Some(devno),
            kind: NodeKind::Char,
        }
    }

    /// The device-mapper control node. Its minor number is dynamic on some kernels.
    pub fn dm_control() -> Self {
        Self {
            path: DM_CONTROL.to_owned(),
            devno: None,
            kind: NodeKind::Char,
        }
    }
}

/// A command that only reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// NVMe Identify, through the admin passthrough.
    NvmeIdentify(Identify),
    /// A SCSI command that reads, through SG_IO.
    Scsi(ReadCdb),
    /// DM_VERSION: the version of the device-mapper interface.
    DmVersion,
    /// DM_LIST_VERSIONS: the loaded target types and their versions.
    DmTargets,
    /// DM_TABLE_STATUS with the table flag: the active table of one device, keys hidden.
    DmTable {
        /// The dm device.
        devno: (u32, u32),
    },
    /// DM_TABLE_STATUS: the status of one device's targets, counters left out.
    DmStatus {
        /// The dm device.
        devno: (u32, u32),
    },
    /// DM_TABLE_DEPS: the devices that one device's active table holds open.
    DmDeps {
        /// The dm device.
        devno: (u32, u32),
    },
}

/// What a command brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Answer to [`Command::NvmeIdentify`].
    Nvme {
        /// The NVMe status: 0 is success, anything else is the controller's refusal.
        status: u16,
        /// The data structure; empty unless the status is 0.
        data: Vec<u8>,
    },
    /// Answer to [`Command::Scsi`].
    Scsi {
        /// SCSI status byte (SAM-6, status codes).
        status: u8,
        /// Host adapter status (`DID_*`).
        host_status: u16,
        /// Driver status (`DRIVER_*`).
        driver_status: u16,
        /// Sense data, as long as it was written.
        sense: Vec<u8>,
        /// Data, with the residual cut off.
        data: Vec<u8>,
    },
    /// Answer to [`Command::DmVersion`].
    DmVersion([u32; 3]),
    /// Answer to [`Command::DmTargets`].
    DmTargets(Vec<DmTargetVersion>),
    /// Answer to [`Command::DmTable`].
    DmTable {
        /// State flags of the device (`DmFlags` in `wire::dm::ioctl`).
        flags: u32,
        /// One line for each target, keys hidden.
        lines: Vec<DmLine>,
    },
    /// Answer to [`Command::DmStatus`].
    DmStatus {
        /// State flags of the device (`DmFlags` in `wire::dm::ioctl`).
        flags: u32,
        /// One line for each target, counters left out.
        lines: Vec<DmLine>,
    },
    /// Answer to [`Command::DmDeps`], in the kernel's order.
    DmDeps(Vec<(u32, u32)>),
}

/// Why a command brought nothing back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The command was never tried; says why.
    #[error("not asked: {0}")]
    NotAsked(&'static str),
    /// The node could not be opened.
    #[error("cannot open {path}: {}{}", errno_text(*errno), open_hint(*errno, path))]
    Open {
        /// What open(2) said.
        errno: Errno,
        /// The node.
        path: String,
    },
    /// The node is there, but is not the device it should be. Nothing was sent to it.
    #[error("{path} is not the device it should be: {why}")]
    WrongNode {
        /// The node.
        path: String,
        /// What it is, and what it should be.
        why: String,
    },
    /// The kernel refused the request.
    #[error("{request} on {path}: {}{}", errno_text(*errno), ioctl_hint(*errno))]
    Ioctl {
        /// What ioctl(2) said.
        errno: Errno,
        /// The node.
        path: String,
        /// The request, by its name in the kernel's headers.
        request: &'static str,
    },
    /// The answer came, and makes no sense.
    #[error("{request} on {path} gave an answer that makes no sense: {why}")]
    Malformed {
        /// The node.
        path: String,
        /// The request, by its name in the kernel's headers.
        request: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

impl CommandError {
    /// Whether this says that the running kernel has no device-mapper driver at all.
    pub fn no_device_mapper(&self) -> bool {
        matches!(self, Self::Open { errno, path }
            if path == DM_CONTROL && matches!(*errno, Errno::NODEV | Errno::NXIO | Errno::NOENT))
    }

    /// Whether more rights would help.
    pub fn denied(&self) -> bool {
        matches!(self, Self::Open { errno, .. } | Self::Ioctl { errno, .. }
            if matches!(*errno, Errno::ACCESS | Errno::PERM))
    }
}

fn open_hint(errno: Errno, path: &str) -> &'static str {
    match errno {
        Errno::NODEV | Errno::NXIO if path == DM_CONTROL => {
            "; this kernel has no device-mapper driver"
        }
        Errno::NOENT if path == DM_CONTROL => "; there is no device-mapper here",
        Errno::NODEV | Errno::NXIO => "; the device is gone",
        Errno::ACCESS => "; run as root",
        // The mode of a node never gives this: the device rules of a container do.
        Errno::PERM => "; the system forbids this device here, to root too",
        _ => "",
    }
}

fn ioctl_hint(errno: Errno) -> &'static str {
    match errno {
        Errno::ACCESS | Errno::PERM => "; run as root",
        Errno::NOTTY => "; the driver does not know this request",
        _ => "",
    }
}

/// Whatever answers commands: the running host, a capture, a test's script.
pub trait Commands {
    /// Sends one command to one node and waits for its answer.
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError>;
}

impl<C: Commands + ?Sized> Commands for &C {
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError> {
        (**self).command(node, command)
    }
}

impl<C: Commands + ?Sized> Commands for std::rc::Rc<C> {
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError> {
        (**self).command(node, command)
    }
}

impl<C: Commands + ?Sized> Commands for Box<C> {
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError> {
        (**self).command(node, command)
    }
}

/// Answers nothing, always with the same reason (`--no-ioctl`).
#[derive(Clone, Copy, Debug)]
pub struct Silent(pub &'static str);

impl Commands for Silent {
    fn command(&self, _node: &Node, _command: &Command) -> Result<Reply, CommandError> {
        Err(CommandError::NotAsked(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_was_tried_on_what_and_what_to_do() {
        let path = "/dev/nvme0".to_owned();
        let open = CommandError::Open {
            errno: Errno::ACCESS,
            path: path.clone(),
        };
        assert_eq!(
            open.to_string(),
            "cannot open /dev/nvme0: EACCES (13); run as root"
        );
        assert!(open.denied());

        let request = "NVME_IOCTL_ADMIN_CMD";
        let ioctl = CommandError::Ioctl {
            errno: Errno::NOTTY,
            path,
            request,
        };
        assert_eq!(
            ioctl.to_string(),
            "NVME_IOCTL_ADMIN_CMD on /dev/nvme0: ENOTTY (25); the driver does not know this request"
        );
        assert!(!ioctl.denied());
    }

    #[test]
    fn a_kernel_without_device_mapper_is_told_apart() {
        let open = |errno, path: &str| CommandError::Open {
            errno,
            path: path.to_owned(),
        };
        assert_eq!(
            open(Errno::NODEV, DM_CONTROL).to_string(),
            "cannot open /dev/mapper/control: ENODEV (19); this kernel has no device-mapper driver"
        );
        assert!(open(Errno::NODEV, DM_CONTROL).no_device_mapper());
        assert!(!open(Errno::ACCESS, DM_CONTROL).no_device_mapper());
        assert!(!open(Errno::NODEV, "/dev/sda").no_device_mapper());
    }
}
