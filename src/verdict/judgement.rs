//! The verdict on one device: the kernel's numbers, the prediction, and what follows from both.

use std::rc::Rc;

use crate::facts::origin::Origin;
use crate::facts::queue::{Attr, QueueLimits};
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::units::{SECTOR, in_words, up_to};
use crate::model::words::words;
use crate::verdict::Judge;
use crate::verdict::conflict;
use crate::verdict::leaf::nvme;
use crate::verdict::prediction::{Limits, Prediction};
use crate::verdict::reason::{Conflict, Evidence, Level, Reason};
use crate::verdict::stacking;

words! {
    /// What becomes of a zeroes request, the weakest first.
    Zeroing {
        Unknown "unknown" "Not enough could be read; the reasons say what to do to know.";
        Unsupported "unsupported" "There is no way to zero it: read-only, or no medium.";
        Software "software" "The kernel writes pages of zeroes.";
        Offload "offload" "The device has a zeroes command, nothing says that it deallocates.";
        Unmap "unmap" "A zeroes request deallocates.";
    }
}

words! {
    /// How the kernel's numbers and the prediction compare.
    Agreement {
        Agree "agree" "wz and hw are equal, and un is equal or lowered by the user.";
        Differ "differ" "Anything else.";
        KernelSilent "kernel-silent" "The kernel has no unmap files, and wz is equal.";
        NotPredicted "not-predicted" "There is no prediction.";
    }
}

/// The three numbers as sysfs has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelLimits {
    /// `write_zeroes_max_bytes`.
    pub wz: Reading<u64>,
    /// `write_zeroes_unmap_max_hw_bytes` (since 6.17).
    pub hw: Reading<u64>,
    /// `write_zeroes_unmap_max_bytes` (since 6.17).
    pub un: Reading<u64>,
}

impl KernelLimits {
    /// Of a queue.
    pub fn of(queue: &QueueLimits) -> Self {
        Self {
            wz: queue.number(Attr::WriteZeroesMaxBytes),
            hw: queue.number(Attr::WriteZeroesUnmapMaxHwBytes),
            un: queue.number(Attr::WriteZeroesUnmapMaxBytes),
        }
    }

    /// Whether this kernel has no unmap files.
    pub fn silent(&self) -> bool {
        self.hw.is_absent() && self.un.is_absent()
    }
}

/// What a device does with a zeroes request, and why.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// What becomes of it.
    pub zeroing: Zeroing,
    /// What one command covers, in bytes; 0 where there is none, `None` where it is not known.
    pub max_bytes: Option<u64>,
    /// One line.
    pub summary: String,
    /// The decisive clause of it alone.
    pub because: String,
    /// The chain, the decisive reason first.
    pub reasons: Vec<Reason>,
    /// What does not fit together.
    pub conflicts: Vec<Conflict>,
}

/// Everything that was concluded of one device.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What the numbers must be.
    pub prediction: Rc<Prediction>,
    /// What they are.
    pub kernel: KernelLimits,
    /// How the two compare.
    pub agreement: Agreement,
}

/// Judges one device.
pub fn judge<'t>(judge: &Judge<'t>, device: &'t BlockDevice) -> Judgement {
    let disk = judge.topology.disk_of(device);
    let kernel = KernelLimits::of(&disk.queue);
    let prediction = judge.predict(&device.kname);
    let agreement = compare(&kernel, &prediction);
    let mut conflicts = conflict::of_device(judge, device, &kernel, &prediction, agreement);
    let by_kernel = by_kernel(&kernel, &prediction);
    let by_prediction = prediction.limits.as_ref().ok().map(class);
    let mut zeroing = match (by_kernel, by_prediction) {
        (Some(kernel), Some(predicted)) if agreement == Agreement::Differ => kernel.min(predicted),
        (Some(kernel), _) => kernel,
        (None, Some(predicted)) => predicted,
        (None, None) => Zeroing::Unknown,
    };
    let mut reasons = Vec::new();
    let mut because = None;
    if zeroing == Zeroing::Unmap
        && let Some(writes) = conflict::written_by_mode(judge, device)
    {
        zeroing = Zeroing::Offload;
        because = Some(writes.text.clone());
        reasons.push(writes);
    }
    if let Some(why) = no_way(device) {
        zeroing = Zeroing::Unsupported;
        because = Some(why.text.clone());
        reasons.insert(0, why);
    }
    let kernel_decides = agreement == Agreement::Differ && by_kernel < by_prediction;
    let because = because.unwrap_or_else(|| {
        let lowered = conflicts.iter().find(|conflict| {
            let lowers = conflict::lowers(conflict.rule);
            conflict.at == device.kname
                && zeroing != Zeroing::Unmap
                && (lowers || (kernel_decides && conflict.rule == "prediction-differs"))
        });
        lowered.map_or_else(
            || clause(&prediction, by_kernel.is_some()),
            |found| found.text.clone(),
        )
    });
    reasons.extend(prediction.reasons.iter().cloned());
    reasons.extend(numbers(device, disk, &kernel));
    conflicts.sort_by_key(|conflict| std::cmp::Reverse(conflict.level));
    let max_bytes = covers(judge, device, zeroing, &kernel, &prediction);
    let summary = summary(zeroing, max_bytes, &because, &prediction);
    let verdict = Verdict {
        zeroing,
        max_bytes,
        summary,
        because,
        reasons,
        conflicts,
    };
    Judgement {
        verdict,
        prediction,
        kernel,
        agreement,
    }
}

