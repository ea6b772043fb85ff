//! Pages of zeroes by direct I/O: the baseline.

use super::failed;
use crate::probe::exec::{self, Buffer};
use crate::probe::outcome::Failure;
use crate::probe::safety::Piece;

/// As `dd bs=1M oflag=direct` writes.
const CHUNK: u64 = 1 << 20;

pub(super) fn run(piece: Piece<'_>) -> Result<(), Failure> {
    let length = usize::try_from(CHUNK).unwrap_or(0);
    let zeroes = Buffer::new(length).map_err(|error| failed("memory for a buffer", error))?;
    for part in piece.span().pieces(CHUNK) {
        let bytes = zeroes
            .get(..usize::try_from(part.length).unwrap_or(0))
            .unwrap_or_default();
        let place = piece
            .part(part)
            .ok_or_else(|| failed("pwrite", rustix::io::Errno::RANGE))?;
        exec::write(place, bytes)
            .map_err(|error| failed(&format!("pwrite at {}", part.offset), error))?;
    }
    Ok(())
}
