//! What tells from outside what the device did: counters before and after a command, the device's own word on its
//! blocks, and the requests that the kernel was seen to send.

mod counters;
mod device;
mod trace;

use serde::{Deserialize, Serialize};

pub use counters::{Snapshot, compare, snapshot};
pub use device::{Used, changed, lba_status, used};
pub use trace::{Trace, remove as remove_trace};

use super::outcome::Says;
use super::target::Device;

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// What was looked at.
    pub kind: String,
    /// What it showed.
    pub value: String,
    /// What that says of the space.
    pub says: Says,
}

impl Evidence {
    fn new(kind: &str, value: impl Into<String>, says: Says) -> Self {
        Self {
            kind: kind.to_owned(),
            value: value.into(),
            says,
        }
    }
}

/// Where counters are read.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// `/sys/…/stat` of the device.
    pub stat: Option<String>,
    /// `/sys/…/queue` of its disk.
    pub queue: Option<String>,
    /// A file whose blocks tell: a loop's backing file, or one that the user named.
    pub files: Vec<String>,
    /// Largest ordinary request, bytes.
    pub max_request: Option<u64>,
    /// Number of the disk, whose requests are traced.
    pub disk: Option<(u32, u32)>,
}

impl Places {
    /// Of a device.
    pub fn of(device: &Device, named: Option<&str>) -> Self {
        let backing = device.backing_file.iter().map(String::as_str);
        let disk = format!("/{}", device.disk_syspath);
        let number = std::fs::read_to_string(format!("{disk}/dev")).ok();
        let number = number
            .as_deref()
            .and_then(|text| text.trim().split_once(':'));
        Self {
            stat: Some(format!("/{}/stat", device.syspath)),
            queue: Some(format!("{disk}/queue")),
            files: backing.chain(named).map(str::to_owned).collect(),
            max_request: device.limits.max_sectors_kb.map(|kib| kib * 1024),
            disk: number
                .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?))),
        }
    }
}