/// The decisive clause of a prediction, or why there is none.
fn clause(prediction: &Prediction, kernel_says: bool) -> String {
    match &prediction.limits {
        Ok(_) => decisive(&prediction.reasons),
        Err(unpredicted) if kernel_says => {
            format!("the kernel's numbers alone say so; {}", unpredicted.why)
        }
        Err(unpredicted) => unpredicted.why.clone(),
    }
}

fn class(limits: &Limits) -> Zeroing {
    match limits {
        Limits {
            write_zeroes_max_bytes: 0,
            ..
        } => Zeroing::Software,
        Limits {
            write_zeroes_unmap_max_bytes: 0,
            ..
        } => Zeroing::Offload,
        _ => Zeroing::Unmap,
    }
}

/// What the kernel's own numbers say; where it has no unmap files, the prediction tells whether it would unmap.
fn by_kernel(kernel: &KernelLimits, prediction: &Prediction) -> Option<Zeroing> {
    let wz = kernel.wz.get()?;
    if wz == 0 {
        return Some(Zeroing::Software);
    }
    if kernel.silent() {
        // A zeroes command is there; whether it deallocates only a prediction can tell.
        let predicted = prediction.limits.as_ref().ok()?;
        return Some(match predicted.write_zeroes_unmap_max_bytes {
            0 => Zeroing::Offload,
            _ => Zeroing::Unmap,
        });
    }
    // hw alone is no promise: a runtime disable leaves it behind, and only hw == wz is consistent.
    match (kernel.hw.get(), kernel.un.get()) {
        (Some(hw), _) if hw != wz => Some(Zeroing::Offload),
        (_, Some(0)) => Some(Zeroing::Offload),
        (_, Some(_)) => Some(Zeroing::Unmap),
        (_, None) => None,
    }
}

fn compare(kernel: &KernelLimits, prediction: &Prediction) -> Agreement {
    let Ok(limits) = &prediction.limits else {
        return Agreement::NotPredicted;
    };
    let wz = kernel
        .wz
        .get()
        .map(|wz| wz == limits.write_zeroes_max_bytes);
    if kernel.silent() {
        return if wz == Some(false) {
            Agreement::Differ
        } else {
            Agreement::KernelSilent
        };
    }
    let hw = kernel
        .hw
        .get()
        .map(|hw| hw == limits.write_zeroes_unmap_max_hw_bytes);
    let un = kernel
        .un
        .get()
        .map(|un| un <= limits.write_zeroes_unmap_max_bytes);
    match (wz, hw, un) {
        (Some(true), Some(true), Some(true)) => Agreement::Agree,
        _ => Agreement::Differ,
    }
}

fn no_way(device: &BlockDevice) -> Option<Reason> {
    let file = |name: &str| Origin::File(format!("/{}/{name}", device.syspath));
    if device.size_bytes == Reading::Present(0) {
        let reason = Reason::new(
            "no-medium",
            &device.kname,
            "there is nothing to zero: size 0",
        );
        return Some(reason.because(file("size"), "0"));
    }
    if device.read_only == Reading::Present(true) {
        let text = "the kernel refuses to write to it: read-only (EPERM)";
        return Some(Reason::new("read-only", &device.kname, text).because(file("ro"), "1"));
    }
    None
}

/// The first reason; where it only says which device below decides, with that device's own.
fn decisive(reasons: &[Reason]) -> String {
    let Some(first) = reasons.first() else {
        return String::new();
    };
    let decides = reasons
        .iter()
        .find(|reason| !stacking::PASSES_ON.contains(&reason.rule));
    match decides {
        Some(decides) if decides.at != first.at && !first.text.contains(&decides.text) => {
            format!("{}; {}: {}", first.text, decides.at, decides.text)
        }
        _ => first.text.clone(),
    }
}

