//! Reads and writes through io_uring with a registered buffer, one at a time: what benchmarks measure with.

use std::os::fd::AsRawFd;

use io_uring::{IoUring, opcode, squeue, types};
use rustix::fd::BorrowedFd;
use rustix::io::Errno;

use super::super::safety::Piece;
use super::Buffer;
use super::uring::{errno, outcome};

/// How durable a write is when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durable {
    /// Not: a flush comes later.
    Later,
    /// As with O_DSYNC.
    Dsync,
    /// By fdatasync after the write.
    Fdatasync,
}

/// A ring with one buffer, which the kernel has mapped once for all requests.
pub struct Ring {
    // Gone before the buffer, which it refers to.
    ring: IoUring,
    buffer: Buffer,
}

impl Ring {
    /// With a buffer of this length. Fails where io_uring is not allowed, or so much memory may not be locked.
    pub fn new(length: usize) -> Result<Self, Errno> {
        let ring = IoUring::new(4).map_err(|error| errno(&error))?;
        let mut buffer = Buffer::new(length)?;
        let vector = libc::iovec {
            iov_base: buffer.as_mut_ptr().cast(),
            iov_len: buffer.len(),
        };
        // SAFETY: the buffer is whole pages of its own, which stay mapped until after the ring is gone.
        unsafe { ring.submitter().register_buffers(&[vector]) }.map_err(|error| errno(&error))?;
        Ok(Self { ring, buffer })
    }

    /// What is written, and where reads arrive.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// Writes the beginning of the buffer over a whole piece.
    pub fn write(&mut self, piece: Piece<'_>, durable: Durable) -> Result<(), Errno> {
        let span = piece.span();
        let length = self.length(span.length)?;
        let fd = types::Fd(piece.fd().as_raw_fd());
        let flags = match durable {
            Durable::Dsync => libc::RWF_DSYNC,
            Durable::Later | Durable::Fdatasync => 0,
        };
        let write = opcode::WriteFixed::new(fd, self.buffer.as_ptr(), length, 0)
            .offset(span.offset)
            .rw_flags(flags)
            .build();
        if durable != Durable::Fdatasync {
            return self.whole(&[write], length);
        }
        let sync = opcode::Fsync::new(fd)
            .flags(types::FsyncFlags::DATASYNC)
            .build();
        // The second begins when the first has ended, and not at all if it failed.
        self.whole(&[write.flags(squeue::Flags::IO_LINK), sync], length)
    }

    /// Reads from a place into the beginning of the buffer.
    pub fn read(&mut self, fd: BorrowedFd<'_>, offset: u64, length: u64) -> Result<(), Errno> {
        let length = self.length(length)?;
        let fd = types::Fd(fd.as_raw_fd());
        let read = opcode::ReadFixed::new(fd, self.buffer.as_mut_ptr(), length, 0)
            .offset(offset)
            .build();
        self.whole(&[read], length)
    }

    fn length(&self, length: u64) -> Result<u32, Errno> {
        let fits = usize::try_from(length).is_ok_and(|length| length <= self.buffer.len());
        u32::try_from(length)
            .ok()
            .filter(|_| fits)
            .ok_or(Errno::RANGE)
    }

    /// Sends entries, and waits for all of them; the first must move `length` bytes.
    fn whole(&mut self, entries: &[squeue::Entry], length: u32) -> Result<(), Errno> {
        for (at, entry) in (0..).zip(entries) {
            let entry = entry.clone().user_data(at);
            // SAFETY: the entry refers to the registered buffer and an open descriptor, and is waited for below.
            unsafe { self.ring.submission().push(&entry) }.map_err(|_| Errno::BUSY)?;
        }
        let mut left = entries.len();
        let mut ended = Ok(());
        while left > 0 {
            match self.ring.submit_and_wait(left) {
                Err(error) if error.kind() != std::io::ErrorKind::Interrupted => {
                    return Err(errno(&error));
                }
                _ => {}
            }
            for completion in self.ring.completion() {
                left -= 1;
                let result = completion.result();
                let short = completion.user_data() == 0 && u32::try_from(result) != Ok(length);
                let one = outcome(result).and(if short { Err(Errno::IO) } else { Ok(()) });
                // What follows a failed request is cancelled: the failure is what counts.
                if ended.is_ok() || (completion.user_data() == 0 && one.is_err()) {
                    ended = one;
                }
            }
        }
        ended
    }
}
