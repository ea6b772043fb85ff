//! A process for each method: a command that hangs cannot be interrupted, not even by SIGKILL, and a thread that hangs
//! keeps its process alive. So the parent stays outside, and can leave.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited(i32),
    /// By a signal.
    Killed(i32),
}

/// A child that works for us.
#[derive(Debug)]
pub struct Child {
    pid: Pid,
    messages: OwnedFd,
}

/// How a child speaks to its parent: a line for each message.
#[derive(Debug)]
pub struct Reporter {
    messages: OwnedFd,
}

impl Reporter {
    /// Sends a line. A parent that is gone ends the child.
    pub fn send(&self, line: &str) {
        let mut rest = line.as_bytes().to_vec();
        rest.push(b'\n');
        let mut rest = rest.as_slice();
        while !rest.is_empty() {
            match rustix::io::write(&self.messages, rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                // SAFETY: ends this process at once, running nothing that the parent registered.
                Err(_) => unsafe { libc::_exit(1) },
            }
        }
    }
}

/// Starts a child that does `work` and ends. It has all that this process has open, the device's claim too.
///
/// This process must have one thread only: the probe starts none before its last child.
pub fn fork(work: impl FnOnce(&Reporter)) -> Result<Child, Errno> {
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    // SAFETY: with one thread the child finds no lock held by a thread that is not there.
    let pid = unsafe { libc::fork() };
    match pid {
        -1 => Err(Errno::AGAIN),
        0 => {
            drop(read);
            // Not in the terminal's foreground group: Ctrl-C is the parent's to handle.
            let _ = rustix::process::setpgid(None, None);
            let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            let reporter = Reporter { messages: write };
            let done = catch_unwind(AssertUnwindSafe(|| work(&reporter)));
            // SAFETY: ends this process at once; the parent's buffers and guards are not the child's to run.
            unsafe { libc::_exit(i32::from(done.is_err())) }
        }
        pid => {
            let pid = Pid::from_raw(pid).ok_or(Errno::CHILD)?;
            Ok(Child {
                pid,
                messages: read,
            })
        }
    }
}

impl Child {
    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Where its messages come from.
    pub fn messages(&self) -> BorrowedFd<'_> {
        self.messages.as_fd()
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Option<Ended> {
        self.wait(WaitOptions::NOHANG)
    }

    /// Waits for its end.
    pub fn join(&self) -> Option<Ended> {
        self.wait(WaitOptions::empty())
    }

    fn wait(&self, options: WaitOptions) -> Option<Ended> {
        let (_, status) = waitpid(Some(self.pid), options).ok()??;
        Some(match status.terminating_signal() {
            Some(signal) => Ended::Killed(signal),
            None => Ended::Exited(status.exit_status().unwrap_or(0)),
        })
    }

    /// Asks the kernel to end it, which happens once its system call lets go.
    pub fn kill(&self) {
        let _ = kill_process(self.pid, Signal::KILL);
    }
}
