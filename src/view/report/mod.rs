//! The JSON report, version 1: its types are the contract, its schema is made from them.

use std::rc::Rc;

use zinspect_exporters::Cell;

use crate::facts::needs::Needs;
use crate::facts::queue::{Attr, AttrUnit, QueueLimits, Value};
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::source::Source;
use crate::verdict::Judge;
use crate::verdict::judgement::{self, Agreement, Judgement, KernelLimits, Zeroing};
use crate::verdict::reason::{self, Level};
use crate::verdict::stacking;
use crate::view::section::section;

pub mod file;
pub mod inode;
pub mod nvme;
pub mod scsi;
pub mod stack;
pub mod unread;

use file::FileAnswer;
use unread::{Status, Taker, Unread};

/// Version of the contract. Within it fields are only added.
pub const SCHEMA_VERSION: u32 = 1;

/// What `zinspect -o json` prints.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub struct Report<L> {
    /// Version of this contract.
    pub schema_version: u32,
    /// Version of zinspect.
    pub zinspect: String,
    /// Release of the host's kernel; null where it could not be read.
    pub kernel: Option<String>,
    /// Where the readings come from.
    pub source: Source,
    /// The targets in the order given, then every device below them.
    pub devices: L,
    /// Answers for files.
    pub files: Vec<FileAnswer>,
}

/// A block device.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct Device {
    /// Kernel name.
    pub kname: String,
    /// Node: /dev/mapper/NAME for device-mapper; null for a hidden path.
    pub path: Option<String>,
    /// MAJ:MIN; null for a hidden path.
    pub devno: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// The kernel driver that made it, where name or place tells.
    pub driver: Option<String>,
    /// Size in bytes.
    pub size_bytes: Option<u64>,
    /// What becomes of a zeroes request, and why.
    pub verdict: Verdict,
    /// The three numbers as they follow from the device's facts and its slaves; null where a fact is missing.
    pub predicted: Option<Predicted>,
    /// The three numbers as sysfs has them.
    pub kernel: KernelNumbers,
    /// How the two compare.
    pub agreement: Agreement,
    /// Every limit of the queue by its sysfs name; a partition shows its disk's.
    pub queue: Queue,
    /// NVMe.
    pub nvme: Option<nvme::Nvme>,
    /// SCSI.
    pub scsi: Option<scsi::Scsi>,
    /// Device-mapper.
    pub dm: Option<stack::Dm>,
    /// MD.
    pub md: Option<stack::Md>,
    /// Loop.
    #[serde(rename = "loop")]
    pub loop_: Option<stack::Loop>,
    /// virtio-blk.
    pub virtio: Option<stack::Virtio>,
    /// The udev database.
    pub udev: Option<stack::Udev>,
    /// Read-only.
    pub read_only: Option<bool>,
    /// The medium can be taken out.
    pub removable: Option<bool>,
    /// Number that each disk gets anew when it appears.
    pub diskseq: Option<u64>,
    /// The disk of a partition.
    pub disk: Option<String>,
    /// Where a partition begins on its disk.
    pub start_bytes: Option<u64>,
    /// Where it is mounted.
    pub mountpoints: Option<Vec<String>>,
    /// Devices it stands on; for a multipath head its paths.
    pub slaves: Vec<String>,
    /// Devices that stand on it.
    pub holders: Vec<String>,
    /// Its partitions.
    pub partitions: Vec<String>,
    /// Why values that this device could have are null, and which slaves could not be read.
    pub unread: Vec<Unread>,
}

/// What becomes of a zeroes request, and why.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct Verdict {
    /// unmap, offload, software, unsupported, unknown.
    pub zeroing: Zeroing,
    /// What one command covers in bytes; 0 for software, null for unknown.
    pub max_bytes: Option<u64>,
    /// One line.
    pub summary: String,
    /// The decisive clause of it alone.
    pub because: String,
    /// The chain of reasons, the decisive one first.
    pub reasons: Vec<Reason>,
    /// What does not fit together.
    pub conflicts: Vec<Conflict>,
}

/// A step of the chain.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct Reason {
    /// Stable id of the rule.
    pub rule: String,
    /// The device that it holds for.
    pub at: String,
    /// A sentence.
    pub text: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
}

/// A value that a reason rests on.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct Evidence {
    /// File, command with byte, table line, or rule of the kernel.
    pub origin: String,
    /// What it says there.
    pub value: String,
}

/// Two things that do not fit together.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct Conflict {
    /// Stable id of the rule.
    pub rule: String,
    /// info, warning, error.
    pub level: Level,
    /// The device that it stands at.
    pub at: String,
    /// What does not fit, and what follows.
    pub text: String,
    /// What to do; null where nothing helps.
    pub advice: Option<String>,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
}

