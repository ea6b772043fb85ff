//! The host that the arguments name.

use super::RunError;
use super::args::HostArgs;
use crate::facts::collect::Collector;
use crate::facts::target::{self, TargetError};
use crate::facts::walk::{self, Collected};
use crate::model::ids::KName;
use crate::source::{Host, open};

/// Opens it.
pub(super) fn open(args: &HostArgs) -> Result<Host, RunError> {
    Ok(match (&args.snapshot, &args.sysroot) {
        (Some(file), _) => open::capture(file, !args.no_ioctl)?,
        (None, Some(dir)) => open::sysroot(dir)?,
        (None, None) => open::live(!args.no_ioctl)?,
    })
}

/// The devices that words stand for, each once, and the words that stand for none.
pub(super) fn resolve(collector: &Collector, words: &[String]) -> (Vec<KName>, Vec<TargetError>) {
    let mut targets: Vec<KName> = Vec::new();
    let mut failures = Vec::new();
    for word in words {
        match target::resolve(collector, word) {
            Ok(found) => {
                for kname in found {
                    if !targets.contains(&kname) {
                        targets.push(kname);
                    }
                }
            }
            Err(error) => failures.push(error),
        }
    }
    (targets, failures)
}

/// All devices, or these with what they stand on.
pub(super) fn collect(
    collector: &Collector,
    targets: Option<&[KName]>,
) -> Result<Collected, RunError> {
    Ok(match targets {
        None => walk::all(collector)?,
        Some(targets) => walk::with_stacks(collector, targets),
    })
}
