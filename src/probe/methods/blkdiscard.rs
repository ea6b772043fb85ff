//! The ioctl BLKDISCARD. What reads back afterwards is nobody's promise (`discard_zeroes_data` is 0 since 4.12).

use super::failed;
use crate::probe::exec;
use crate::probe::outcome::Failure;
use crate::probe::safety::Piece;
use crate::probe::target::Device;

pub(super) fn requires(device: &Device) -> Option<String> {
    (device.limits.discard_max_bytes == Some(0))
        .then(|| "discard_max_bytes is 0: no discard here".to_owned())
}

pub(super) fn run(piece: Piece<'_>) -> Result<(), Failure> {
    exec::discard(piece).map_err(|error| failed("BLKDISCARD", error))
}
