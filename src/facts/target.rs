//! From what a user writes to kernel names.

use std::collections::BTreeSet;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::facts::collect::Collector;
use crate::facts::reading::Reading;
use crate::model::ids::{DevNo, KName, natural_order};
use crate::model::text;
use crate::source::Source;
use crate::source::files::{base_name, follow};

/// Why a word names no device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// There is no such device.
    #[error("{word}: {why}")]
    NoDevice {
        /// As it was given.
        word: String,
        /// What was tried, and what to do.
        why: String,
    },
    /// It is a file.
    #[error(
        "{word} is a {what}, not a block device; for its own answer: zinspect {word}; the device that holds it: {device}"
    )]
    File {
        /// As it was given.
        word: String,
        /// What it is.
        what: &'static str,
        /// The device that holds it.
        device: String,
    },
}

/// The devices that a word stands for: one, or each namespace of a controller.
pub fn resolve(collector: &Collector, word: &str) -> Result<Vec<KName>, TargetError> {
    if !word.contains('/') {
        return by_name(collector, word);
    }
    if let Some(name) = in_sysfs(word) {
        return by_name(collector, name);
    }
    if collector.host.source == Source::Live {
        by_node(collector, word)
    } else {
        by_captured_path(collector, word)
    }
}

fn no_device(word: &str, why: impl Into<String>) -> TargetError {
    TargetError::NoDevice {
        word: text::clean(word.as_bytes()),
        why: why.into(),
    }
}

/// A device's directory in sysfs, as people paste it.
fn in_sysfs(word: &str) -> Option<&str> {
    let word = word.trim_end_matches('/');
    let place = word
        .strip_prefix("/sys/class/block/")
        .or_else(|| word.strip_prefix("/sys/block/"))?;
    let name = base_name(place);
    (!name.is_empty()).then_some(name)
}

fn by_name(collector: &Collector, word: &str) -> Result<Vec<KName>, TargetError> {
    if word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()) {
        let devno = word
            .parse()
            .map_err(|error| no_device(word, format!("{error}")))?;
        return by_devno(collector, word, devno).map(|kname| vec![kname]);
    }
    let named = KName::new(word).filter(|kname| collector.syspath(kname).is_ok());
    if let Some(kname) = named {
        return Ok(vec![kname]);
    }
    if let Some(namespaces) = namespaces(collector, word) {
        return match namespaces.is_empty() {
            true => Err(no_device(word, "this NVMe controller has no namespace")),
            false => Ok(namespaces),
        };
    }
    let why =
        "no block device or NVMe controller of that name in /sys/class/block and /sys/class/nvme";
    let hint = match collector.host.source == Source::Live && Path::new(word).exists() {
        true => format!(
            "; a file of that name is ./{}",
            text::clean(word.as_bytes())
        ),
        false => nearest(collector, word)
            .map(|near| format!("; did you mean {near}?"))
            .unwrap_or_default(),
    };
    Err(no_device(word, format!("{why}{hint}")))
}

/// A device whose name begins alike, or that the word begins with.
fn nearest(collector: &Collector, word: &str) -> Option<KName> {
    let names = collector.list().ok()?;
    let alike = |kname: &&KName| {
        let name = kname.as_str();
        !word.is_empty() && (name.starts_with(word) || word.starts_with(name))
    };
    names.iter().find(alike).cloned()
}

pub(super) fn by_devno(
    collector: &Collector,
    word: &str,
    devno: DevNo,
) -> Result<KName, TargetError> {
    let path = format!("sys/dev/block/{devno}");
    let target = collector.host.files.link(&path);
    let found = target
        .ok()
        .and_then(|target| KName::new(base_name(&target)))
        .or_else(|| {
            // Older captures have no sys/dev: each device's own file tells.
            let names = collector.list().ok()?;
            names
                .into_iter()
                .find(|kname| devno_of(collector, kname) == Some(devno))
        });
    found.ok_or_else(|| {
        no_device(
            word,
            format!("no block device has the number {devno} (looked for /{path})"),
        )
    })
}

fn devno_of(collector: &Collector, kname: &KName) -> Option<DevNo> {
    let dir = collector
        .host
        .files
        .dir(&collector.syspath(kname).ok()?)
        .ok()?;
    collector.text(&dir, "dev").value()?.parse().ok()
}

/// The namespaces behind a controller: multipath heads where there are any, else its own disks.
fn namespaces(collector: &Collector, word: &str) -> Option<Vec<KName>> {
    let name = word
        .strip_prefix("nvme")
        .filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    name?;
    let files = collector.host.files.as_ref();
    let place = follow(files, &format!("sys/class/nvme/{word}")).ok()?;
    let mut found: Vec<KName> = Vec::new();
    for disk in files.list(&place).ok()? {
        let Some(rest) = disk.strip_prefix("nvme") else {
            continue;
        };
        let Some((before, namespace)) = rest.split_once('n') else {
            continue;
        };
        // nvme<subsystem>c<controller>n<namespace> is a path of nvme<subsystem>n<namespace>.
        let name = match before.split_once('c') {
            Some((subsystem, _)) => format!("nvme{subsystem}n{namespace}"),
            None => disk.clone(),
        };
        let head = KName::new(&name).filter(|kname| collector.syspath(kname).is_ok());
        found.extend(head.or_else(|| KName::new(&disk)));
    }
    found.sort_by(|a, b| natural_order(a.as_str(), b.as_str()));
    found.dedup();
    Some(found)
}

