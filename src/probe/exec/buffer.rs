//! Memory that direct I/O takes: pages of their own.

use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// Whole pages, given back when dropped.
#[derive(Debug)]
pub struct Buffer {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the mapping is private to its owner, and nothing in it refers to a thread.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Zeroed pages of at least this many bytes.
    pub fn new(length: usize) -> Result<Self, Errno> {
        let length = length.max(1).next_multiple_of(4096);
        // SAFETY: a new private mapping at an address of the kernel's choice touches no memory in use.
        let start = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                length,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
        }?;
        let start = NonNull::new(start.cast()).ok_or(Errno::NOMEM)?;
        Ok(Self { start, length })
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `length` bytes from `start` on are mapped, readable and initialised by the kernel.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, writable as well, and borrowed by nobody else while `self` is.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: this very mapping was made in `new`, and nothing borrows it any more.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}