section! {
    /// The three numbers as they follow from the device's facts and its slaves.
    Predicted at "predicted", |device| device.predicted.as_ref();
    fields {
        /// Largest zeroes command.
        write_zeroes_max_bytes: u64, "WZ-PREDICTED", Bytes;
        /// Largest zeroes command that deallocates.
        write_zeroes_unmap_max_hw_bytes: u64, "WZU-HW-PREDICTED", Bytes;
        /// The same, unless the user switched it off.
        write_zeroes_unmap_max_bytes: u64, "WZU-PREDICTED", Bytes;
    }
}

section! {
    /// The three numbers as sysfs has them; null where the kernel has no such file.
    KernelNumbers at "kernel", |device| Some(&device.kernel);
    fields {
        /// Largest zeroes command (since 4.10).
        write_zeroes_max_bytes: Option<u64>, "WZ", Bytes;
        /// Largest zeroes command that deallocates (since 6.17).
        write_zeroes_unmap_max_hw_bytes: Option<u64>, "WZU-HW", Bytes;
        /// The same, unless the user wrote 0; more than 0 opens FALLOC_FL_WRITE_ZEROES (since 6.17).
        write_zeroes_unmap_max_bytes: Option<u64>, "WZU", Bytes;
    }
}

/// The limits of a queue, written by their sysfs names; one whose name is not here was not asked for.
#[derive(Debug, Clone)]
pub struct Queue(Rc<QueueLimits>);

impl Queue {
    /// An attribute as a cell.
    pub fn cell(&self, attr: Attr) -> Cell {
        let spec = attr.spec();
        match self.0.reading(attr) {
            Reading::Present(Value::Text(text)) => Cell::Text(text.to_string().into()),
            Reading::Present(Value::Number(number)) => match (u64::try_from(*number), spec.unit) {
                (Err(_), _) => Cell::Text(number.to_string().into()),
                (Ok(number), AttrUnit::Bytes) => Cell::Bytes(number),
                (Ok(number), AttrUnit::Kib) => number
                    .checked_mul(1024)
                    .map_or(Cell::UInt(number), Cell::Bytes),
                (Ok(number), _) => Cell::UInt(number),
            },
            other => Cell::Missing(Status::of(other).map_or("", Status::word)),
        }
    }

    /// What was read.
    pub fn limits(&self) -> &QueueLimits {
        &self.0
    }
}

impl serde::Serialize for Queue {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        for (attr, reading) in self.0.iter() {
            match reading {
                Reading::Present(Value::Number(number)) => {
                    map.serialize_entry(attr.name(), number)?;
                }
                Reading::Present(Value::Text(text)) => map.serialize_entry(attr.name(), text)?,
                _ => map.serialize_entry(attr.name(), &None::<u64>)?,
            }
        }
        map.end()
    }
}

impl schemars::JsonSchema for Queue {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Queue".into()
    }

    fn json_schema(_generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let properties: serde_json::Map<String, serde_json::Value> = crate::facts::queue::ATTRS
            .iter()
            .map(|spec| {
                let kind = if spec.unit == AttrUnit::Text {
                    "string"
                } else {
                    "integer"
                };
                let description = format!("{} (since {})", spec.help, spec.since);
                let schema =
                    serde_json::json!({ "type": [kind, "null"], "description": description });
                (spec.name.to_owned(), schema)
            })
            .collect();
        schemars::json_schema!({
            "type": "object",
            "description": "Every limit of the queue by its sysfs name.",
            "properties": properties,
            "additionalProperties": { "type": ["integer", "string", "null"] },
        })
    }
}

impl Device {
    /// The report on one device.
    pub fn new(judge: &Judge, device: &BlockDevice, needs: Needs) -> Self {
        let judgement = judgement::judge(judge, device);
        let mut taker = Taker::default();
        let disk = judge.topology.disk_of(device);
        let devno = taker.take("devno", &device.devno);
        let kernel = kernel_numbers(&mut taker, &judgement.kernel);
        for attr in needs.queue.iter() {
            taker.take(attr.spec().key, disk.queue.reading(attr));
        }
        let predicted = predicted(&mut taker, &judgement);
        let hidden = device.kind == Kind::NvmePath && devno.is_none();
        unresolved(judge, device, &mut taker);
        let names = |names: &[KName]| names.iter().map(ToString::to_string).collect();
        Self {
            kname: device.kname.to_string(),
            path: (!hidden).then(|| path(device)),
            devno: devno.map(|devno| devno.to_string()),
            kind: device.kind,
            driver: device.driver.or(disk.driver).map(str::to_owned),
            size_bytes: taker.take("size_bytes", &device.size_bytes),
            verdict: Verdict::of(&judgement),
            predicted,
            kernel,
            agreement: judgement.agreement,
            queue: Queue(disk.queue.clone()),
            nvme: nvme::of(device, &mut taker),
            scsi: scsi::of(judge, device, &mut taker),
            dm: stack::dm(device, &mut taker),
            md: stack::md(device, &mut taker),
            loop_: stack::loop_(device, &mut taker),
            virtio: stack::virtio(device, &mut taker),
            udev: stack::udev(device, &mut taker),
            read_only: taker.take("read_only", &device.read_only),
            removable: taker.take("removable", &device.removable),
            diskseq: taker.take("diskseq", &device.diskseq),
            disk: device.disk.as_ref().map(ToString::to_string),
            start_bytes: match device.kind {
                Kind::Partition => taker.take("start_bytes", &device.start_bytes),
                _ => None,
            },
            mountpoints: taker.take("mountpoints", &device.mountpoints),
            slaves: names(&device.slaves),
            holders: names(&device.holders),
            partitions: names(&device.partitions),
            unread: taker.unread,
        }
    }

