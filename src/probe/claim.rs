//! Taking hold of a target: a scratch file of our own, or a device that nobody else has open.

use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode as Perm, OFlags};
use rustix::io::Errno;

use super::openers::{self, Openers};
use super::refusal::Refusal;
use super::target::{Device, ScratchDir, Target};
use super::{exec, gather, safety};
use crate::facts::collect::Collector;
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
    // With O_EXCL nobody can give it a name later.
    let nameless = |flags| {
        let flags = base | OFlags::TMPFILE | OFlags::EXCL | flags;
        rustix::fs::open(&dir.path, flags, perm)
    };
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

/// Opens the device exclusively, and makes sure that it is the plan's and that nobody else has it open. What the plan
/// rests on is read again: a question may have been answered only after hours.
pub(super) fn claim(
    collector: &Collector,
    device: &Device,
) -> Result<(OwnedFd, Vec<String>), Refusal> {
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
    let now = gather::again(collector, device)?;
    unchanged(device, &now)?;
    safety::refuse(&Target::Device(Box::new(now)))?;
    let mut notes = Vec::new();
    match openers::search(device) {
        Openers::None => {}
        Openers::Found { pid, name, what } => {
            return Err(openers::in_use(device, pid, &name, &what));
        }
        Openers::NotSearched(why) => notes.push(format!(
            "other programs that have the device open without O_EXCL were not all searched for: {why}"
        )),
    }
    Ok((fd, notes))
}

/// Refuses a device that is not where it was when the plan was made. Partitions move without a new diskseq.
fn unchanged(plan: &Device, now: &Device) -> Result<(), Refusal> {
    let replaced = |why: String| {
        Err(Refusal::Replaced {
            node: plan.node.clone(),
            why,
        })
    };
    if now.start_bytes != plan.start_bytes {
        return replaced(format!(
            "it begins at byte {} of {}, the plan's began at {}",
            now.start_bytes, plan.disk, plan.start_bytes
        ));
    }
    if now.identity != plan.identity {
        return replaced(format!(
            "it is {}, the plan's was {}",
            now.identity, plan.identity
        ));
    }
    if now.legs != plan.legs || now.logical_block != plan.logical_block {
        return replaced("what it stands on was changed".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::target::fixtures::disk;
    use super::*;

    #[test]
    fn a_device_that_moved_since_the_plan_is_another() {
        let plan = disk(1 << 30);
        assert_eq!(unchanged(&plan, &plan), Ok(()));
        let moved = |change: fn(&mut Device)| {
            let mut now = plan.clone();
            change(&mut now);
            unchanged(&plan, &now)
        };
        for changed in [
            moved(|now| now.start_bytes = 1 << 20),
            moved(|now| now.identity = "sdz.diskseq-10".to_owned()),
            moved(|now| now.logical_block = 4096),
        ] {
            assert!(
                matches!(changed, Err(Refusal::Replaced { .. })),
                "{changed:?}"
            );
        }
    }
}
