//! A discard through io_uring: `IORING_OP_URING_CMD` with `BLOCK_URING_CMD_DISCARD` (block/ioctl.c, since 6.12).

use std::os::fd::AsRawFd;

use io_uring::{IoUring, opcode, squeue, types};
use rustix::io::Errno;

use super::super::safety::Piece;

/// include/uapi/linux/blkdev.h: `_IO(0x12, 0)`.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;

/// Why io_uring cannot be had at all; `None` where it can.
pub fn discard_refusal() -> Option<String> {
    IoUring::new(2).err().map(|error| {
        format!("io_uring_setup: {error} (kernel.io_uring_disabled, or a seccomp filter)")
    })
}

/// Discards one piece after the other with up to `depth` requests under way, for some seconds. Gives their number.
pub fn discards<'p>(
    pieces: &mut impl Iterator<Item = Piece<'p>>,
    depth: u32,
    force_async: bool,
    seconds: f64,
) -> Result<u64, Errno> {
    let mut ring = IoUring::new(depth.next_power_of_two()).map_err(|error| errno(&error))?;
    let begin = std::time::Instant::now();
    let (mut under_way, mut done, mut failed) = (0, 0, None);
    loop {
        let time_left = failed.is_none() && begin.elapsed().as_secs_f64() < seconds;
        while time_left && under_way < depth {
            let Some(piece) = pieces.next() else { break };
            // SAFETY: the request points to no memory of ours, and every completion is waited for below.
            unsafe { ring.submission().push(&entry(piece, force_async)) }
                .map_err(|_| Errno::BUSY)?;
            under_way += 1;
        }
        if under_way == 0 {
            return failed.map_or(Ok(done), Err);
        }
        match ring.submit_and_wait(1) {
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => {
                return Err(errno(&error));
            }
            _ => {}
        }
        for completion in ring.completion() {
            under_way -= 1;
            done += 1;
            failed = failed.or(outcome(completion.result()).err());
        }
    }
}

pub(super) fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

pub(super) fn outcome(result: i32) -> Result<(), Errno> {
    match result {
        failed @ ..=-1 => Err(Errno::from_raw_os_error(-failed)),
        _ => Ok(()),
    }
}

fn entry(piece: Piece<'_>, force_async: bool) -> squeue::Entry {
    let span = piece.span();
    let mut command = [0; 16];
    // The length stands in addr3, where the command's own 16 bytes begin.
    if let Some(length) = command.first_chunk_mut::<8>() {
        *length = span.length.to_ne_bytes();
    }
    let flags = if force_async {
        squeue::Flags::ASYNC
    } else {
        squeue::Flags::empty()
    };
    opcode::UringCmd16::new(types::Fd(piece.fd().as_raw_fd()), BLOCK_URING_CMD_DISCARD)
        .addr(Some(span.offset))
        .cmd(command)
        .build()
        .flags(flags)
}

/// Discards a piece by one request; `force_async` has it done by a worker of the kernel from the start.
pub fn discard(piece: Piece<'_>, force_async: bool) -> Result<(), Errno> {
    let mut ring = IoUring::new(2).map_err(|error| errno(&error))?;
    // SAFETY: the request points to no memory of ours, and the descriptor outlives its completion below.
    unsafe { ring.submission().push(&entry(piece, force_async)) }.map_err(|_| Errno::BUSY)?;
    loop {
        match ring.submit_and_wait(1) {
            Ok(_) => break,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(errno(&error)),
        }
    }
    outcome(ring.completion().next().ok_or(Errno::IO)?.result())
}
