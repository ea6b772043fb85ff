//! Watches a child, and leaves it where it does not come back.

use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::exec::{Child, Ended, Signals};
use super::worker::Message;

/// How a child's work ended for its parent.
#[derive(Debug)]
pub enum Watched {
    /// It said what came of it.
    Done(Message),
    /// No sign of life within the time allowed.
    TimedOut {
        /// The process.
        pid: i32,
        /// Whether it is still there after SIGKILL: the kernel waits for the device.
        stuck: bool,
    },
    /// It ended without a word.
    Died(String),
}

/// How long a killed child may take to be gone.
const GRACE: Duration = Duration::from_secs(2);

/// Reads a child's messages until it ends, or shows no progress for `timeout`. Says whether a signal came.
pub fn watch(
    child: &Child,
    timeout: Duration,
    signals: &Signals,
    mut progress: impl FnMut(&str, u64, u64),
) -> (Watched, bool) {
    let mut lines = Lines::default();
    let mut last = None;
    let mut interrupted = false;
    let mut deadline = Instant::now() + timeout;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return (give_up(child), interrupted);
        }
        let mut fds = [
            PollFd::from_borrowed_fd(child.messages(), PollFlags::IN),
            PollFd::from_borrowed_fd(signals.fd(), PollFlags::IN),
        ];
        let left = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(&mut fds, Some(&left)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return (Watched::Died(format!("poll: {error}")), interrupted),
        }
        interrupted |= signals.came();
        if fds[0].revents().is_empty() {
            continue;
        }
        match lines.read(child) {
            None => break,
            Some(messages) => {
                for message in messages {
                    deadline = Instant::now() + timeout;
                    match message {
                        Message::Progress { stage, done, total } => progress(&stage, done, total),
                        other => last = Some(other),
                    }
                }
            }
        }
    }
    let ended = child.join();
    let watched = match (last, ended) {
        (Some(message), _) => Watched::Done(message),
        (None, Some(Ended::Killed(signal))) => {
            Watched::Died(format!("it was ended by signal {signal}"))
        }
        (None, _) => {
            Watched::Died("it ended without a word (a panic: its message stands above)".to_owned())
        }
    };
    (watched, interrupted)
}

/// SIGKILL ends whatever is not inside the device; what is, stays, and keeps the claim.
fn give_up(child: &Child) -> Watched {
    child.kill();
    let until = Instant::now() + GRACE;
    while Instant::now() < until {
        if child.ended().is_some() {
            return Watched::TimedOut {
                pid: child.pid(),
                stuck: false,
            };
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Watched::TimedOut {
        pid: child.pid(),
        stuck: true,
    }
}

/// Bytes on their way to being lines.
#[derive(Default)]
struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    /// The messages that have come; `None` at the end.
    fn read(&mut self, child: &Child) -> Option<Vec<Message>> {
        let mut buffer = [0; 8 << 10];
        let count = loop {
            match rustix::io::read(child.messages(), &mut buffer) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => return None,
                Ok(count) => break count,
            }
        };
        self.rest
            .extend_from_slice(buffer.get(..count).unwrap_or_default());
        let mut messages = Vec::new();
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            messages.extend(serde_json::from_slice(&line).ok());
        }
        Some(messages)
    }
}
