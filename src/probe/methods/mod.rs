//! The ways to ask for zeroes. Each file has `requires`, why it is skipped, and `run` on a piece of the armed plan.
//! None falls back to another.

mod blkdiscard;
mod blkzeroout;
mod fallocate;
mod nvme;
mod pwrite;
mod scsi;
mod uring;

use rustix::io::Errno;

use super::outcome::Failure;
use super::plan::Method;
use super::safety::Piece;
use super::target::{Device, Leg, Target};
use crate::source::errno;

/// What a method may be told.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Send io_uring's discard to a worker of the kernel from the start.
    pub force_async: bool,
    /// Send NVMe Write Zeroes to a controller for which the kernel has turned it off.
    pub despite_quirks: bool,
    /// How long a passthrough command may take, as the kernel is told.
    pub timeout_ms: u32,
    /// The leg of a multipath map to go through.
    pub leg: Option<Leg>,
}

/// Why a method is not tried on this target; `None` where it is.
pub fn requires(method: Method, target: &Target, options: &Options) -> Option<String> {
    match method {
        Method::Pwrite => None,
        Method::FallocateWriteZeroes | Method::FallocateZeroRange | Method::FallocatePunchHole => {
            fallocate::requires(method, target)
        }
        _ => match target {
            Target::Scratch(_) => {
                Some("a file takes no command of a device: name the device".to_owned())
            }
            Target::Device(device) => on_device(method, device, options),
        },
    }
}

fn on_device(method: Method, device: &Device, options: &Options) -> Option<String> {
    match method {
        Method::BlkZeroOut => blkzeroout::requires(device),
        Method::BlkDiscard => blkdiscard::requires(device),
        Method::UringDiscard => uring::requires(device, options),
        Method::NvmeWriteZeroes | Method::NvmeWriteZeroesDeac => nvme::requires(device, options),
        Method::ScsiWriteSame16
        | Method::ScsiWriteSame16Ndob
        | Method::ScsiWriteSame16Unmap
        | Method::ScsiWriteSame10
        | Method::ScsiWriteSame10Unmap => scsi::requires(method, device, options),
        Method::Pwrite
        | Method::FallocateWriteZeroes
        | Method::FallocateZeroRange
        | Method::FallocatePunchHole => None,
    }
}

/// Asks for zeroes, once, in this way.
pub fn run(
    method: Method,
    piece: Piece<'_>,
    device: Option<&Device>,
    options: &Options,
) -> Result<(), Failure> {
    let no_device = || Failure {
        text: "a file takes no command of a device".to_owned(),
        ..Failure::default()
    };
    let device = || device.ok_or_else(no_device);
    match method {
        Method::Pwrite => pwrite::run(piece),
        Method::BlkZeroOut => blkzeroout::run(piece),
        Method::FallocateWriteZeroes | Method::FallocateZeroRange | Method::FallocatePunchHole => {
            fallocate::run(method, piece)
        }
        Method::NvmeWriteZeroes | Method::NvmeWriteZeroesDeac => {
            nvme::run(method, piece, device()?, options)
        }
        Method::ScsiWriteSame16
        | Method::ScsiWriteSame16Ndob
        | Method::ScsiWriteSame16Unmap
        | Method::ScsiWriteSame10
        | Method::ScsiWriteSame10Unmap => scsi::run(method, piece, device()?, options),
        Method::BlkDiscard => blkdiscard::run(piece),
        Method::UringDiscard => uring::run(piece, device()?, options),
    }
}

/// A failure that is an error number.
pub fn failed(what: &str, error: Errno) -> Failure {
    Failure {
        errno: Some(errno::errno_name(error).to_owned()),
        text: format!("{what}: {}", errno::describe(error)),
        ..Failure::default()
    }
}

/// The node of a leg, opened to be written to through a claim that its map holds.
fn open_leg(leg: &Leg) -> Result<rustix::fd::OwnedFd, Failure> {
    use rustix::fs::{Mode, OFlags};
    let node = leg.node.as_deref().unwrap_or_default();
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let fd = rustix::fs::open(node, flags, Mode::empty())
        .map_err(|error| failed(&format!("open {node}"), error))?;
    let stat = rustix::fs::fstat(&fd).map_err(|error| failed(&format!("look at {node}"), error))?;
    let found = (
        rustix::fs::major(stat.st_rdev),
        rustix::fs::minor(stat.st_rdev),
    );
    if found != leg.devno {
        let text = format!(
            "{node} is not the leg {} any more: nothing was sent",
            leg.kname
        );
        return Err(Failure {
            text,
            ..Failure::default()
        });
    }
    Ok(fd)
}
