//! What an administrator should look at: `zinspect doctor`. One file for each group of lints.

use crate::facts::kernel::Kernel;
use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

mod access;
mod alignment;
mod conflicts;
mod granularity;
mod io_size;
mod kernel;
mod layers;
mod limits;
mod nvme;
pub mod probed;
pub mod udev_rule;

pub use udev_rule::UdevRule;

/// One thing to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The lint's id, stable over releases; for a conflict its rule's id.
    pub lint: &'static str,
    /// How much it matters.
    pub level: Level,
    /// The device that it stands at; `kernel` for the host's.
    pub at: String,
    /// What was found.
    pub what: String,
    /// Why it matters.
    pub why: &'static str,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What to do, where something helps.
    pub advice: Option<String>,
    /// What keeps it so, where that is proven.
    pub udev_rule: Option<UdevRule>,
}

/// All lints of some devices and of their kernel, the worst first; each finding once.
pub fn run(judge: &Judge, devices: &[&BlockDevice]) -> Vec<Finding> {
    let mut found = kernel::all(judge, devices);
    for device in devices {
        for group in [
            conflicts::all,
            io_size::all,
            granularity::all,
            alignment::all,
            limits::all,
            nvme::all,
            layers::all,
            access::all,
        ] {
            for finding in group(judge, device) {
                if !found.contains(&finding) {
                    found.push(finding);
                }
            }
        }
    }
    found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    found
}

/// A finding at a device.
fn finding(
    device: &BlockDevice,
    lint: &'static str,
    level: Level,
    what: impl Into<String>,
    why: &'static str,
) -> Finding {
    Finding {
        lint,
        level,
        at: device.kname.to_string(),
        what: what.into(),
        why,
        evidence: Vec::new(),
        advice: None,
        udev_rule: None,
    }
}

/// The kernel's release as evidence.
fn release(kernel: &Kernel) -> Evidence {
    use crate::facts::origin::Origin;
    Evidence::new(
        Origin::File("/proc/sys/kernel/osrelease".into()),
        kernel.release.clone(),
    )
}

#[cfg(test)]
mod tests;
