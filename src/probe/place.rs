//! Where a journal may lie: never on its device, or on one above or below it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::refusal::Refusal;
use super::target::Device;
use crate::facts::collect::Collector;
use crate::facts::reading::Reading;
use crate::facts::walk::with_holders;
use crate::model::ids::{DevNo, KName};

/// The block device that holds a file or directory: `None` for a filesystem in memory or on another machine.
pub fn device_of(collector: &Collector, path: &Path) -> Result<Option<String>, String> {
    let meta = std::fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let dev = meta.dev();
    let devno = DevNo {
        major: rustix::fs::major(dev),
        minor: rustix::fs::minor(dev),
    };
    let by_number = |devno: DevNo| {
        let link = collector
            .host
            .files
            .link(&format!("sys/dev/block/{devno}"))
            .ok()?;
        link.rsplit('/').next().map(str::to_owned)
    };
    if let Some(kname) = by_number(devno) {
        return Ok(Some(kname));
    }
    let Reading::Present(mounts) = collector.mounts() else {
        return Err("what is mounted where cannot be read".to_owned());
    };
    let real =
        std::fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mount = mounts.filesystem_of(real.as_os_str().as_encoded_bytes());
    let Some(mount) = mount else {
        return Err(format!(
            "{} is on no mount that is seen here",
            real.display()
        ));
    };
    match mount.filesystem.as_str() {
        "tmpfs" | "ramfs" | "nfs" | "nfs4" | "cifs" | "smb3" | "9p" | "virtiofs" | "ceph" => {
            Ok(None)
        }
        other => {
            let source = mount
                .source
                .as_deref()
                .filter(|source| source.starts_with("/dev/"));
            let rdev = source
                .and_then(|source| std::fs::metadata(source).ok())
                .map(|meta| meta.rdev());
            let found = rdev.and_then(|rdev| {
                by_number(DevNo {
                    major: rustix::fs::major(rdev),
                    minor: rustix::fs::minor(rdev),
                })
            });
            found
                .map(Some)
                .ok_or_else(|| format!("the device below {other} on {} is not known", mount.point))
        }
    }
}

/// The folder that a file will stand in, or the one above that is there already.
fn nearest(place: &Path) -> Result<PathBuf, String> {
    let place =
        std::path::absolute(place).map_err(|error| format!("{}: {error}", place.display()))?;
    let there = |dir: &&Path| std::fs::symlink_metadata(dir).is_ok();
    let dir = place.ancestors().skip(1).find(there);
    Ok(dir.unwrap_or(Path::new("/")).to_owned())
}

/// Refuses a place on the target, or on a device above or below it. Makes nothing: a plan may be all that is wanted.
pub fn check_place(
    collector: &Collector,
    device: &Device,
    place: &Path,
) -> Result<Option<String>, Refusal> {
    let no = |why: String| Refusal::Journal(format!("{why}; name another place with --journal"));
    let dir = nearest(place).map_err(no)?;
    let Some(holder) = device_of(collector, &dir).map_err(no)? else {
        let shown = dir.display();
        return Ok(Some(format!(
            "the journal in {shown} does not lie on a disk of this machine: if it is in memory, a power cut loses it"
        )));
    };
    let mut related = vec![device.kname.clone()];
    if let Some(kname) = KName::new(&device.kname) {
        related.extend(stack(collector, &kname));
    }
    if let Some(file) = &device.backing_file {
        let below = device_of(collector, Path::new(file)).ok().flatten();
        related.extend(below);
    }
    if related.contains(&holder) {
        let what = format!(
            "{} lies on {holder}, which is the target or stands above or below it",
            dir.display()
        );
        return Err(no(what));
    }
    Ok(None)
}

/// Everything below a device, and everything that stands on it.
fn stack(collector: &Collector, kname: &KName) -> Vec<String> {
    let around = with_holders(collector, std::slice::from_ref(kname)).topology;
    let mut names = Vec::new();
    for up in [false, true] {
        let mut queue = vec![kname.clone()];
        while let Some(kname) = queue.pop() {
            let Some(device) = around.get(&kname) else {
                continue;
            };
            let next: Vec<KName> = if up {
                device
                    .holders
                    .iter()
                    .chain(&device.partitions)
                    .cloned()
                    .collect()
            } else {
                device.slaves.iter().chain(&device.disk).cloned().collect()
            };
            let fresh: Vec<KName> = next
                .into_iter()
                .filter(|kname| !names.contains(&kname.to_string()))
                .collect();
            names.extend(fresh.iter().map(ToString::to_string));
            queue.extend(fresh);
        }
    }
    names
}