/// A path on the running host: what the node is decides, not its name.
fn by_node(collector: &Collector, word: &str) -> Result<Vec<KName>, TargetError> {
    let meta = match std::fs::metadata(word) {
        Ok(meta) => meta,
        Err(error) => {
            // A hidden path has no node, and a node may be missing; its name below /dev still tells.
            let name = word
                .strip_prefix("/dev/")
                .map(|name| name.replace('/', "!"));
            let known = name.and_then(|name| by_name(collector, &name).ok());
            return known.ok_or_else(|| no_device(word, format!("cannot look at it: {error}")));
        }
    };
    let kind = meta.file_type();
    if kind.is_block_device() {
        let devno = DevNo {
            major: rustix::fs::major(meta.rdev()),
            minor: rustix::fs::minor(meta.rdev()),
        };
        return by_devno(collector, word, devno).map(|kname| vec![kname]);
    }
    if kind.is_char_device() {
        let real = std::fs::canonicalize(word).unwrap_or_else(|_| word.into());
        let name = real
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        // /dev/ng0n1 is the character device of the namespace nvme0n1.
        let name = name
            .strip_prefix("ng")
            .map(|rest| format!("nvme{rest}"))
            .unwrap_or(name);
        return by_name(collector, &name).map_err(|_| {
            no_device(
                word,
                "a character device that belongs to no NVMe controller or namespace",
            )
        });
    }
    let what = match () {
        () if kind.is_dir() => "directory",
        () if kind.is_file() => "regular file",
        () if kind.is_fifo() => "FIFO",
        () if kind.is_socket() => "socket",
        () => "file",
    };
    let devno = format!(
        "{}:{}",
        rustix::fs::major(meta.dev()),
        rustix::fs::minor(meta.dev())
    );
    Err(TargetError::File {
        word: text::clean(word.as_bytes()),
        what,
        device: devno,
    })
}

/// A path on a captured host, which has no nodes: its kernel name, mapper name or a link of the udev database.
fn by_captured_path(collector: &Collector, word: &str) -> Result<Vec<KName>, TargetError> {
    let Some(name) = word.strip_prefix("/dev/") else {
        return Err(no_device(
            word,
            "a captured host has devices alone: name one, or its path below /dev",
        ));
    };
    if let Some(Ok(devno)) = name.strip_prefix("block/").map(str::parse) {
        return by_devno(collector, word, devno).map(|kname| vec![kname]);
    }
    let direct = by_name(collector, &name.replace('/', "!"));
    if let Ok(found) = direct {
        return Ok(found);
    }
    let names = collector
        .list()
        .map_err(|error| no_device(word, error.to_string()))?;
    let found = names
        .into_iter()
        .find(|kname| match name.strip_prefix("mapper/") {
            Some(mapped) => dm_name(collector, kname) == Reading::Present(mapped.to_owned()),
            None => has_link(collector, kname, word),
        });
    let why = "no captured device has that kernel name, mapper name or udev link";
    found
        .map(|kname| vec![kname])
        .ok_or_else(|| no_device(word, why))
}

fn dm_name(collector: &Collector, kname: &KName) -> Reading<String> {
    let place = collector.syspath(kname).unwrap_or_default();
    match collector.host.files.dir(&format!("{place}/dm")) {
        Ok(dir) => collector.text(&dir, "name"),
        Err(error) => Reading::from_errno(error),
    }
}

/// The names below /dev/mapper that are in use.
pub fn mapper_names(collector: &Collector) -> BTreeSet<String> {
    let names = collector.list().unwrap_or_default();
    names
        .iter()
        .filter_map(|kname| dm_name(collector, kname).value().cloned())
        .collect()
}

fn has_link(collector: &Collector, kname: &KName, word: &str) -> bool {
    let Some(devno) = devno_of(collector, kname) else {
        return false;
    };
    let path = format!("run/udev/data/b{devno}");
    let database = collector
        .host
        .files
        .read(&path, crate::source::files::FILE_CAP);
    let links = database.map(|bytes| crate::facts::udev::UdevFacts::parse(&bytes).links);
    links.is_ok_and(|links| links.iter().any(|link| link == word))
}

/// Reads what [`resolve`] would, so that a capture answers for every target.
pub fn index(collector: &Collector) {
    let files = collector.host.files.as_ref();
    for kname in collector.list().unwrap_or_default() {
        if let Some(devno) = devno_of(collector, &kname) {
            let _ = files.link(&format!("sys/dev/block/{devno}"));
        }
    }
    for controller in files.list("sys/class/nvme").unwrap_or_default() {
        namespaces(collector, &controller);
    }
}
