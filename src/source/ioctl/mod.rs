//! Commands to the devices of the running host. The only unsafe code of the program that talks to
//! a driver is in this folder; each request reads, and none can write.

pub(crate) mod call;
mod dm;
mod node;
mod nvme;
pub(crate) mod scsi;

use rustix::io::Errno;

use crate::source::command::{Command, CommandError, Commands, Node, Reply};
use crate::wire::dm::status::InUse;

/// How long a device may take for one command.
const TIMEOUT_MS: u32 = 10_000;

/// The running host.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveCommands;

impl Commands for LiveCommands {
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError> {
        let fd = node::open(node)?;
        let device = Device {
            fd,
            path: &node.path,
        };
        match command {
            Command::NvmeIdentify(identify) => nvme::identify(&device, *identify),
            Command::Scsi(cdb) => scsi::read(&device, cdb),
            Command::DmVersion => dm::version(&device).map(Reply::DmVersion),
            Command::DmTargets => dm::targets(&device),
            Command::DmTable { devno } => dm::table(&device, *devno),
            Command::DmStatus { devno } => dm::status(&device, *devno),
            Command::DmDeps { devno } => dm::deps(&device, *devno),
        }
    }
}

impl LiveCommands {
    /// What a thin volume or a thin pool has in use at this moment; `None` where the device is neither. Counters are in
    /// no capture, so this is asked of the running host only.
    pub fn thin_in_use(&self, devno: (u32, u32)) -> Result<Option<InUse>, CommandError> {
        let node = Node::dm_control();
        let device = Device {
            fd: node::open(&node)?,
            path: &node.path,
        };
        dm::in_use(&device, devno)
    }
}

/// An open node, and its path for messages.
struct Device<'a> {
    fd: rustix::fd::OwnedFd,
    path: &'a str,
}

impl Device<'_> {
    fn refused(&self, request: &'static str, errno: Errno) -> CommandError {
        CommandError::Ioctl {
            errno,
            path: self.path.to_owned(),
            request,
        }
    }

    fn malformed(&self, request: &'static str, why: impl Into<String>) -> CommandError {
        CommandError::Malformed {
            path: self.path.to_owned(),
            request,
            why: why.into(),
        }
    }
}

#[cfg(test)]
mod headers;
#[cfg(test)]
mod tests;
