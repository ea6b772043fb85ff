//! Who else uses a device's bytes, where the kernel does not know that they are the same. It claims neither a loop
//! device's file nor the device below it, lets several loop devices stand on one file, and takes two paths to one disk
//! for two disks where no multipath joins them.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use super::uses::{self, Use};
use crate::facts::collect::Collector;
use crate::facts::identity;
use crate::model::device::{BlockDevice, Kind, classify};
use crate::model::ids::{DevNo, KName};

/// Uses of what a loop device stands on, of other loop devices on the same file too. None of other disks.
pub(super) fn uses(collector: &Collector, disk: &BlockDevice) -> Vec<Use> {
    let Some(file) = backing_file(collector, &disk.syspath) else {
        return Vec::new();
    };
    // One that was deleted, or that lies where only another mount namespace sees it, is compared by its path.
    let meta = std::fs::metadata(&file).ok();
    if let Some(meta) = meta
        .as_ref()
        .filter(|meta| meta.file_type().is_block_device())
    {
        return of_device(collector, disk, meta.rdev());
    }
    let others = collector.host.files.list("sys/block").unwrap_or_default();
    others
        .iter()
        .filter_map(|name| KName::new(name))
        .filter(|other| other != &disk.kname)
        .filter(|other| {
            collector
                .syspath(other)
                .ok()
                .and_then(|place| backing_file(collector, &place))
                .is_some_and(|other| is_same((&file, meta.as_ref()), &other))
        })
        .flat_map(|other| {
            let what = format!("{other} stands on the same file, {file}");
            wrapped(uses::uses(collector, &other, None), &what)
        })
        .collect()
}

/// Uses of other devices with the disk's world-wide name: other paths to it.
pub(super) fn other_paths(collector: &Collector, disk: &BlockDevice) -> Vec<Use> {
    let name = identity::of(collector, disk).name;
    if !is_world_wide(&name) {
        return Vec::new();
    }
    let others = collector.list().unwrap_or_default();
    others
        .iter()
        .filter(|other| *other != &disk.kname)
        .filter(|other| {
            identity::disk_of(collector, other).is_some_and(|(kname, place)| {
                // A hidden path belongs to a head, which is the disk.
                kname == other.as_str()
                    && classify(&kname, &place).0 != Kind::NvmePath
                    && identity::at(collector, &kname, &place).name == name
            })
        })
        .flat_map(|other| {
            let what = format!("{other} is the same disk, {name}");
            wrapped(uses::uses(collector, other, None), &what)
        })
        .collect()
}

/// Whether a registry sees to it that no two disks have the name. A serial number is its maker's affair.
fn is_world_wide(identity: &str) -> bool {
    ["naa.", "eui.", "uuid."]
        .iter()
        .any(|form| identity.starts_with(form))
}

fn backing_file(collector: &Collector, syspath: &str) -> Option<String> {
    let dir = collector.host.files.dir(&format!("{syspath}/loop")).ok()?;
    collector.text(&dir, "backing_file").value().cloned()
}

fn is_same((path, meta): (&str, Option<&Metadata>), other: &str) -> bool {
    let place = |meta: &Metadata| (meta.dev(), meta.ino());
    path == other
        || meta.is_some_and(|meta| {
            std::fs::metadata(other).is_ok_and(|other| place(meta) == place(&other))
        })
}

fn of_device(collector: &Collector, disk: &BlockDevice, rdev: u64) -> Vec<Use> {
    let number = DevNo {
        major: rustix::fs::major(rdev),
        minor: rustix::fs::minor(rdev),
    };
    let link = collector
        .host
        .files
        .link(&format!("sys/dev/block/{number}"));
    let name = link
        .ok()
        .and_then(|link| KName::new(link.rsplit('/').next()?));
    let Some(below) = name else {
        let what = format!("what {} stands on, device {number}", disk.kname);
        return vec![Use::Unknown { what }];
    };
    let own = |used: &Use| matches!(used, Use::Loop { loop_, .. } if *loop_ == disk.kname.as_str());
    let mut found = uses::uses(collector, &below, None);
    found.retain(|used| !own(used));
    wrapped(found, &format!("{} stands on {below}", disk.kname))
}

fn wrapped(found: Vec<Use>, what: &str) -> Vec<Use> {
    let wrap = |used| Use::Below {
        what: what.to_owned(),
        used: Box::new(used),
    };
    found.into_iter().map(wrap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_number_does_not_make_two_disks_one() {
        assert!(is_world_wide("naa.5000c500a1b2c3d4"));
        assert!(is_world_wide("eui.0025385b71b0a1b2"));
        assert!(!is_world_wide("serial.0123456789ABCDEF"));
        assert!(!is_world_wide("t10.ATA_QEMU_HARDDISK_QM00001"));
        assert!(!is_world_wide("dm.naa.5000c500a1b2c3d4"));
    }
}