/// The kernel's three numbers as the last link of the chain.
fn numbers(device: &BlockDevice, disk: &BlockDevice, kernel: &KernelLimits) -> Option<Reason> {
    let path = device.queue_path();
    let evidence: Vec<Evidence> = [
        (Attr::WriteZeroesMaxBytes, &kernel.wz),
        (Attr::WriteZeroesUnmapMaxHwBytes, &kernel.hw),
        (Attr::WriteZeroesUnmapMaxBytes, &kernel.un),
    ]
    .into_iter()
    .map(|(attr, reading)| {
        let value = match (reading, reading.status()) {
            (Reading::Present(bytes), _) => bytes.to_string(),
            (_, status) => status.unwrap_or_default().to_owned(),
        };
        Evidence::new(Origin::File(format!("{path}/{}", attr.name())), value)
    })
    .collect();
    let text = match (kernel.wz.get(), kernel.silent()) {
        (None, _) => return None,
        (Some(0), _) => "the kernel sends it no zeroes command".to_owned(),
        (Some(wz), true) => {
            format!(
                "the kernel sends zeroes commands {}; it has no unmap limits (before 6.17)",
                up_to(wz)
            )
        }
        (Some(wz), false) => {
            let unmap = match (kernel.hw.get(), kernel.un.get()) {
                (Some(0), _) => "without unmap",
                (Some(_), Some(0)) => "unmap is off",
                _ => "with unmap",
            };
            format!("the kernel sends zeroes commands {}, {unmap}", up_to(wz))
        }
    };
    let mut reason = Reason::new("kernel-limits", &disk.kname, text);
    reason.evidence = evidence;
    Some(reason)
}

/// What one command covers: a bio holds at most 4 GiB less a block, and NVMe counts blocks in 16 bits.
fn covers<'t>(
    judge: &Judge<'t>,
    device: &'t BlockDevice,
    zeroing: Zeroing,
    kernel: &KernelLimits,
    prediction: &Prediction,
) -> Option<u64> {
    match zeroing {
        Zeroing::Unknown => return None,
        Zeroing::Software | Zeroing::Unsupported => return Some(0),
        Zeroing::Offload | Zeroing::Unmap => {}
    }
    let predicted = prediction
        .limits
        .as_ref()
        .ok()
        .map(|limits| limits.write_zeroes_max_bytes);
    let wz = match (kernel.wz.get(), predicted) {
        (Some(kernel), Some(predicted)) if predicted > 0 => kernel.min(predicted),
        (Some(kernel), _) => kernel,
        (None, predicted) => predicted?,
    };
    Some(wz.min(longest(judge, device)))
}

fn longest<'t>(judge: &Judge<'t>, device: &'t BlockDevice) -> u64 {
    const BIO: u64 = 1 << 32;
    let of_one = |device: &BlockDevice| {
        let block = judge
            .topology
            .disk_of(device)
            .queue
            .number(Attr::LogicalBlockSize)
            .get();
        let block = block
            .filter(|block| *block > 0 && *block < BIO)
            .unwrap_or(SECTOR);
        let nvme = device.driver == Some("nvme") && device.kind != Kind::NvmeHead;
        match nvme && !nvme::deallocates_by_quirk(judge, device) {
            true => nvme::LONGEST_BLOCKS * block,
            false => BIO - block,
        }
    };
    judge
        .stack_of(device)
        .into_iter()
        .map(of_one)
        .min()
        .unwrap_or(BIO - SECTOR)
}

fn summary(zeroing: Zeroing, max: Option<u64>, because: &str, prediction: &Prediction) -> String {
    let amount = max.map(in_words).unwrap_or_default();
    let what = match zeroing {
        Zeroing::Unmap => format!("zeroes by deallocating, {amount} a command"),
        Zeroing::Offload => {
            format!("zeroes by a command ({amount} each), deallocation not promised")
        }
        Zeroing::Software => "no zeroes command: the kernel writes pages of zeroes".to_owned(),
        Zeroing::Unsupported => "cannot be zeroed".to_owned(),
        Zeroing::Unknown => "not enough could be read to know".to_owned(),
    };
    let to_know = match &prediction.limits {
        Err(unpredicted) if zeroing == Zeroing::Unknown => unpredicted.to_know.as_deref(),
        _ => None,
    };
    match (because, to_know) {
        ("", None) => what,
        ("", Some(to_know)) => format!("{what}; to know, {to_know}"),
        (because, None) => format!("{what}: {because}"),
        (because, Some(to_know)) => format!("{what}: {because}; to know, {to_know}"),
    }
}

/// Whether a conflict of this level follows a device upwards: data at stake below is at stake above.
pub(super) fn rises(conflict: &Conflict) -> bool {
    conflict.level == Level::Error
}
