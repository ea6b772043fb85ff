//! What reaches the device. The only part of the probe with unsafe code.
//!
//! Everything that writes takes a [`Piece`], and only an armed plan gives one, within the span that it was armed for.

mod buffer;
mod child;
mod passthrough;
mod ring;
mod signals;
mod uring;

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use rustix::ioctl::Opcode;

pub use buffer::Buffer;
pub use child::{Child, Ended, Reporter, fork};
pub use passthrough::{NvmeWriteZeroes, ScsiEnd, WriteSame, nvme_write_zeroes, write_same};
pub use ring::{Durable, Ring};
pub use signals::Signals;
pub use uring::{
    discard as uring_discard, discard_refusal as uring_refusal, discards as uring_discards,
};

use super::safety::Piece;
use super::span::Span;
use crate::source::ioctl::call::call;

/// include/uapi/linux/fs.h: `_IO(0x12, 119)`.
const BLKDISCARD: Opcode = 0x1277;
/// include/uapi/linux/fs.h: `_IO(0x12, 127)`.
const BLKZEROOUT: Opcode = 0x127f;
/// include/uapi/linux/fs.h: `_IOR(0x12, 128, __u64)`, since 5.15.
const BLKGETDISKSEQ: Opcode = 0x8008_1280;

/// Writes all of `bytes` at the beginning of a piece.
pub fn write(piece: Piece<'_>, bytes: &[u8]) -> Result<(), Errno> {
    let span = piece.span();
    if bytes.len() as u64 > span.length {
        return Err(Errno::RANGE);
    }
    let mut rest = bytes;
    let mut at = span.offset;
    while !rest.is_empty() {
        match rustix::io::pwrite(piece.fd(), rest, at) {
            Ok(0) => return Err(Errno::IO),
            Ok(count) => {
                rest = rest.get(count..).unwrap_or_default();
                at += count as u64;
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all of `bytes` at the beginning of a piece, durably, by one call (as with O_DSYNC).
pub fn write_durable(piece: Piece<'_>, bytes: &[u8]) -> Result<(), Errno> {
    let span = piece.span();
    if bytes.len() as u64 != span.length {
        return Err(Errno::RANGE);
    }
    let buffers = [std::io::IoSlice::new(bytes)];
    let flags = rustix::io::ReadWriteFlags::DSYNC;
    match rustix::io::pwritev2(piece.fd(), &buffers, span.offset, flags)? {
        count if count == bytes.len() => Ok(()),
        _ => Err(Errno::IO),
    }
}

/// Processor time of this process so far, the kernel's part of it too.
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    std::time::Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
    .as_secs_f64()
}

/// Reads a whole buffer from a place on.
pub fn read(fd: BorrowedFd<'_>, offset: u64, bytes: &mut [u8]) -> Result<(), Errno> {
    let mut done = 0;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match rustix::io::pread(fd, rest, offset + done as u64) {
            Ok(0) => return Err(Errno::NODATA),
            Ok(count) => done += count,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Makes what was written durable: a volatile cache is flushed.
pub fn flush(fd: impl AsFd) -> Result<(), Errno> {
    rustix::fs::fdatasync(fd)
}

/// One fallocate of a piece.
pub fn fallocate(piece: Piece<'_>, mode: FallocateFlags) -> Result<(), Errno> {
    let span = piece.span();
    rustix::fs::fallocate(piece.fd(), mode, span.offset, span.length)
}

/// The ioctl BLKZEROOUT on a piece.
pub fn zeroout(piece: Piece<'_>) -> Result<(), Errno> {
    range_ioctl(piece, BLKZEROOUT)
}

/// The ioctl BLKDISCARD on a piece.
pub fn discard(piece: Piece<'_>) -> Result<(), Errno> {
    range_ioctl(piece, BLKDISCARD)
}

fn range_ioctl(piece: Piece<'_>, opcode: Opcode) -> Result<(), Errno> {
    let Span { offset, length } = piece.span();
    let mut range = [offset, length];
    // SAFETY: both requests take a pointer to two u64, start and length, which lives until after the call.
    unsafe { call(piece.fd(), opcode, &mut range) }.map(|_| ())
}

/// The number that the disk behind an open node got when it appeared; ENOTTY before 5.15.
pub fn diskseq(fd: BorrowedFd<'_>) -> Result<u64, Errno> {
    let mut number = 0_u64;
    // SAFETY: the request takes a pointer to one u64, which it writes, and which lives until after the call.
    unsafe { call(fd, BLKGETDISKSEQ, &mut number) }?;
    Ok(number)
}
