//! Opening a node, and making sure that it is the device that is meant.

use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, major, minor, open as open_file, stat};
use rustix::io::Errno;

use crate::source::command::{CommandError, Node, NodeKind};

/// Opens a node for reading. It is looked at before it is opened, as opening alone can act on a
/// device of another kind (a tape rewinds, a watchdog starts), and again afterwards, as the path
/// may have changed hands in between.
pub(super) fn open(node: &Node) -> Result<OwnedFd, CommandError> {
    let failed = |errno: Errno| CommandError::Open {
        errno,
        path: node.path.clone(),
    };
    let path = node.path.as_str();
    check(node, &stat(path).map_err(failed)?)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let fd = open_file(path, flags, Mode::empty()).map_err(failed)?;
    check(node, &fstat(&fd).map_err(failed)?)?;
    Ok(fd)
}

fn check(node: &Node, stat: &Stat) -> Result<(), CommandError> {
    let wrong = |why: String| {
        Err(CommandError::WrongNode {
            path: node.path.clone(),
            why,
        })
    };
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::BlockDevice => NodeKind::Block,
        FileType::CharacterDevice => NodeKind::Char,
        _ => return wrong(format!("it is not a {}", node.kind)),
    };
    if kind != node.kind {
        return wrong(format!("it is a {kind}, not a {}", node.kind));
    }
    let found = (major(stat.st_rdev), minor(stat.st_rdev));
    match node.devno {
        Some(wanted) if wanted != found => wrong(format!(
            "its number is {}:{}, not {}:{}",
            found.0, found.1, wanted.0, wanted.1
        )),
        _ => Ok(()),
    }
}
