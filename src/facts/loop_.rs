//! Loop devices: what stands behind them.

use crate::facts::collect::Collector;
use crate::facts::needs::Sections;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::model::ids::KName;
use crate::model::text;

/// The loop side of a device.
#[derive(Debug)]
pub struct LoopFacts {
    /// `loop/backing_file`; absent while nothing is attached. ` (deleted)` stays at its end.
    pub backing_file: Reading<String>,
    /// The filesystem that holds the backing file, by the longest mount point above it; `devtmpfs` means a device.
    /// The path is seen from this process: a file of another mount namespace may lie on another filesystem.
    pub backing_filesystem: Reading<String>,
    /// The block device behind it where the backing file is a device's node.
    pub backing_device: Option<KName>,
    /// `loop/offset` in bytes.
    pub offset_bytes: Reading<u64>,
    /// `loop/sizelimit` in bytes; 0 is none.
    pub sizelimit_bytes: Reading<u64>,
    /// `loop/autoclear`.
    pub autoclear: Reading<bool>,
    /// `loop/partscan`.
    pub partscan: Reading<bool>,
    /// `loop/dio`: the backing file is read and written directly.
    pub dio: Reading<bool>,
}

const LATER: &str = "not needed for what was asked";

impl LoopFacts {
    /// Reads them.
    pub fn collect(collector: &Collector, device: &BlockDevice) -> Self {
        let dir = match collector
            .host
            .files
            .dir(&format!("{}/loop", device.syspath))
        {
            Ok(dir) => dir,
            // The directory is there while a file is attached.
            Err(error) => return Self::unread(Reading::from_errno(error)),
        };
        let all = collector.needs.wants(Sections::LOOP);
        let path = collector.file(&dir, "backing_file", |bytes| {
            Reading::Present(bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec())
        });
        let backing_device = path.value().and_then(|path| device_of(collector, path));
        let backing_filesystem = match &path {
            Reading::Present(_) if backing_device.is_some() && !all => Reading::NotAsked(LATER),
            Reading::Present(path) => filesystem_of(collector, path),
            other => other.as_ref().map(|_| String::new()),
        };
        let number = |name: &str| {
            if all {
                collector.number(&dir, name)
            } else {
                Reading::NotAsked(LATER)
            }
        };
        let flag = |name: &str| {
            if all {
                collector.flag(&dir, name)
            } else {
                Reading::NotAsked(LATER)
            }
        };
        Self {
            offset_bytes: number("offset"),
            sizelimit_bytes: number("sizelimit"),
            autoclear: flag("autoclear"),
            partscan: flag("partscan"),
            dio: flag("dio"),
            backing_file: path.map(|path| text::clean(&path)),
            backing_filesystem,
            backing_device,
        }
    }

    fn unread(why: Reading<String>) -> Self {
        Self {
            backing_filesystem: why.clone(),
            backing_device: None,
            offset_bytes: why.as_ref().map(|_| 0),
            sizelimit_bytes: why.as_ref().map(|_| 0),
            autoclear: why.as_ref().map(|_| false),
            partscan: why.as_ref().map(|_| false),
            dio: why.as_ref().map(|_| false),
            backing_file: why,
        }
    }
}

fn filesystem_of(collector: &Collector, path: &[u8]) -> Reading<String> {
    // The kernel marks a file without a name so (`d_path`, fs/d_path.c); it lies where it lay.
    let path = path.strip_suffix(b" (deleted)").unwrap_or(path);
    collector
        .mounts()
        .as_ref()
        .and_then(|mounts| match mounts.filesystem_of(path) {
            Some(mount) => Reading::Present(mount.filesystem.clone()),
            None => Reading::Absent,
        })
}

/// The block device whose node a path is. sysfs tells no number, so the node's name decides: devtmpfs names nodes as
/// the kernel does, device-mapper's nodes lie in `/dev/mapper` where no udevd has made links of them.
fn device_of(collector: &Collector, path: &[u8]) -> Option<KName> {
    let below = std::str::from_utf8(path).ok()?.strip_prefix("/dev/")?;
    if let Some(name) = below.strip_prefix("mapper/") {
        return mapped(collector, name);
    }
    let kname = KName::new(&below.replace('/', "!"))?;
    collector.syspath(&kname).is_ok().then_some(kname)
}

fn mapped(collector: &Collector, name: &str) -> Option<KName> {
    let listed = collector.list().ok()?;
    let mut mapped = listed
        .into_iter()
        .filter(|kname| kname.as_str().starts_with("dm-"));
    mapped.find(|kname| {
        let place = collector.syspath(kname).map(|place| format!("{place}/dm"));
        let dir = place
            .ok()
            .and_then(|place| collector.host.files.dir(&place).ok());
        dir.is_some_and(|dir| {
            collector
                .text(&dir, "name")
                .value()
                .is_some_and(|is| is == name)
        })
    })
}
