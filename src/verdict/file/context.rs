//! What the rules for files rest on, and the questions that several of them ask.

use crate::facts::file::FileFacts;
use crate::facts::kernel::Kernel;
use crate::facts::origin::Origin;
use crate::facts::reading::Reading;
use crate::model::ids::KName;
use crate::verdict::file::answer::{Outcome, Step};
use crate::verdict::judgement::{self, KernelLimits, Zeroing};

/// The newest kernel whose source these rules were read in.
const NEWEST: (u32, u32) = (7, 3);
/// What tells where looking does not.
pub(super) const TRIAL: &str = "only a trial on a scratch file tells: zinspect probe";

/// A device that receives the zeroes, as far as these rules ask.
#[derive(Debug, Clone)]
pub struct Zeroes {
    /// The device.
    pub kname: KName,
    /// The directory with its limits' files.
    pub queue_path: String,
    /// `write_zeroes_max_bytes`.
    pub wz: Reading<u64>,
    /// `write_zeroes_unmap_max_bytes`; absent before 6.17.
    pub un: Reading<u64>,
    /// The verdict on it.
    pub zeroing: Zeroing,
}

/// One file, the kernel, and the devices below it.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The file.
    pub facts: &'a FileFacts,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The devices.
    pub devices: &'a [Zeroes],
}

/// Whether `FALLOC_FL_WRITE_ZEROES` gets past the device.
pub(super) enum Gate {
    /// It does.
    Open(Step),
    /// It does not: EOPNOTSUPP.
    Shut(Step),
    /// That is not known.
    Unknown(Step, String),
}

impl<'a> Context<'a> {
    /// The one device that zeroes go to.
    pub(super) fn device(&self) -> Option<&'a Zeroes> {
        match self.devices {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Whether the kernel is newer than these rules.
    pub(super) fn newer(&self) -> bool {
        self.kernel.at_least(NEWEST.0, NEWEST.1 + 1) == Some(true)
    }

    /// Whether the kernel knows `FALLOC_FL_WRITE_ZEROES` at all. The files came with it (6.17), so they decide where
    /// there is a device.
    pub(super) fn knows_write_zeroes(&self) -> Option<bool> {
        match self.devices.first().map(|device| &device.un) {
            Some(Reading::Present(_)) => Some(true),
            Some(Reading::Absent) => Some(false),
            _ if self.kernel.may_carry(6, 17) => None,
            _ => self.kernel.at_least(6, 17),
        }
    }

    /// The kernel's release as something to rest on.
    pub(super) fn release(&self) -> (Origin, String) {
        (
            Origin::File("/proc/sys/kernel/osrelease".into()),
            self.kernel.release.clone(),
        )
    }

    /// Whether the filesystem has code for the mode since a version.
    pub(super) fn since(&self, major: u32, minor: u32) -> Option<bool> {
        match self.kernel.at_least(major, minor) {
            Some(false) if self.kernel.may_carry(major, minor) => None,
            other => other,
        }
    }

    /// `write_zeroes_unmap_max_bytes` of the device gates the mode on each filesystem that has it.
    pub(super) fn gate(&self) -> Gate {
        let Some(device) = self.device() else {
            let devices = &self.facts.devices;
            let why = devices
                .detail()
                .map_or(String::new(), |why| format!(": {why}"));
            let text =
                format!("the device that would receive the zeroes could not be found out{why}");
            let to_know = match devices {
                Reading::Denied(_) => "run as root, or name the device",
                _ => TRIAL,
            };
            return Gate::Unknown(Step::new("file-device", text), to_know.into());
        };
        let kname = &device.kname;
        let path = Origin::File(format!(
            "{}/write_zeroes_unmap_max_bytes",
            device.queue_path
        ));
        match &device.un {
            Reading::Present(0) => {
                let text = format!("{kname} promises no deallocating zeroes: its unmap limit is 0");
                Gate::Shut(Step::new("file-unmap-limit", text).because(path, "0"))
            }
            Reading::Present(un) => {
                let text = format!("{kname} takes zeroes that deallocate");
                Gate::Open(Step::new("file-unmap-limit", text).because(path, un.to_string()))
            }
            Reading::Absent if self.kernel.at_least(6, 17) != Some(true) => {
                Gate::Shut(self.unknown_flag(path))
            }
            other => {
                let status = other.status().unwrap_or_default();
                let text = format!("the unmap limit of {kname} could not be read");
                Gate::Unknown(
                    Step::new("file-unmap-limit", text).because(path, status),
                    TRIAL.into(),
                )
            }
        }
    }

    fn unknown_flag(&self, path: Origin) -> Step {
        let (origin, release) = self.release();
        Step::new(
            "file-kernel",
            "the kernel does not know FALLOC_FL_WRITE_ZEROES (since 6.17)",
        )
        .because(path, "absent")
        .because(origin, release)
    }

    /// The mode on a filesystem that has no code for it in any known kernel.
    pub(super) fn no_write_zeroes(&self, step: Step) -> Outcome {
        if self.newer() {
            let step = Step {
                text: format!("{}; this kernel is newer than these rules", step.text),
                ..step
            };
            let (origin, release) = self.release();
            return Outcome::unknown(step.because(origin, release), TRIAL);
        }
        Outcome::fails(step, rustix::io::Errno::OPNOTSUPP)
    }
}

/// What the rules ask of the devices that a file's zeroes go to.
pub fn devices(judge: &crate::verdict::Judge, facts: &FileFacts) -> Vec<Zeroes> {
    let names = facts.devices.value().map(Vec::as_slice).unwrap_or_default();
    let found = names.iter().filter_map(|kname| judge.topology.get(kname));
    found
        .map(|device| {
            let limits = KernelLimits::of(&judge.topology.disk_of(device).queue);
            Zeroes {
                kname: device.kname.clone(),
                queue_path: device.queue_path(),
                wz: limits.wz,
                un: limits.un,
                zeroing: judgement::judge(judge, device).verdict.zeroing,
            }
        })
        .collect()
}
