//! The kernel's events of block devices, as they come.

use rustix::io::Errno;
use udev::{MonitorBuilder, MonitorSocket};

use super::events::BlockEvent;

/// Who tells of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Teller {
    /// The kernel, at once; whether udevd runs or not.
    Kernel,
    /// udevd, once its rules are through and the node is there.
    Udevd,
}

/// A socket that events come from.
pub struct Changes(MonitorSocket);

impl Changes {
    /// Begins to listen.
    pub fn listen(teller: Teller) -> Result<Self, Errno> {
        let errno = |error: std::io::Error| {
            error
                .raw_os_error()
                .map_or(Errno::IO, Errno::from_raw_os_error)
        };
        let builder = match teller {
            Teller::Kernel => MonitorBuilder::new_kernel(),
            Teller::Udevd => MonitorBuilder::new(),
        };
        let socket = builder
            .and_then(|builder| builder.match_subsystem("block"))
            .and_then(MonitorBuilder::listen)
            .map_err(errno)?;
        Ok(Self(socket))
    }

    /// What came since the last call; does not wait.
    pub fn drain(&self) -> Vec<BlockEvent> {
        let change = |event: udev::Event| BlockEvent {
            action: text(event.action().unwrap_or_default()),
            kname: text(event.sysname()).replace('/', "!"),
            diskseq: event
                .property_value("DISKSEQ")
                .and_then(|value| value.to_str()?.parse().ok()),
        };
        self.0.iter().map(change).collect()
    }
}

fn text(raw: &std::ffi::OsStr) -> String {
    crate::model::text::clean(raw.as_encoded_bytes())
}

impl rustix::fd::AsFd for Changes {
    fn as_fd(&self) -> rustix::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}
