//! The ioctl BLKZEROOUT (block/ioctl.c). It has the kernel write pages of zeroes where the device has no command, and
//! never asks for deallocation.

use super::failed;
use crate::probe::exec;
use crate::probe::outcome::Failure;
use crate::probe::safety::Piece;
use crate::probe::target::Device;

pub(super) fn requires(device: &Device) -> Option<String> {
    (!device.block.is_multiple_of(512))
        .then(|| "blocks that are no multiple of 512 bytes".to_owned())
}

pub(super) fn run(piece: Piece<'_>) -> Result<(), Failure> {
    exec::zeroout(piece).map_err(|error| failed("BLKZEROOUT", error))
}