    /// Why a value is null, as a cell.
    pub fn missing(&self, field: &str) -> Cell {
        let found = self.unread.iter().find(|unread| unread.field == field);
        Cell::Missing(found.map_or("", |unread| unread.status.word()))
    }
}

/// Slaves that could not be read are named, though nothing else is known of them.
fn unresolved(judge: &Judge, device: &BlockDevice, taker: &mut Taker) {
    for (field, reading) in &device.unlisted {
        taker.take(*field, reading);
    }
    for kname in judge
        .topology
        .below(device)
        .filter(|kname| judge.topology.get(kname).is_none())
    {
        let detail = Some(format!("{kname} could not be read"));
        taker.unread.push(Unread {
            field: "slaves".into(),
            status: Status::Absent,
            detail,
        });
    }
}

/// The node people know it by.
fn path(device: &BlockDevice) -> String {
    match device.dm.as_deref().and_then(|dm| dm.name.value()) {
        Some(name) => format!("/dev/mapper/{name}"),
        None => device.kname.node(),
    }
}

fn kernel_numbers(taker: &mut Taker, kernel: &KernelLimits) -> KernelNumbers {
    KernelNumbers {
        write_zeroes_max_bytes: taker.take("kernel.write_zeroes_max_bytes", &kernel.wz),
        write_zeroes_unmap_max_hw_bytes: taker
            .take("kernel.write_zeroes_unmap_max_hw_bytes", &kernel.hw),
        write_zeroes_unmap_max_bytes: taker.take("kernel.write_zeroes_unmap_max_bytes", &kernel.un),
    }
}

fn predicted(taker: &mut Taker, judgement: &Judgement) -> Option<Predicted> {
    match &judgement.prediction.limits {
        Ok(limits) => Some(Predicted {
            write_zeroes_max_bytes: limits.write_zeroes_max_bytes,
            write_zeroes_unmap_max_hw_bytes: limits.write_zeroes_unmap_max_hw_bytes,
            write_zeroes_unmap_max_bytes: limits.write_zeroes_unmap_max_bytes,
        }),
        Err(unpredicted) => {
            let detail = match &unpredicted.to_know {
                Some(to_know) => format!("{}; to know, {to_know}", unpredicted.why),
                None => unpredicted.why.clone(),
            };
            let (field, status) = ("predicted".into(), Status::NotAsked);
            taker.unread.push(Unread {
                field,
                status,
                detail: Some(detail),
            });
            None
        }
    }
}

impl Verdict {
    /// The reason that decides: the first that is not "the weakest device below decides".
    pub fn decides(&self) -> Option<&Reason> {
        self.reasons
            .iter()
            .find(|reason| !stacking::PASSES_ON.contains(&reason.rule.as_str()))
    }

    fn of(judgement: &Judgement) -> Self {
        let verdict = &judgement.verdict;
        Self {
            zeroing: verdict.zeroing,
            max_bytes: verdict.max_bytes,
            summary: verdict.summary.clone(),
            because: verdict.because.clone(),
            reasons: verdict.reasons.iter().map(Reason::of).collect(),
            conflicts: verdict.conflicts.iter().map(Conflict::of).collect(),
        }
    }
}

impl Reason {
    fn of(reason: &reason::Reason) -> Self {
        Self {
            rule: reason.rule.to_owned(),
            at: reason.at.to_string(),
            text: reason.text.clone(),
            evidence: Evidence::all(&reason.evidence),
        }
    }
}

impl Conflict {
    fn of(conflict: &reason::Conflict) -> Self {
        Self {
            rule: conflict.rule.to_owned(),
            level: conflict.level,
            at: conflict.at.to_string(),
            text: conflict.text.clone(),
            advice: conflict.advice.clone(),
            evidence: Evidence::all(&conflict.evidence),
        }
    }
}

impl Evidence {
    pub(in crate::view) fn all(evidence: &[reason::Evidence]) -> Vec<Self> {
        let view = |one: &reason::Evidence| Self {
            origin: one.origin.to_string(),
            value: one.value.clone(),
        };
        evidence.iter().map(view).collect()
    }
}

/// The contract as a JSON Schema.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Report<Vec<Device>>)
}
