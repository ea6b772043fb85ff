//! Asks the kernel for an event, so that udev looks at a device again.

use std::fs::OpenOptions;
use std::io::{self, Write};

/// Why no event was asked for.
#[derive(Debug, thiserror::Error)]
#[error("cannot ask for an event of {kname}: {path}: {source}; --trigger takes root")]
pub struct TriggerError {
    kname: String,
    path: String,
    source: io::Error,
}

/// Asks for a change event, as `udevadm trigger` does. The device itself is not touched.
pub fn change(kname: &str) -> Result<(), TriggerError> {
    let path = format!("/sys/class/block/{kname}/uevent");
    let written = OpenOptions::new()
        .write(true)
        .open(&path)
        .and_then(|mut file| file.write_all(b"change"));
    written.map_err(|source| TriggerError {
        kname: kname.to_owned(),
        path,
        source,
    })
}
