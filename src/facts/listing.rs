//! Which block devices a host has, and where their directories are.

use std::collections::BTreeMap;

use rustix::io::Errno;

use crate::facts::collect::{CollectError, Collector};
use crate::facts::edges::{disk_name, is_partition_name};
use crate::model::ids::{KName, natural_order};
use crate::model::text;
use crate::source::errno;
use crate::source::files::follow;

impl Collector<'_> {
    /// Every block device of the host, in natural order of names.
    pub fn list(&self) -> Result<Vec<KName>, CollectError> {
        Ok(self.listing()?.0)
    }

    /// Every block device of the host, and those whose names cannot be taken.
    pub fn listing(&self) -> Result<(Vec<KName>, Vec<CollectError>), CollectError> {
        let mut names = self.names()?;
        names.sort_by(|a, b| natural_order(a, b));
        let mut taken = Vec::with_capacity(names.len());
        let mut refused = Vec::new();
        for name in names {
            match KName::new(&name) {
                Some(kname) => taken.push(kname),
                None => refused.push(CollectError::Name {
                    name: text::clean(name.as_bytes()),
                }),
            }
        }
        Ok((taken, refused))
    }

    fn names(&self) -> Result<Vec<String>, CollectError> {
        let files = &self.host.files;
        let names = match files.list("sys/class/block") {
            Ok(names) => names,
            // Older captures hold sys/block alone, with the partitions inside their disks.
            Err(first) => {
                let Ok(disks) = files.list("sys/block") else {
                    return match self.namespaces() {
                        names if names.is_empty() => Err(CollectError::NoSysfs {
                            why: errno::describe(first),
                        }),
                        names => Ok(names.into_keys().collect()),
                    };
                };
                let mut names = Vec::new();
                for disk in disks {
                    let inside = follow(files.as_ref(), &format!("sys/block/{disk}"))
                        .and_then(|place| files.list(&place));
                    let parts = inside.unwrap_or_default();
                    names.extend(
                        parts
                            .into_iter()
                            .filter(|name| is_partition_name(name, &disk)),
                    );
                    names.push(disk);
                }
                names
            }
        };
        Ok(names)
    }

    /// The directory of a device below the root, free of links.
    pub fn syspath(&self, kname: &KName) -> Result<String, CollectError> {
        let files = self.host.files.as_ref();
        let mut error = Errno::NOENT;
        for class in ["sys/class/block", "sys/block"] {
            match follow(files, &format!("{class}/{kname}")) {
                Ok(path) => return Ok(path),
                // A captured root may have laid the directory itself there.
                Err(Errno::INVAL) => return Ok(format!("{class}/{kname}")),
                Err(other) => error = other,
            }
        }
        if let Some(disk) = disk_name(kname.as_str())
            && let Ok(place) = follow(files, &format!("sys/block/{disk}"))
            && files
                .list(&place)
                .is_ok_and(|names| names.iter().any(|name| name == kname.as_str()))
        {
            return Ok(format!("{place}/{kname}"));
        }
        if let Some(place) = self.namespaces().remove(kname.as_str()) {
            return Ok(place);
        }
        Err(CollectError::NoDevice {
            kname: kname.clone(),
            why: errno::describe(error),
        })
    }

    /// Namespaces and paths below NVMe's own classes, with their directories: what a captured root has that holds
    /// nothing of the block layer (the trees of nvme-cli's tests are such).
    fn namespaces(&self) -> BTreeMap<String, String> {
        let files = self.host.files.as_ref();
        let mut found = BTreeMap::new();
        if files.is_live() {
            return found;
        }
        for class in ["sys/class/nvme-subsystem", "sys/class/nvme"] {
            for owner in files.list(class).unwrap_or_default() {
                let link = format!("{class}/{owner}");
                // A captured root may have laid the directory itself there.
                let place = follow(files, &link).unwrap_or(link);
                for name in files.list(&place).unwrap_or_default() {
                    if is_namespace(&name) {
                        found
                            .entry(name.clone())
                            .or_insert_with(|| format!("{place}/{name}"));
                    }
                }
            }
        }
        found
    }
}

/// `nvme0n1`, `nvme0c1n1`.
fn is_namespace(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix("nvme")
        .and_then(|rest| rest.split_once('n'))
        .is_some_and(|(owner, number)| {
            let (instance, path) = owner.split_once('c').unwrap_or((owner, "0"));
            digits(instance) && digits(path) && digits(number)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_told_from_what_else_a_controller_has() {
        for name in ["nvme0n1", "nvme12n345", "nvme0c1n1"] {
            assert!(is_namespace(name), "{name}");
        }
        for name in [
            "nvme0",
            "nvme-subsys0",
            "ng0n1",
            "nvme0n1p1",
            "nvme0c1",
            "nvmen1",
            "nvme0cn1",
        ] {
            assert!(!is_namespace(name), "{name}");
        }
    }
}
