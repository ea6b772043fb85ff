//! Programs that have a device open without O_EXCL, which our own claim does not collide with.

use std::os::unix::fs::{FileTypeExt, MetadataExt};

use super::refusal::Refusal;
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
        /// What it has open: `it`, its disk, or a partition of it.
        what: String,
    },
    /// Not everywhere, and why.
    NotSearched(String),
}

/// A node that leads to the device's bytes.
struct Way {
    devno: (u32, u32),
    /// `None` for the device itself.
    kname: Option<String>,
}

/// The device, the disk that it is a part of, and its own parts: who writes to one writes to the others.
fn ways(device: &Device) -> Vec<Way> {
    let number = |place: &str| {
        let text = std::fs::read_to_string(format!("/{place}/dev")).ok()?;
        let (major, minor) = text.trim().split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let mut ways = vec![Way {
        devno: device.devno,
        kname: None,
    }];
    let mut add = |kname: &str, place: &str| {
        ways.extend(number(place).map(|devno| Way {
            devno,
            kname: Some(kname.to_owned()),
        }));
    };
    if device.disk != device.kname {
        add(&device.disk, &device.disk_syspath);
        return ways;
    }
    let inside = std::fs::read_dir(format!("/{}", device.syspath));
    for entry in inside.into_iter().flatten().flatten() {
        if let Some(name) = entry.file_name().to_str()
            && entry.path().join("partition").exists()
        {
            add(name, &format!("{}/{name}", device.syspath));
        }
    }
    ways
}

/// Who else has the device open. An opener without O_EXCL does not collide with ours, so the descriptors of every
/// process are looked at. udevd opens a device for a moment after each change, so it is looked twice.
pub(super) fn search(device: &Device) -> Openers {
    const TRIES: usize = 20;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(100);
    if !rustix::process::geteuid().is_root() {
        return Openers::NotSearched("that needs root".to_owned());
    }
    // The process that serves a network block device has it open for as long as it lasts.
    let server = std::fs::read_to_string(format!("/{}/pid", device.disk_syspath)).ok();
    let server = server.and_then(|text| text.trim().parse().ok());
    let ways = ways(device);
    for _ in 0..TRIES {
        match opener(&ways, server) {
            Openers::Found { name, .. } if name.contains("udev") => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    opener(&ways, server)
}

/// That somebody has it open.
pub(super) fn in_use(device: &Device, pid: u32, name: &str, what: &str) -> Refusal {
    Refusal::InUse {
        kname: device.kname.clone(),
        how: format!("process {pid} ({name}) has {what} open; end it first"),
    }
}

fn opener(ways: &[Way], server: Option<u32>) -> Openers {
    let own = std::process::id();
    let processes = match std::fs::read_dir("/proc") {
        Ok(processes) => processes,
        Err(error) => return Openers::NotSearched(format!("/proc: {error}")),
    };
    let mut closed = 0_u32;
    for process in processes.flatten() {
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
        let fds = match std::fs::read_dir(process.path().join("fd")) {
            Ok(fds) => fds,
            // One that ended is no user.
            Err(error) => {
                closed += u32::from(error.kind() == std::io::ErrorKind::PermissionDenied);
                continue;
            }
        };
        for fd in fds.flatten() {
            let Ok(meta) = std::fs::metadata(fd.path()) else {
                continue;
            };
            let rdev = meta.rdev();
            let devno = (rustix::fs::major(rdev), rustix::fs::minor(rdev));
            let way = ways.iter().find(|way| way.devno == devno);
            if let Some(way) = way
                && meta.file_type().is_block_device()
            {
                let name = std::fs::read(process.path().join("comm")).unwrap_or_default();
                return Openers::Found {
                    pid,
                    name: crate::model::text::attribute(&name),
                    what: way.kname.clone().unwrap_or_else(|| "it".to_owned()),
                };
            }
        }
    }
    match closed {
        0 => Openers::None,
        closed => Openers::NotSearched(format!(
            "{closed} processes do not show theirs, which needs CAP_SYS_PTRACE"
        )),
    }
}
