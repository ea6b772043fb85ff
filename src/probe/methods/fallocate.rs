//! fallocate on a file or a device (fs/open.c, block/fops.c).

use rustix::fs::FallocateFlags;

use super::failed;
use crate::probe::exec;
use crate::probe::outcome::Failure;
use crate::probe::plan::Method;
use crate::probe::safety::Piece;
use crate::probe::target::{Device, Target};

/// include/uapi/linux/falloc.h: FALLOC_FL_WRITE_ZEROES, since 6.17.
const WRITE_ZEROES: u32 = 0x80;

pub(super) fn requires(method: Method, target: &Target) -> Option<String> {
    match target {
        // What a filesystem says of a mode is its own answer, and harms nobody: it is asked.
        Target::Scratch(_) => None,
        Target::Device(device) => on_device(method, device),
    }
}

fn on_device(method: Method, device: &Device) -> Option<String> {
    let limits = &device.limits;
    match method {
        Method::FallocateWriteZeroes => match limits.write_zeroes_unmap_max_bytes {
            None => Some("FALLOC_FL_WRITE_ZEROES is there since Linux 6.17".to_owned()),
            Some(0) => {
                Some("write_zeroes_unmap_max_bytes is 0: the kernel answers EOPNOTSUPP".to_owned())
            }
            Some(_) => None,
        },
        Method::FallocatePunchHole if limits.write_zeroes_max_bytes == Some(0) => {
            Some("write_zeroes_max_bytes is 0: the kernel answers EOPNOTSUPP".to_owned())
        }
        _ => None,
    }
}

pub(super) fn run(method: Method, piece: Piece<'_>) -> Result<(), Failure> {
    let (name, mode) = match method {
        Method::FallocateWriteZeroes => (
            "fallocate(FALLOC_FL_WRITE_ZEROES)",
            FallocateFlags::from_bits_retain(WRITE_ZEROES),
        ),
        Method::FallocatePunchHole => (
            "fallocate(FALLOC_FL_PUNCH_HOLE)",
            FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE,
        ),
        _ => (
            "fallocate(FALLOC_FL_ZERO_RANGE)",
            FallocateFlags::ZERO_RANGE,
        ),
    };
    exec::fallocate(piece, mode).map_err(|error| failed(name, error))
}
