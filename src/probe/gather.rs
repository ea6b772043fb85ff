//! From a word to what is to be probed.

use std::path::Path;

use super::below;
use super::hardware;
use super::known_bad;
use super::refusal::Refusal;
use super::target::{Device, Limits, ScratchDir, Target};
use super::uses;
use crate::facts::collect::Collector;
use crate::facts::identity::{self, Identity};
use crate::facts::needs::Needs;
use crate::facts::queue::{Attr, QueueLimits};
use crate::facts::reading::Reading;
use crate::facts::target as words;
use crate::facts::walk::with_stacks;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::source::Source;

/// What a word stands for.
pub fn target(collector: &Collector, word: &str) -> Result<Target, Refusal> {
    if collector.host.source != Source::Live {
        return Err(Refusal::Captured);
    }
    let path = Path::new(word);
    if word.contains('/') || word == "." || word == ".." {
        if path.is_dir() {
            return scratch(collector, path).map(|dir| Target::Scratch(Box::new(dir)));
        }
        if path.is_file() {
            return Err(Refusal::ExistingFile {
                path: word.to_owned(),
                what: "file",
            });
        }
    }
    let found =
        words::resolve(collector, word).map_err(|error| Refusal::NoTarget(error.to_string()))?;
    let [kname] = found.as_slice() else {
        return Err(Refusal::Several {
            word: word.to_owned(),
            count: found.len(),
        });
    };
    device(collector, kname).map(|device| Target::Device(Box::new(device)))
}

/// A device of a plan, as it is now: of what is kept of the host's files nothing is told again.
pub(super) fn again(collector: &Collector, planned: &Device) -> Result<Device, Refusal> {
    let fresh = Collector::new(collector.host, Needs::ALL);
    let kname = KName::new(&planned.kname)
        .ok_or_else(|| Refusal::NoTarget(format!("{} is no name", planned.kname)))?;
    device(&fresh, &kname)
}

fn scratch(collector: &Collector, path: &Path) -> Result<ScratchDir, Refusal> {
    let shown = path.display();
    let no = |error: &dyn std::fmt::Display| {
        Refusal::NoTarget(format!("cannot look at {shown}: {error}"))
    };
    let real = std::fs::canonicalize(path).map_err(|error| no(&error))?;
    let stat = rustix::fs::statvfs(&real).map_err(|error| no(&error))?;
    let kname = super::place::device_of(collector, &real).ok().flatten();
    let below = kname.as_deref().and_then(KName::new);
    let bad = below.and_then(|kname| {
        let collected = with_stacks(collector, std::slice::from_ref(&kname));
        known_bad::find(&hardware::matches(collector, &collected.topology))
    });
    Ok(ScratchDir {
        kname,
        bad,
        path: real,
        free_bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
        block: stat.f_bsize.clamp(4096, 1 << 20),
    })
}

fn device(collector: &Collector, kname: &KName) -> Result<Device, Refusal> {
    let collected = with_stacks(collector, std::slice::from_ref(kname));
    let topology = &collected.topology;
    let device = topology.get(kname).ok_or_else(|| {
        let missing: Vec<String> = collected.missing.iter().map(ToString::to_string).collect();
        Refusal::NoTarget(missing.join("; "))
    })?;
    if device.kind == Kind::NvmePath {
        let why = "it is a hidden path; name its multipath head, each path is tried there";
        return Err(Refusal::NoNode {
            kname: kname.to_string(),
            why: why.to_owned(),
        });
    }
    let disk = topology.disk_of(device);
    let basics = Basics::read(device, disk)?;
    let diskseq = identity::diskseq(collector, &disk.syspath);
    let (identity, identity_lasts) = identity(collector, device, disk);
    let node = device.kname.node();
    let scsi =
        (disk.driver == Some("sd")).then(|| hardware::scsi(collector, disk, basics.devno, &node));
    Ok(Device {
        kname: kname.to_string(),
        syspath: device.syspath.clone(),
        node,
        devno: basics.devno,
        disk: disk.kname.to_string(),
        disk_syspath: disk.syspath.clone(),
        start_bytes: basics.start_bytes,
        size_bytes: basics.size_bytes,
        logical_block: basics.logical_block,
        block: basics.logical_block,
        driver: disk.driver,
        kind: device.kind.word(),
        diskseq,
        identity,
        identity_lasts,
        read_only: basics.read_only,
        zoned: disk
            .queue
            .text(Attr::Zoned)
            .is_some_and(|zoned| zoned == "host-managed"),
        limits: limits(&disk.queue),
        uses: {
            let mut uses = uses::uses(collector, kname, device.disk.as_ref());
            uses.extend(below::uses(collector, disk));
            uses.extend(below::other_paths(collector, disk));
            uses
        },
        bad: known_bad::find(&hardware::matches(collector, topology)),
        nvme: hardware::nvme(disk, &collector.kernel),
        scsi,
        legs: hardware::legs(collector, device, topology),
        kernel: collector.kernel.version,
        backing_file: hardware::backing_file(collector, disk),
        thin: hardware::thin(topology),
    })
}

/// What must be known before anything may be written.
struct Basics {
    devno: (u32, u32),
    size_bytes: u64,
    start_bytes: u64,
    logical_block: u64,
    read_only: bool,
}

impl Basics {
    fn read(device: &BlockDevice, disk: &BlockDevice) -> Result<Self, Refusal> {
        let kname = device.kname.to_string();
        let unknown = |what: &'static str| {
            let kname = kname.clone();
            move |why| Refusal::Unknown { kname, what, why }
        };
        let number = known(&device.devno).map_err(unknown("its number"))?;
        let logical_block = disk.queue.number(Attr::LogicalBlockSize);
        let start_bytes = match device.kind {
            Kind::Partition => known(&device.start_bytes).map_err(unknown("where it begins"))?,
            _ => 0,
        };
        Ok(Self {
            devno: (number.major, number.minor),
            size_bytes: known(&device.size_bytes).map_err(unknown("its size"))?,
            start_bytes,
            logical_block: known(&logical_block).map_err(unknown("its block size"))?,
            read_only: known(&device.read_only).map_err(unknown("whether it is read-only"))?,
        })
    }
}

fn known<T: Copy>(reading: &Reading<T>) -> Result<T, String> {
    reading.get().ok_or_else(|| {
        reading
            .detail()
            .unwrap_or_else(|| "the kernel has no such file".to_owned())
    })
}

fn limits(queue: &QueueLimits) -> Limits {
    let number = |attr| queue.number(attr).get();
    Limits {
        write_zeroes_max_bytes: number(Attr::WriteZeroesMaxBytes),
        write_zeroes_unmap_max_hw_bytes: number(Attr::WriteZeroesUnmapMaxHwBytes),
        write_zeroes_unmap_max_bytes: number(Attr::WriteZeroesUnmapMaxBytes),
        discard_max_bytes: number(Attr::DiscardMaxBytes),
        discard_granularity: number(Attr::DiscardGranularity),
        max_sectors_kb: number(Attr::MaxSectorsKb),
        max_hw_sectors_kb: number(Attr::MaxHwSectorsKb),
    }
}

/// What names this very device: its disk, and which partition of it.
fn identity(collector: &Collector, device: &BlockDevice, disk: &BlockDevice) -> (String, bool) {
    let Identity { name, lasts } = identity::of(collector, disk);
    let part = collector
        .host
        .files
        .dir(&device.syspath)
        .ok()
        .and_then(|dir| collector.number(&dir, "partition").get());
    (
        part.map_or_else(|| name.clone(), |part| format!("{name}-part{part}")),
        lasts,
    )
}
