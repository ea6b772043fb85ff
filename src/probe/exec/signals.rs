//! Ctrl-C and its like, turned into something that can be waited for together with a child.

use std::mem::MaybeUninit;

use rustix::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::Errno;

/// SIGINT, SIGTERM and SIGHUP no longer end this process, but are noted, as long as this lives and after.
///
/// Children inherit the block: a signal to the whole group ends no command half-way.
#[derive(Debug)]
pub struct Signals {
    fd: OwnedFd,
}

impl Signals {
    /// From now on.
    pub fn catch() -> Result<Self, Errno> {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the call initialises the set that it is given.
        unsafe { libc::sigemptyset(set.as_mut_ptr()) };
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: the set was initialised above, and the signals exist.
            unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
        }
        // SAFETY: the set is initialised; no former set is asked for.
        let failed =
            unsafe { libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut()) };
        if failed != 0 {
            return Err(Errno::INVAL);
        }
        // SAFETY: the set is initialised, and -1 asks for a new descriptor.
        let fd =
            unsafe { libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd < 0 {
            return Err(Errno::MFILE);
        }
        // SAFETY: the descriptor is new and nobody else's.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Self { fd })
    }

    /// Whether one has come since the last call.
    pub fn came(&self) -> bool {
        let mut record = [0; size_of::<libc::signalfd_siginfo>()];
        matches!(rustix::io::read(&self.fd, &mut record), Ok(count) if count > 0)
    }

    /// What becomes readable when one comes.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
