//! Who uses a device: mounts, swap, holders, loops. Read from sysfs and proc, so it needs no rights.

use std::collections::BTreeSet;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::io::Errno;

use crate::facts::collect::Collector;
use crate::facts::reading::Reading;
use crate::model::ids::{DevNo, KName};
use crate::model::text;
use crate::source::command::{Command, Node, Reply};
use crate::source::errno;
use crate::source::files::FILE_CAP;

/// One use of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// Mounted, itself or something that stands on it.
    Mounted {
        /// What is mounted.
        kname: String,
        /// Where.
        at: String,
        /// What leads from the device to that: partitions and holders, the lowest first.
        through: Vec<String>,
    },
    /// Swap space, itself or something that stands on it.
    Swap {
        /// Which device.
        kname: String,
        /// What leads from the device to that.
        through: Vec<String>,
    },
    /// Something stands on it.
    Held {
        /// Which part of it.
        kname: String,
        /// What stands on it, with its name.
        holder: String,
    },
    /// A leg of a multipath map.
    Leg {
        /// The map's name.
        map: String,
    },
    /// A loop device reads and writes it.
    Loop {
        /// Which part of it.
        kname: String,
        /// The loop device.
        loop_: String,
    },
    /// What it stands on is used otherwise.
    Below {
        /// What that is.
        what: String,
        /// How it is used.
        used: Box<Use>,
    },
    /// It could not be known.
    Unknown {
        /// What could not be read, and why.
        what: String,
    },
}

impl Use {
    /// What a refusal names first: what loses data at once before what is merely in the way.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Leg { .. } => 0,
            Self::Mounted { .. } => 1,
            Self::Swap { .. } => 2,
            Self::Loop { .. } | Self::Held { .. } => 3,
            Self::Below { used, .. } => used.rank(),
            Self::Unknown { .. } => 4,
        }
    }
}

/// A device on the way up, and what leads to it.
struct Step {
    kname: KName,
    through: Vec<String>,
}

impl Step {
    fn up(&self, kname: KName, shown: String) -> Self {
        let through = self.through.iter().cloned().chain([shown]).collect();
        Self { kname, through }
    }
}

/// All uses of a device, of its partitions, and of what stands on them; of a partition those of its disk that bar it.
pub fn uses(collector: &Collector, kname: &KName, disk: Option<&KName>) -> Vec<Use> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut queue = vec![Step {
        kname: kname.clone(),
        through: Vec::new(),
    }];
    while let Some(step) = queue.pop() {
        if !seen.insert(step.kname.clone()) {
            continue;
        }
        let Ok(syspath) = collector.syspath(&step.kname) else {
            found.push(Use::Unknown {
                what: format!("{} has no directory in sysfs", step.kname),
            });
            continue;
        };
        for holder in holders(collector, &syspath, &mut found) {
            found.push(holder_of(collector, &step.kname, &holder));
            let shown = shown(collector, &holder);
            queue.push(step.up(holder, shown));
        }
        for part in partitions(collector, &syspath, &mut found) {
            let shown = part.to_string();
            queue.push(step.up(part, shown));
        }
        for loop_ in of_one(collector, &step, &syspath, &mut found) {
            let shown = loop_.to_string();
            queue.push(step.up(loop_, shown));
        }
    }
    if let Some(disk) = disk {
        of_disk(collector, disk, &mut found);
    }
    found
}

/// What bars every partition of a disk: it is held or mounted as a whole.
fn of_disk(collector: &Collector, disk: &KName, found: &mut Vec<Use>) {
    let Ok(syspath) = collector.syspath(disk) else {
        found.push(Use::Unknown {
            what: format!("{disk} has no directory in sysfs"),
        });
        return;
    };
    for holder in holders(collector, &syspath, found) {
        found.push(holder_of(collector, disk, &holder));
    }
    let devno = collector
        .host
        .files
        .dir(&syspath)
        .ok()
        .and_then(|dir| devno(collector, &dir));
    found.extend(
        devno
            .into_iter()
            .flat_map(|devno| mounted(collector, disk, &[], devno)),
    );
}

/// A holder by its kernel name and, where it has one, its mapping's.
fn shown(collector: &Collector, holder: &KName) -> String {
    let place = collector.syspath(holder).unwrap_or_default();
    let name = collector
        .host
        .files
        .dir(&format!("{place}/dm"))
        .ok()
        .and_then(|dir| collector.text(&dir, "name").value().cloned());
    name.map_or_else(|| holder.to_string(), |name| format!("{holder} ({name})"))
}

/// Names in a directory; none where there is no directory. One that may not be read makes it unknown what uses the
/// device, and so does a name that cannot be followed.
fn names(collector: &Collector, path: &str, found: &mut Vec<Use>) -> Vec<String> {
    match collector.host.files.list(path) {
        Ok(names) => names,
        Err(Errno::NOENT) => Vec::new(),
        Err(error) => {
            found.push(Use::Unknown {
                what: format!("/{path}: {}", errno::describe(error)),
            });
            Vec::new()
        }
    }
}

fn holders(collector: &Collector, syspath: &str, found: &mut Vec<Use>) -> Vec<KName> {
    let path = format!("{syspath}/holders");
    let mut taken = Vec::new();
    for name in names(collector, &path, found) {
        match KName::new(&name) {
            Some(kname) => taken.push(kname),
            None => found.push(Use::Unknown {
                what: format!("/{path}/{}: its name", text::clean(name.as_bytes())),
            }),
        }
    }
    taken
}

