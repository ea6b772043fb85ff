//! What a device is connected to: slaves, holders, partitions, as directories of sysfs list them.

use rustix::io::Errno;

use crate::facts::collect::Collector;
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::{KName, natural_order};
use crate::source::files::{join, parent};

impl Collector<'_> {
    /// The kernel names in a directory of links, such as `slaves`.
    pub fn knames(&self, path: &str) -> Result<Vec<KName>, Errno> {
        Ok(in_order(&self.host.files.list(path)?))
    }

    /// The devices in a directory of links; that there is none is no failure, that it may not be read is one.
    pub(super) fn edges(&self, device: &mut BlockDevice, name: &'static str) -> Vec<KName> {
        let path = format!("{}/{name}", device.syspath);
        in_order(&self.listed(device, &path, name))
    }

    /// Names in a directory; one that may not be read makes a field of the device unknown.
    fn listed(&self, device: &mut BlockDevice, path: &str, field: &'static str) -> Vec<String> {
        match self.host.files.list(path) {
            Ok(names) => names,
            Err(Errno::NOENT) => Vec::new(),
            Err(error) => {
                device.unlisted.push((field, Reading::from_errno(error)));
                Vec::new()
            }
        }
    }

    pub(super) fn slaves(&self, device: &mut BlockDevice) {
        let has_slaves = matches!(
            device.kind,
            Kind::Dm | Kind::Md | Kind::Bcache | Kind::Drbd | Kind::Other
        );
        if has_slaves {
            device.slaves = self.edges(device, "slaves");
        }
    }

    /// The partitions in a disk's directory.
    pub(super) fn partitions(&self, place: &str, device: &mut BlockDevice) {
        let mut parts = in_order(&self.listed(device, place, "partitions"));
        parts.retain(|name| is_partition_name(name.as_str(), device.kname.as_str()));
        device.partitions = parts;
    }

    /// The hidden paths of a multipath head, which are its slaves: links in `multipath/` (since 6.15), before that the
    /// disks `nvme<subsystem>c<controller>n<namespace>` below the subsystem's controllers.
    pub(super) fn nvme_paths(&self, head: &mut BlockDevice) {
        let links = format!("{}/multipath", head.syspath);
        let linked = in_order(&self.listed(head, &links, "slaves"));
        if !linked.is_empty() || !head.unlisted.is_empty() {
            head.slaves = linked;
            return;
        }
        // nvme0n1: after "nvme", the subsystem's instance; after the next n, the head's.
        let name = head.kname.to_string();
        let Some((subsystem, namespace)) = name
            .strip_prefix("nvme")
            .and_then(|rest| rest.split_once('n'))
        else {
            return;
        };
        let above = parent(&head.syspath).to_owned();
        let mut paths = Vec::new();
        for entry in self.listed(head, &above, "slaves") {
            let Ok(target) = self.host.files.link(&format!("{above}/{entry}")) else {
                continue;
            };
            // A link that leads to no directory is no controller: the subsystem's own `subsystem`, for one.
            let Ok(names) = self.host.files.list(&join(&above, &target)) else {
                continue;
            };
            paths.extend(
                names
                    .iter()
                    .filter(|name| is_path(name, subsystem, namespace))
                    .filter_map(|name| KName::new(name)),
            );
        }
        head.slaves = paths;
    }
}

/// Whether a name is that of a namespace's path: `nvme<subsystem>c<controller>n<namespace>`.
fn is_path(name: &str, subsystem: &str, namespace: &str) -> bool {
    name.strip_prefix("nvme")
        .and_then(|rest| rest.strip_prefix(subsystem))
        .and_then(|rest| rest.strip_prefix('c'))
        .and_then(|rest| rest.split_once('n'))
        .is_some_and(|(_, number)| number == namespace)
}

/// Kernel names among these, in natural order.
pub(super) fn in_order(names: &[String]) -> Vec<KName> {
    let mut names: Vec<KName> = names.iter().filter_map(|name| KName::new(name)).collect();
    names.sort_by(|a, b| natural_order(a.as_str(), b.as_str()));
    names
}

/// Whether a name in a disk's directory is one of its partitions: the disk's name, `p` after a digit, a number
/// (`bdev_name`/`add_partition`, block/partitions/core.c).
pub(super) fn is_partition_name(name: &str, disk: &str) -> bool {
    let Some(rest) = name.strip_prefix(disk) else {
        return false;
    };
    let rest = if disk.ends_with(|c: char| c.is_ascii_digit()) {
        match rest.strip_prefix('p') {
            Some(rest) => rest,
            None => return false,
        }
    } else {
        rest
    };
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// The disk that a partition of this name would lie on.
pub(super) fn disk_name(partition: &str) -> Option<&str> {
    let stem = partition.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == partition.len() || stem.is_empty() {
        return None;
    }
    match stem.strip_suffix('p') {
        Some(disk) if disk.ends_with(|c: char| c.is_ascii_digit()) => Some(disk),
        _ => Some(stem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_told_from_other_entries_of_a_disk() {
        assert!(is_partition_name("sda1", "sda"));
        assert!(is_partition_name("nvme0n1p12", "nvme0n1"));
        for (name, disk) in [
            ("sdaa1", "sda"),
            ("nvme0n11", "nvme0n1"),
            ("size", "sda"),
            ("sda", "sda"),
            ("loop0p", "loop0"),
        ] {
            assert!(!is_partition_name(name, disk), "{name} in {disk}");
        }
        assert_eq!(disk_name("sda12"), Some("sda"));
        assert_eq!(disk_name("nvme0n1p3"), Some("nvme0n1"));
        assert_eq!(disk_name("sdp1"), Some("sdp"));
        assert_eq!(disk_name("sda"), None);
    }
}
