//! Families of probes: what the last one of each device found, and when.

use std::collections::BTreeMap;

use zinspect_exporters::{Family, Sample};

use super::{number, sample};
use crate::model::ids::KName;
use crate::probe::outcome::Outcome;
use crate::probe::plan::{Method, Mode};
use crate::probe::store::{FAULTS, Probed, Record};
use crate::view::report::Device;

/// The families of these devices and of what is kept as a whole.
pub fn families(devices: &[Device], probed: &Probed) -> Vec<Family> {
    let kept = |device: &Device| {
        let kname = KName::new(&device.kname)?;
        probed.of.get(&kname)
    };
    let each = |pick: &dyn Fn(&Device, &Record) -> Option<Sample>| {
        let samples = devices
            .iter()
            .filter_map(|device| pick(device, kept(device)?));
        samples.collect()
    };
    vec![
        Family {
            name: "zinspect_probe_timestamp_seconds",
            help: "When zinspect probe last tried the device, in seconds since 1970. A label for each method that was tried has its outcome; label fault has the worst of them where one zeroed wrongly or hung.",
            samples: each(&|device, record| Some(outcomes(device, record))),
        },
        Family {
            name: "zinspect_probe_speed_ratio",
            help: "How many times faster than writing the fastest way to zero was in the last probe.",
            samples: each(&|device, record| {
                let times = record.times_faster_than_writing?;
                Some(sample(device, &[], times))
            }),
        },
        Family {
            name: "zinspect_probe_results_unreadable",
            help: "Kept results of probes that could not be read, or made no sense.",
            samples: vec![Sample {
                labels: Vec::new(),
                value: number(probed.bad.len() as u64),
            }],
        },
    ]
}

fn outcomes(device: &Device, record: &Record) -> Sample {
    let mode = match record.mode {
        Mode::Scratch => "scratch",
        Mode::Preserve => "preserve",
        Mode::Destroy => "destroy",
    };
    let mut labels: BTreeMap<&'static str, &str> = BTreeMap::new();
    labels.insert("mode", mode);
    for tried in &record.results {
        let word = labels.entry(label(tried.method)).or_default();
        // Of the legs of a multipath map, the one that fares worst.
        if worse(tried.outcome.word(), word) {
            *word = tried.outcome.word();
        }
    }
    if let Some(tried) = record.fault() {
        labels.insert("fault", tried.outcome.word());
    }
    let labels: Vec<_> = labels.into_iter().collect();
    sample(device, &labels, number(record.time))
}

fn worse(new: &str, old: &str) -> bool {
    let rank = |word: &str| FAULTS.iter().position(|fault| fault.word() == word);
    match (rank(new), rank(old)) {
        _ if old.is_empty() => true,
        (Some(new), Some(old)) => new < old,
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => new == Outcome::Rejected.word(),
    }
}

/// A method as a label's name, which has no hyphens.
fn label(method: Method) -> &'static str {
    match method {
        Method::Pwrite => "pwrite",
        Method::BlkZeroOut => "blkzeroout",
        Method::FallocateWriteZeroes => "fallocate_write_zeroes",
        Method::FallocateZeroRange => "fallocate_zero_range",
        Method::FallocatePunchHole => "fallocate_punch_hole",
        Method::NvmeWriteZeroes => "nvme_write_zeroes",
        Method::NvmeWriteZeroesDeac => "nvme_write_zeroes_deac",
        Method::ScsiWriteSame16 => "scsi_write_same_16",
        Method::ScsiWriteSame16Ndob => "scsi_write_same_16_ndob",
        Method::ScsiWriteSame16Unmap => "scsi_write_same_16_unmap",
        Method::ScsiWriteSame10 => "scsi_write_same_10",
        Method::ScsiWriteSame10Unmap => "scsi_write_same_10_unmap",
        Method::BlkDiscard => "blkdiscard",
        Method::UringDiscard => "uring_discard",
    }
}

#[cfg(test)]
mod tests {
    use super::label;
    use crate::probe::plan::Method;

    #[test]
    fn a_label_is_the_methods_word() {
        for method in Method::ALL {
            assert_eq!(label(*method).replace('_', "-"), method.word());
        }
    }
}
