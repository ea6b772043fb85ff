//! What a device carries that somebody may want: signatures at its edges.

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{Mode as Perm, OFlags};

use super::exec::{self, Buffer};
use super::plan::Mode;
use super::refusal::Refusal;
use super::signature;
use super::target::Device;
use crate::source::errno;

/// Refuses a device that carries something, unless its bytes are put back and that was agreed to.
pub(super) fn check(
    mode: Mode,
    device: &Device,
    fd: BorrowedFd<'_>,
    agreed: bool,
) -> Result<(), Refusal> {
    match found(device, fd)? {
        Some(_) if mode == Mode::Preserve && agreed => Ok(()),
        Some(what) => Err(refusal(mode, device, what)),
        None => Ok(()),
    }
}

fn refusal(mode: Mode, device: &Device, what: String) -> Refusal {
    let advice = match mode {
        Mode::Preserve => format!(
            "its bytes would be put back; to go on, type the identity when asked, or give --yes-destroy={}",
            device.identity
        ),
        Mode::Scratch | Mode::Destroy => {
            "--destroy is for empty devices: use --preserve, or wipe it first (wipefs -a)"
                .to_owned()
        }
    };
    Refusal::Signature {
        kname: device.kname.clone(),
        what,
        advice,
    }
}

/// What it carries, before anything is claimed: for a question, or a plan. Arming looks again, through the claimed
/// descriptor.
pub fn unclaimed(device: &Device) -> Result<Option<String>, Refusal> {
    let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
    let fd = rustix::fs::open(&device.node, flags, Perm::empty());
    let fd = fd.map_err(|error| Refusal::Open {
        node: device.node.clone(),
        why: errno::describe(error),
    })?;
    found(device, fd.as_fd())
}

/// What a run would ask for because of what the device carries, or why it would refuse.
pub(super) fn foreseen(mode: Mode, device: &Device) -> Result<Option<String>, Refusal> {
    match (unclaimed(device)?, mode) {
        (None, _) => Ok(None),
        (Some(what), Mode::Preserve) => Ok(Some(format!(
            "it carries {what}: the identity has to be typed or given"
        ))),
        (Some(what), _) => Err(refusal(mode, device, what)),
    }
}

fn found(device: &Device, fd: BorrowedFd<'_>) -> Result<Option<String>, Refusal> {
    let found = signatures(device, fd).map_err(|why| Refusal::Unknown {
        kname: device.kname.clone(),
        what: "what it carries",
        why,
    })?;
    Ok((!found.is_empty()).then(|| found.join(", ")))
}

/// The signatures at the device's edges.
fn signatures(device: &Device, fd: BorrowedFd<'_>) -> Result<Vec<&'static str>, String> {
    let edge = |want: usize, at_end: bool| {
        let length = (want as u64).min(device.size_bytes / device.block * device.block);
        let offset = if at_end {
            device.size_bytes / device.block * device.block - length
        } else {
            0
        };
        let length = usize::try_from(length).map_err(|error| error.to_string())?;
        let mut buffer = Buffer::new(length).map_err(errno::describe)?;
        let bytes = buffer.get_mut(..length).unwrap_or_default();
        exec::read(fd, offset, bytes).map_err(|error| {
            format!(
                "cannot read {length} bytes at {offset}: {}",
                errno::describe(error)
            )
        })?;
        Ok::<Vec<u8>, String>(bytes.to_vec())
    };
    let (head, tail) = (edge(signature::HEAD, false)?, edge(signature::TAIL, true)?);
    Ok(signature::find(&head, &tail, device.size_bytes))
}
