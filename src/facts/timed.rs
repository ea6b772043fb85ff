//! Reads every device, and says of each group of them how long that took and whether it went well.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use crate::facts::collect::{CollectError, Collector};
use crate::facts::walk::Collected;
use crate::model::device::{BlockDevice, Kind, classify};
use crate::model::ids::KName;
use crate::source::command::Commands;
use crate::source::remember::Remembering;

/// A group of devices that are read in the same way.
#[derive(Debug, Clone)]
pub struct Part {
    /// `list`, `nvme`, `scsi`, `dm`, `md`, `loop`, `partition`, `other`.
    pub name: &'static str,
    /// How long reading it took.
    pub time: Duration,
    /// Whether every device that is still there could be read.
    pub success: bool,
}

/// What became of a collection.
#[derive(Debug, Default)]
pub struct Timed {
    /// The devices.
    pub collected: Collected,
    /// Each group, in the order of names.
    pub parts: Vec<Part>,
}

fn group(kind: Kind, driver: Option<&str>) -> &'static str {
    match (kind, driver) {
        (_, Some("nvme")) | (Kind::NvmeHead | Kind::NvmePath, _) => "nvme",
        (_, Some("sd" | "sr")) => "scsi",
        (Kind::Dm, _) => "dm",
        (Kind::Md, _) => "md",
        (Kind::Loop, _) => "loop",
        (Kind::Partition, _) => "partition",
        _ => "other",
    }
}

/// Reads every device; `begin` is told of each before anything is read of it. That the devices cannot even be listed is
/// the group `list` without success.
pub fn all(collector: &Collector, begin: impl Fn(&KName)) -> (Timed, Option<CollectError>) {
    let mut timed = Timed::default();
    let start = Instant::now();
    let names = collector.listing();
    let mut parts: BTreeMap<&'static str, Part> = BTreeMap::new();
    let mut note = |name, time, success| {
        let part = parts.entry(name).or_insert(Part {
            name,
            time: Duration::ZERO,
            success: true,
        });
        part.time += time;
        part.success &= success;
    };
    note("list", start.elapsed(), names.is_ok());
    let (names, failed) = match names {
        Ok((names, refused)) => {
            if !refused.is_empty() {
                note("other", Duration::ZERO, false);
            }
            timed.collected.missing = refused;
            (names, None)
        }
        Err(error) => (Vec::new(), Some(error)),
    };
    for kname in names {
        begin(&kname);
        let start = Instant::now();
        match collector.device(&kname) {
            Ok(device) => {
                note(group_of(&device), start.elapsed(), true);
                timed.collected.topology.add(device);
            }
            // Gone since it was listed: no failure, it has no series any more.
            Err(_) if collector.syspath(&kname).is_err() => {}
            Err(error) => {
                let (kind, driver) = classify(kname.as_str(), "");
                note(group(kind, driver), start.elapsed(), false);
                timed.collected.missing.push(error);
            }
        }
    }
    timed.parts = parts.into_values().collect();
    (timed, failed)
}

/// Reads every device of a host whose commands go through `memory`, and forgets the disks that went away.
pub fn with_memory<C: Commands>(
    collector: &Collector,
    memory: &Remembering<C>,
) -> (Timed, Option<CollectError>) {
    let there = RefCell::new(HashSet::new());
    let (timed, failed) = all(collector, |kname| {
        let diskseq = diskseq(collector, kname);
        there.borrow_mut().extend(diskseq);
        memory.begin(diskseq);
    });
    if failed.is_none() {
        memory.keep(&there.into_inner());
    }
    (timed, failed)
}

fn diskseq(collector: &Collector, kname: &KName) -> Option<u64> {
    let place = collector.syspath(kname).ok()?;
    let dir = collector.host.files.dir(&place).ok()?;
    collector.number(&dir, "diskseq").get()
}

fn group_of(device: &BlockDevice) -> &'static str {
    group(device.kind, device.driver)
}
