//! Devices of a plan, as they would be found: facts without a host that they were read of.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::facts::dm::DmFacts;
use crate::facts::md::MdFacts;
use crate::facts::origin::{Fact, Origin};
use crate::facts::queue::{Attr, QueueLimits, Value};
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::model::plan::{Build, Plan};
use crate::model::topology::Topology;
use crate::model::units::SECTOR;
use crate::wire::dm::table::{DeviceId, Target};

const NOT_YET: &str = "it does not exist yet";

/// Why a plan does not go with a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhatIfError {
    /// The name is taken.
    #[error("{0}: there is a device of this name; give the planned one another")]
    Taken(KName),
    /// A path that is no NVMe namespace.
    #[error("{head}: its path {path} is no NVMe namespace")]
    NoNamespace {
        /// The head.
        head: KName,
        /// The device.
        path: KName,
    },
    /// A table that reaches past the end of a device (`device_area_is_invalid`, drivers/md/dm-table.c).
    #[error(
        "{name}: table line {line} reaches to sector {end} of {device}, which has {sectors}; no kernel loads that"
    )]
    TooSmall {
        /// The planned device.
        name: KName,
        /// The line, counted from 1.
        line: usize,
        /// The device below.
        device: KName,
        /// Where the line ends on it, in 512-byte sectors.
        end: u64,
        /// Sectors that it has.
        sectors: u64,
    },
    /// A table that begins or ends within a block of a device.
    #[error(
        "{}: table line {} takes {} sectors from sector {} of {}, whose blocks are of {} bytes; no kernel loads that",
        .0.name, .0.line, .0.length, .0.start, .0.device, .0.block
    )]
    OffBlock(Box<OffBlock>),
    /// A device that would be two members of one array, or two paths.
    #[error("{name}: {device} stands in it twice; a device can be in it once")]
    Double {
        /// The planned device.
        name: KName,
        /// The device.
        device: KName,
    },
}

/// Where no device can begin or end on another (`device_area_is_invalid`, drivers/md/dm-table.c).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffBlock {
    /// The planned device.
    pub name: KName,
    /// The line, counted from 1.
    pub line: usize,
    /// The device below.
    pub device: KName,
    /// Where the line begins on it, in 512-byte sectors.
    pub start: u64,
    /// Sectors that it takes of it.
    pub length: u64,
    /// Bytes of its blocks.
    pub block: u64,
}

/// Adds the planned devices to those that are there. `real` has the device for each word that names no planned one.
pub fn build(
    topology: &mut Topology,
    plan: &Plan,
    real: &BTreeMap<String, KName>,
) -> Result<(), WhatIfError> {
    for (name, build) in &plan.devices {
        let find = |word: &str| plan.find(word).or_else(|| real.get(word)).cloned();
        let each = build.each();
        let mut slaves: Vec<KName> = each.iter().filter_map(|word| find(word)).collect();
        if !matches!(build, Build::Dm(_)) {
            each_once(name, &slaves)?;
        }
        let mut seen = BTreeSet::new();
        slaves.retain(|slave| seen.insert(slave.clone()));
        let kind = match build {
            Build::Dm(_) => Kind::Dm,
            Build::Md { .. } => Kind::Md,
            Build::NvmeHead(_) => Kind::NvmeHead,
        };
        let driver = match kind {
            Kind::Dm => "device-mapper",
            Kind::Md => "md",
            _ => "nvme",
        };
        let place = format!("what-if/{name}");
        let mut device = BlockDevice::new(name.clone(), place, kind, Some(driver));
        nothing_read(&mut device);
        match build {
            Build::Dm(table) => {
                fits(topology, name, table, find)?;
                let sectors: u64 = table.iter().map(|target| target.length).sum();
                device.size_bytes = Reading::Present(sectors.saturating_mul(SECTOR));
                device.dm = Some(Box::new(dm(name, table, find)));
            }
            Build::Md {
                level, chunk_bytes, ..
            } => device.md = Some(Box::new(md(level, *chunk_bytes))),
            Build::NvmeHead(_) => only_namespaces(topology, name, &slaves)?,
        }
        device.queue = Rc::new(queue(topology, &slaves));
        device.slaves = slaves;
        if !topology.add(device) {
            return Err(WhatIfError::Taken(name.clone()));
        }
    }
    Ok(())
}

fn nothing_read(device: &mut BlockDevice) {
    device.devno = Reading::NotAsked(NOT_YET);
    device.size_bytes = Reading::NotAsked(NOT_YET);
    device.read_only = Reading::NotAsked(NOT_YET);
    device.removable = Reading::NotAsked(NOT_YET);
    device.diskseq = Reading::NotAsked(NOT_YET);
    device.mountpoints = Reading::NotAsked(NOT_YET);
    device.udev = Reading::NotAsked(NOT_YET);
}