fn partitions(collector: &Collector, syspath: &str, found: &mut Vec<Use>) -> Vec<KName> {
    let files = collector.host.files.as_ref();
    let is_part = |kname: &KName| {
        files
            .dir(&format!("{syspath}/{kname}"))
            .is_ok_and(|dir| collector.number(&dir, "partition").is_present())
    };
    let inside = names(collector, syspath, found);
    inside
        .iter()
        .filter_map(|name| KName::new(name))
        .filter(is_part)
        .collect()
}

fn holder_of(collector: &Collector, kname: &KName, holder: &KName) -> Use {
    let place = collector.syspath(holder).unwrap_or_default();
    let dm = |name: &str| match collector.host.files.dir(&format!("{place}/dm")) {
        Ok(dir) => collector.text(&dir, name).value().cloned(),
        Err(_) => None,
    };
    let name = dm("name");
    match (dm("uuid"), name) {
        (uuid, Some(map))
            if uuid.as_ref().is_some_and(|uuid| uuid.starts_with("mpath-"))
                || is_multipath(collector, &place) =>
        {
            Use::Leg { map }
        }
        _ => Use::Held {
            kname: kname.to_string(),
            holder: shown(collector, holder),
        },
    }
}

/// By its table, for a map that multipathd did not make; that needs root.
fn is_multipath(collector: &Collector, place: &str) -> bool {
    let dir = collector.host.files.dir(place).ok();
    let Some(number) = dir.and_then(|dir| devno(collector, &dir)) else {
        return false;
    };
    let command = Command::DmTable {
        devno: (number.major, number.minor),
    };
    match collector
        .host
        .commands
        .command(&Node::dm_control(), &command)
    {
        Ok(Reply::DmTable { lines, .. }) => lines.iter().any(|line| line.target == "multipath"),
        _ => false,
    }
}

fn devno(collector: &Collector, dir: &crate::source::files::Dir) -> Option<DevNo> {
    collector.text(dir, "dev").value()?.parse().ok()
}

/// Uses of one device on the way up. Gives the loop devices that stand on it, which are no holders in sysfs.
fn of_one(collector: &Collector, step: &Step, syspath: &str, found: &mut Vec<Use>) -> Vec<KName> {
    let Step { kname, through } = step;
    let mut loops = Vec::new();
    let dir = collector.host.files.dir(syspath).ok();
    let Some(number) = dir.and_then(|dir| devno(collector, &dir)) else {
        found.push(Use::Unknown {
            what: format!("the number of {kname}"),
        });
        return loops;
    };
    found.extend(mounted(collector, kname, through, number));
    match collector.host.files.read("proc/swaps", FILE_CAP) {
        Ok(bytes) if swaps(&bytes).any(|path| is_node(&path, number)) => {
            found.push(Use::Swap {
                kname: kname.to_string(),
                through: through.clone(),
            });
        }
        // A kernel without swap has no such file.
        Ok(_) | Err(Errno::NOENT) => {}
        Err(error) => {
            found.push(Use::Unknown {
                what: format!("/proc/swaps: {}", errno::describe(error)),
            });
        }
    }
    for loop_ in names(collector, "sys/block", found) {
        let Ok(dir) = collector.host.files.dir(&format!("sys/block/{loop_}/loop")) else {
            continue;
        };
        if collector
            .text(&dir, "backing_file")
            .value()
            .is_some_and(|path| is_node(path, number))
        {
            loops.extend(KName::new(&loop_));
            found.push(Use::Loop {
                kname: kname.to_string(),
                loop_,
            });
        }
    }
    loops
}

fn mounted(collector: &Collector, kname: &KName, through: &[String], number: DevNo) -> Vec<Use> {
    let mounts = match collector.mounts() {
        Reading::Present(mounts) => mounts,
        other => {
            let why = other.detail().unwrap_or_else(|| "not there".to_owned());
            return vec![Use::Unknown {
                what: format!("/proc/self/mountinfo: {why}"),
            }];
        }
    };
    let by_source = mounts.iter().filter(|mount| {
        mount.is_anonymous()
            && mount
                .source
                .as_deref()
                .is_some_and(|source| is_node(source, number))
    });
    let points = mounts
        .points(number)
        .into_iter()
        .chain(by_source.map(|mount| mount.point.clone()));
    points
        .map(|at| Use::Mounted {
            kname: kname.to_string(),
            at,
            through: through.to_vec(),
        })
        .collect()
}

/// The first column of `/proc/swaps`, below its heading.
fn swaps(bytes: &[u8]) -> impl Iterator<Item = String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let rows: Vec<String> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect();
    rows.into_iter()
}

/// Whether a path is a block device of this number.
fn is_node(path: &str, number: DevNo) -> bool {
    path.starts_with('/')
        && std::fs::metadata(path).is_ok_and(|meta| {
            let rdev = meta.rdev();
            meta.file_type().is_block_device()
                && (rustix::fs::major(rdev), rustix::fs::minor(rdev))
                    == (number.major, number.minor)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_files_are_the_first_column() {
        let text = b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/dm-1                               partition\t999420\t\t0\t\t-2\n";
        assert_eq!(swaps(text).collect::<Vec<_>>(), ["/dev/dm-1"]);
        assert_eq!(swaps(b"").count(), 0);
    }
}
