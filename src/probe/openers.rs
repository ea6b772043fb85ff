//! Programs that have a device open without O_EXCL, which our own claim does not collide with.

use std::os::unix::fs::{FileTypeExt, MetadataExt};

use super::target::Device;

/// Who else has a device open.
pub(super) enum Openers {
    /// Nobody.
    None,
    /// This process.
    Found {
        /// Its id.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// That needs root.
    NotSearched,
}

/// Who else has the device open. An opener without O_EXCL does not collide with ours, so the descriptors of every
/// process are looked at. udevd opens a device for a moment after each change, so it is looked twice.
pub(super) fn search(device: &Device) -> Openers {
    const TRIES: usize = 20;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(100);
    if !rustix::process::geteuid().is_root() {
        return Openers::NotSearched;
    }
    // The process that serves a network block device has it open for as long as it lasts.
    let server = std::fs::read_to_string(format!("/{}/pid", device.disk_syspath)).ok();
    let server = server.and_then(|text| text.trim().parse().ok());
    for _ in 0..TRIES {
        match opener(device.devno, server) {
            None => return Openers::None,
            Some((pid, name)) if !name.contains("udev") => return Openers::Found { pid, name },
            Some(_) => std::thread::sleep(PAUSE),
        }
    }
    opener(device.devno, server).map_or(Openers::None, |(pid, name)| Openers::Found { pid, name })
}

fn opener(devno: (u32, u32), server: Option<u32>) -> Option<(u32, String)> {
    let own = std::process::id();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = process
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        if pid == own || server == Some(pid) {
            continue;
        }
        let Ok(fds) = std::fs::read_dir(process.path().join("fd")) else {
            continue;
        };
        for fd in fds.flatten() {
            let Ok(meta) = std::fs::metadata(fd.path()) else {
                continue;
            };
            let rdev = meta.rdev();
            if meta.file_type().is_block_device()
                && (rustix::fs::major(rdev), rustix::fs::minor(rdev)) == devno
            {
                let name = std::fs::read(process.path().join("comm")).unwrap_or_default();
                return Some((pid, crate::model::text::attribute(&name)));
            }
        }
    }
    None
}