/// Whether each line lies within the devices it names, where their sizes are known.
fn fits(
    topology: &Topology,
    name: &KName,
    table: &[Target],
    find: impl Fn(&str) -> Option<KName>,
) -> Result<(), WhatIfError> {
    for (at, target) in table.iter().enumerate() {
        // Of the other targets a line does not tell how much of a device they take.
        let share = match target.name.as_str() {
            "linear" | "crypt" | "delay" | "flakey" | "error" | "multipath" => 1,
            "striped" => u64::try_from(target.devices.len()).unwrap_or(u64::MAX),
            _ => continue,
        };
        let length = target.length / share.max(1);
        for part in &target.devices {
            let Some(device) = find(&part.device.to_string()) else {
                continue;
            };
            let below = topology.get(&device);
            // Each path of a multipath has the sectors of the whole (`multipath_iterate_devices`).
            let path = (target.name == "multipath").then_some(target.start);
            let Some(start) = part.offset.or(path) else {
                continue;
            };
            let end = start.saturating_add(length);
            if let Some(bytes) = below.and_then(|below| below.size_bytes.get())
                && end > bytes / SECTOR
            {
                return Err(WhatIfError::TooSmall {
                    name: name.clone(),
                    line: at + 1,
                    device,
                    end,
                    sectors: bytes / SECTOR,
                });
            }
            let block = below.map(|below| &topology.disk_of(below).queue);
            let block = block.and_then(|queue| queue.number(Attr::LogicalBlockSize).get());
            if let Some(block) = block.filter(|block| *block > SECTOR)
                && (start % (block / SECTOR) != 0 || length % (block / SECTOR) != 0)
            {
                return Err(WhatIfError::OffBlock(Box::new(OffBlock {
                    name: name.clone(),
                    line: at + 1,
                    device,
                    start,
                    length,
                    block,
                })));
            }
        }
    }
    Ok(())
}

/// MD and the nvme driver take a device for themselves, once.
fn each_once(name: &KName, slaves: &[KName]) -> Result<(), WhatIfError> {
    let mut seen = BTreeSet::new();
    let double = slaves.iter().find(|slave| !seen.insert(*slave));
    double.map_or(Ok(()), |device| {
        Err(WhatIfError::Double {
            name: name.clone(),
            device: device.clone(),
        })
    })
}

fn only_namespaces(topology: &Topology, head: &KName, paths: &[KName]) -> Result<(), WhatIfError> {
    let other = paths.iter().find(|path| {
        topology.get(path).is_none_or(|device| {
            !matches!(device.kind, Kind::Disk | Kind::NvmePath) || device.nvme.is_none()
        })
    });
    other.map_or(Ok(()), |path| {
        Err(WhatIfError::NoNamespace {
            head: head.clone(),
            path: path.clone(),
        })
    })
}

/// Without the three files: nothing that the prediction could be held against. Blocks are the largest of those below.
fn queue(topology: &Topology, slaves: &[KName]) -> QueueLimits {
    let mut limits = QueueLimits::default();
    limits.set(Attr::WriteZeroesMaxBytes, Reading::NotAsked(NOT_YET));
    limits.set(Attr::WriteZeroesUnmapMaxHwBytes, Reading::Absent);
    limits.set(Attr::WriteZeroesUnmapMaxBytes, Reading::Absent);
    let block = slaves
        .iter()
        .filter_map(|kname| topology.get(kname))
        .filter_map(|device| {
            topology
                .disk_of(device)
                .queue
                .number(Attr::LogicalBlockSize)
                .get()
        })
        .max();
    if let Some(block) = block.and_then(|block| i64::try_from(block).ok()) {
        limits.set(
            Attr::LogicalBlockSize,
            Reading::Present(Value::Number(block)),
        );
    }
    limits
}

fn dm(name: &KName, table: &[Target], find: impl Fn(&str) -> Option<KName>) -> DmFacts {
    let mut table = table.to_vec();
    for part in table.iter_mut().flat_map(|target| &mut target.devices) {
        // By the node that the rules look for; what was not found stays as it was given.
        if let Some(kname) = find(&part.device.to_string()) {
            part.device = DeviceId::Path(kname.node());
        }
    }
    DmFacts {
        name: Reading::Present(name.to_string()),
        uuid: Reading::Absent,
        suspended: Reading::NotAsked(NOT_YET),
        table: Fact {
            reading: Reading::Present(table),
            origin: Origin::Inferred("the command line".into()),
        },
        status: Fact::not_asked(NOT_YET),
        target_versions: Reading::NotAsked(NOT_YET),
        zone_sectors: Reading::NotAsked(NOT_YET),
    }
}

fn md(level: &str, chunk_bytes: u64) -> MdFacts {
    MdFacts {
        level: Reading::Present(level.to_owned()),
        chunk_bytes: Reading::Present(chunk_bytes),
        array_state: Reading::NotAsked(NOT_YET),
        metadata_version: Reading::NotAsked(NOT_YET),
        raid_disks: Reading::NotAsked(NOT_YET),
        members: Vec::new(),
    }
}
