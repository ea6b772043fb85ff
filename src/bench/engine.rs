//! How requests are sent: io_uring with a registered buffer where that is allowed, else system calls of this thread.

use rustix::fd::BorrowedFd;
use rustix::io::Errno;

use crate::probe::exec::{self, Buffer, Durable, Ring};
use crate::probe::safety::Piece;

/// One request at a time, from and into a buffer of its own.
pub enum Engine {
    /// io_uring.
    Ring(Box<Ring>),
    /// pwrite, pwritev2 and pread.
    Calls(Buffer),
}

impl Engine {
    /// The best that is allowed here.
    pub fn new(length: u64) -> Result<Self, Errno> {
        let length = usize::try_from(length).map_err(|_| Errno::RANGE)?;
        match Ring::new(length) {
            Ok(ring) => Ok(Self::Ring(Box::new(ring))),
            Err(_) => Buffer::new(length).map(Self::Calls),
        }
    }

    /// Why io_uring is not used; `None` where it is.
    pub fn refusal() -> Option<String> {
        exec::uring_refusal().or_else(|| {
            let error = Ring::new(1 << 20).err()?;
            Some(format!(
                "registering a buffer of 1 MiB: {} (RLIMIT_MEMLOCK)",
                crate::source::errno::describe(error)
            ))
        })
    }

    /// For a report.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ring(_) => "io_uring, registered buffers, one request at a time",
            Self::Calls(_) => "one thread, one system call at a time",
        }
    }

    /// What is written, and where reads arrive.
    pub fn bytes(&mut self) -> &mut [u8] {
        match self {
            Self::Ring(ring) => ring.bytes(),
            Self::Calls(buffer) => buffer,
        }
    }

    /// Writes the beginning of the buffer over a whole piece.
    pub fn write(&mut self, piece: Piece<'_>, durable: Durable) -> Result<(), Errno> {
        let buffer = match self {
            Self::Ring(ring) => return ring.write(piece, durable),
            Self::Calls(buffer) => buffer,
        };
        let length = usize::try_from(piece.span().length).map_err(|_| Errno::RANGE)?;
        let bytes = buffer.get(..length).ok_or(Errno::RANGE)?;
        match durable {
            Durable::Dsync => exec::write_durable(piece, bytes),
            Durable::Later => exec::write(piece, bytes),
            Durable::Fdatasync => {
                exec::write(piece, bytes)?;
                exec::flush(piece.fd())
            }
        }
    }

    /// Reads from a place into the beginning of the buffer.
    pub fn read(&mut self, fd: BorrowedFd<'_>, offset: u64, length: u64) -> Result<(), Errno> {
        match self {
            Self::Ring(ring) => ring.read(fd, offset, length),
            Self::Calls(buffer) => {
                let length = usize::try_from(length).map_err(|_| Errno::RANGE)?;
                exec::read(fd, offset, buffer.get_mut(..length).ok_or(Errno::RANGE)?)
            }
        }
    }
}
