//! Taking hold of a target: a scratch file of our own, or a device that nobody else has open.

use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode as Perm, OFlags};
use rustix::io::Errno;

use super::exec;
use super::openers::{self, Openers};
use super::refusal::Refusal;
use super::target::{Device, ScratchDir};
use crate::source::errno;

/// A number that no other run of these days has.
pub(super) fn fresh_number() -> u32 {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    now.subsec_nanos().rotate_left(7)
        ^ std::process::id()
        ^ u32::try_from(now.as_secs() & 0xffff_ffff).unwrap_or(0)
}

/// A file without a name, or one that loses its name at once.
pub(super) fn scratch_file(dir: &ScratchDir) -> Result<(OwnedFd, bool), Refusal> {
    let shown = dir.path.display().to_string();
    let failed = |why: Errno| Refusal::Open {
        node: format!("a scratch file in {shown}"),
        why: errno::describe(why),
    };
    let perm = Perm::RUSR | Perm::WUSR;
    let base = OFlags::RDWR | OFlags::CLOEXEC;
    let nameless = |flags| rustix::fs::open(&dir.path, base | OFlags::TMPFILE | flags, perm);
    match nameless(OFlags::DIRECT) {
        Ok(fd) => return Ok((fd, true)),
        Err(Errno::INVAL) => {
            return nameless(OFlags::empty())
                .map(|fd| (fd, false))
                .map_err(failed);
        }
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT) => {}
        Err(error) => return Err(failed(error)),
    }
    // No O_TMPFILE here (vfat, NFS): a new name, gone before the first byte.
    let path = dir.path.join(format!(
        ".zinspect-{:08x}-{}",
        fresh_number(),
        std::process::id()
    ));
    let create =
        |flags| rustix::fs::open(&path, base | OFlags::CREATE | OFlags::EXCL | flags, perm);
    let (fd, direct) = match create(OFlags::DIRECT) {
        Ok(fd) => (fd, true),
        // open(2) may have made the file before it refused direct I/O.
        Err(Errno::INVAL) => {
            let _ = rustix::fs::unlink(&path);
            (create(OFlags::empty()).map_err(failed)?, false)
        }
        Err(error) => return Err(failed(error)),
    };
    rustix::fs::unlink(&path).map_err(failed)?;
    Ok((fd, direct))
}

/// Opens the device exclusively, and makes sure that it is the plan's and that nobody else has it open.
pub(super) fn claim(device: &Device) -> Result<(OwnedFd, Vec<String>), Refusal> {
    let node = device.node.clone();
    let flags = OFlags::RDWR | OFlags::EXCL | OFlags::DIRECT | OFlags::CLOEXEC | OFlags::NOCTTY;
    let is_ours = |rdev: u64| (rustix::fs::major(rdev), rustix::fs::minor(rdev)) == device.devno;
    let replaced = |why: String| Refusal::Replaced {
        node: node.clone(),
        why,
    };
    let meta = std::fs::metadata(&node).map_err(|error| Refusal::Open {
        node: node.clone(),
        why: error.to_string(),
    })?;
    if !meta.file_type().is_block_device() || !is_ours(meta.rdev()) {
        return Err(replaced("the node has another number".to_owned()));
    }
    let fd = rustix::fs::open(&node, flags, Perm::empty()).map_err(|error| match error {
        Errno::BUSY => Refusal::Exclusive { node: node.clone() },
        Errno::ROFS | Errno::PERM => Refusal::ReadOnly {
            kname: device.kname.clone(),
        },
        other => Refusal::Open {
            node: node.clone(),
            why: errno::describe(other),
        },
    })?;
    let stat = rustix::fs::fstat(&fd).map_err(|error| replaced(errno::describe(error)))?;
    if !is_ours(stat.st_rdev) {
        return Err(replaced("the node has another number".to_owned()));
    }
    if let (Some(wanted), Ok(found)) = (device.diskseq, exec::diskseq(fd.as_fd()))
        && wanted != found
    {
        return Err(replaced(format!(
            "its diskseq is {found}, the plan's device had {wanted}"
        )));
    }
    let size = rustix::fs::seek(&fd, rustix::fs::SeekFrom::End(0)).unwrap_or(0);
    if size != device.size_bytes {
        return Err(replaced(format!(
            "it has {size} bytes, the plan's device had {}",
            device.size_bytes
        )));
    }
    let mut notes = Vec::new();
    match openers::search(device) {
        Openers::None => {}
        Openers::Found { pid, name } => {
            let how = format!("process {pid} ({name}) has it open; end it first");
            return Err(Refusal::InUse { kname: device.kname.clone(), how });
        }
        Openers::NotSearched => notes.push(
            "other programs that have the device open without O_EXCL were not searched for: that needs root".to_owned(),
        ),
    }
    Ok((fd, notes))
}
