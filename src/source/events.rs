//! Events of block devices, where this build has libudev; without it time alone passes.

use std::time::Duration;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockEvent {
    /// `add`, `remove`, `change`, …
    pub action: String,
    /// Kernel name.
    pub kname: String,
    /// Number of the disk's life (since Linux 5.15).
    pub diskseq: Option<u64>,
}

/// Waits for events.
pub struct Listener {
    #[cfg(feature = "udev")]
    changes: Option<super::udev_changes::Changes>,
    says: String,
}

#[cfg(feature = "udev")]
impl Listener {
    /// Listens to udevd where it runs, so that nodes and links are there when an event comes, else to the kernel.
    pub fn new() -> Self {
        use super::udev_changes::{Changes, Teller};
        let udevd = std::path::Path::new("/run/udev/control").exists();
        let (teller, name) = match udevd {
            true => (Teller::Udevd, "udevd"),
            false => (Teller::Kernel, "the kernel, as no udevd runs"),
        };
        match Changes::listen(teller) {
            Ok(changes) => Self {
                changes: Some(changes),
                says: format!("events come from {name}"),
            },
            Err(error) => Self {
                changes: None,
                says: format!(
                    "no events ({}): devices that come and go between two looks are missed",
                    super::errno::describe(error)
                ),
            },
        }
    }

    /// The events that come within a time, as soon as there are some.
    pub fn wait(&self, time: Duration) -> Vec<BlockEvent> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let Some(changes) = &self.changes else {
            std::thread::sleep(time);
            return Vec::new();
        };
        let limit = Timespec::try_from(time).unwrap_or_default();
        let mut fds = [PollFd::new(changes, PollFlags::IN)];
        // A signal ends the waiting early, which is one look more.
        let _ = poll(&mut fds, Some(&limit));
        changes.drain()
    }
}

#[cfg(not(feature = "udev"))]
impl Listener {
    /// This build cannot listen.
    pub fn new() -> Self {
        let says = "no events, as this build has no libudev: devices that come and go between two looks are missed";
        Self {
            says: says.to_owned(),
        }
    }

    /// Waits.
    pub fn wait(&self, time: Duration) -> Vec<BlockEvent> {
        std::thread::sleep(time);
        Vec::new()
    }
}

impl Listener {
    /// Where events come from, for people.
    pub fn says(&self) -> &str {
        &self.says
    }
}

impl Default for Listener {
    fn default() -> Self {
        Self::new()
    }
}
