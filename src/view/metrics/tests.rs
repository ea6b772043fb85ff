use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::facts::collect::Collector;
use crate::facts::walk;
use crate::model::ids::KName;
use crate::probe::outcome::Outcome;
use crate::probe::plan::{Method, Mode};
use crate::probe::store::{Probed, Record, StoreError, Tried};
use crate::source::open;
use crate::verdict::Judge;
use crate::verdict::reason::Level;
use crate::view::report::Conflict;

/// NVMe with and without multipath, three kinds of SCSI disk, a virtio disk: a captured virtual machine.
fn devices(options: Options) -> Vec<Device> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts/vm-7.3.tar.gz");
    let host = open::capture(&file, true).unwrap();
    let collector = Collector::new(&host, needs(options));
    let collected = walk::all(&collector).unwrap();
    let judge = Judge::new(&collected.topology, &collector.kernel);
    let devices = collected.topology.iter();
    devices
        .map(|device| Device::new(&judge, device, collector.needs))
        .collect()
}

fn conflict(rule: &str, level: Level) -> Conflict {
    Conflict {
        rule: rule.to_owned(),
        level,
        at: "sda".to_owned(),
        text: String::new(),
        advice: None,
        evidence: Vec::new(),
    }
}

fn series(families: &[Family]) -> BTreeMap<String, usize> {
    let mut count = BTreeMap::new();
    for sample in families.iter().flat_map(|family| &family.samples) {
        let device = sample.labels.iter().find(|(name, _)| *name == "device");
        *count.entry(device.unwrap().1.clone()).or_default() += 1;
    }
    count
}

fn value(families: &[Family], name: &str, device: &str) -> Option<f64> {
    let family = families.iter().find(|family| family.name == name).unwrap();
    let of = |labels: &[(&str, String)]| labels.contains(&("device", device.to_owned()));
    let found = family.samples.iter().find(|sample| of(&sample.labels));
    found.map(|sample| sample.value)
}

#[test]
fn no_device_has_more_series_than_is_promised_however_many_conflicts_it_has() {
    let mut devices = devices(Options::default());
    for device in &mut devices {
        for rule in ["a", "b", "c", "d", "d"] {
            let level = if rule == "d" {
                Level::Error
            } else {
                Level::Info
            };
            device.verdict.conflicts.push(conflict(rule, level));
        }
    }
    let mut families = families(&devices, Options::default());
    families.extend(of_devices(probe::families(&devices, &probed(&devices))));
    let counts = series(&families);
    assert_eq!(counts.len(), devices.len());
    assert!(counts.values().all(|count| *count <= MOST), "{counts:?}");
    assert_eq!(counts.values().max(), Some(&MOST));
}

/// Without the families of the host.
fn of_devices(families: Vec<Family>) -> Vec<Family> {
    let of = |family: &Family| family.name != "zinspect_probe_results_unreadable";
    families.into_iter().filter(of).collect()
}

fn record(results: &[(Method, Outcome)]) -> Record {
    let tried = |(method, outcome): &(Method, Outcome)| Tried {
        method: *method,
        leg: None,
        outcome: *outcome,
        bytes_per_second: None,
    };
    Record {
        version: 1,
        identity: "naa.1".to_owned(),
        identity_lasts: true,
        boot_id: String::new(),
        kname: "sda".to_owned(),
        target: "sda".to_owned(),
        mode: Mode::Preserve,
        time: 1_796_053_813,
        results: results.iter().map(tried).collect(),
        times_faster_than_writing: Some(8.5),
        summary: String::new(),
        path: "".into(),
    }
}

/// Each device with a result of every method.
fn probed(devices: &[Device]) -> Probed {
    let all: Vec<_> = Method::ALL
        .iter()
        .map(|method| (*method, Outcome::ZeroedUnmapped))
        .collect();
    let of = devices.iter();
    Probed {
        of: of
            .map(|device| (KName::new(&device.kname).unwrap(), record(&all)))
            .collect(),
        bad: Vec::new(),
    }
}

#[test]
fn a_probe_is_told_by_its_outcomes_its_time_and_its_speed() {
    let mut devices = devices(Options::default());
    devices.retain(|device| device.kname == "sda" || device.kname == "sdb");
    let results = [
        (Method::Pwrite, Outcome::ZeroedWritten),
        (Method::BlkZeroOut, Outcome::NotZeroed),
        (Method::FallocateWriteZeroes, Outcome::Rejected),
        // Two legs.
        (Method::ScsiWriteSame16, Outcome::ZeroedUnmapped),
        (Method::ScsiWriteSame16, Outcome::PartlyZeroed),
        // A discard promises nothing.
        (Method::BlkDiscard, Outcome::NotZeroed),
    ];
    let probed = Probed {
        of: [(KName::new("sda").unwrap(), record(&results))].into(),
        bad: vec![StoreError {
            path: "x".into(),
            why: "y".to_owned(),
            denied: false,
        }],
    };
    let families = probe::families(&devices, &probed);
    let [outcomes, ratio, unreadable] = &families[..] else {
        panic!("{families:?}");
    };
    let [sample] = &outcomes.samples[..] else {
        panic!("{outcomes:?}");
    };
    let labels: Vec<(&str, &str)> = sample
        .labels
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    assert_eq!(
        labels,
        [
            ("device", "sda"),
            ("blkdiscard", "not-zeroed"),
            ("blkzeroout", "not-zeroed"),
            ("fallocate_write_zeroes", "rejected"),
            ("fault", "not-zeroed"),
            ("mode", "preserve"),
            ("pwrite", "zeroed-written"),
            ("scsi_write_same_16", "partly-zeroed"),
        ]
    );
    assert_eq!(
        value(&families, outcomes.name, "sda"),
        Some(1_796_053_813.0)
    );
    assert_eq!(value(&families, ratio.name, "sda"), Some(8.5));
    assert_eq!(value(&families, ratio.name, "sdb"), None);
    let count = unreadable.samples.first().map(|sample| sample.value);
    assert_eq!(count, Some(1.0));
}

#[test]
fn what_an_alert_asks_for_by_name_is_named() {
    let mut devices = devices(Options::default());
    devices.truncate(1);
    devices[0].verdict.conflicts = vec![
        conflict("a", Level::Error),
        conflict("runtime-disabled", Level::Warning),
        conflict("b", Level::Error),
    ];
    let families = families(&devices, Options::default());
    let family = families.iter().find(|f| f.name == "zinspect_conflicts");
    let said: Vec<(&str, f64)> = family
        .unwrap()
        .samples
        .iter()
        .map(|s| (s.labels[1].1.as_str(), s.value))
        .collect();
    assert_eq!(said, [("runtime-disabled", 1.0), ("others", 2.0)]);
}

#[test]
fn the_gravest_conflicts_are_named_and_the_rest_is_counted() {
    let mut devices = devices(Options::default());
    devices.truncate(1);
    let device = devices.first_mut().unwrap();
    device.verdict.conflicts = vec![
        conflict("a", Level::Info),
        conflict("b", Level::Warning),
        conflict("c", Level::Error),
        conflict("c", Level::Error),
        conflict("d", Level::Info),
    ];
    let families = families(&devices, Options::default());
    let family = families.iter().find(|f| f.name == "zinspect_conflicts");
    let said: Vec<(&str, &str, f64)> = family
        .unwrap()
        .samples
        .iter()
        .map(|s| (s.labels[1].1.as_str(), s.labels[2].1.as_str(), s.value))
        .collect();
    assert_eq!(said, [("c", "error", 2.0), ("others", "warning", 3.0)]);
}

#[test]
fn what_is_unknown_has_no_sample_and_zero_has_one() {
    let families = families(&devices(Options::default()), Options::default());
    let of = |name, device| value(&families, name, device);
    assert_eq!(of("zinspect_nvme_dlfeat_deac", "nvme1n1"), Some(0.0));
    assert_eq!(of("zinspect_nvme_dlfeat_deac", "sda"), None);
    assert_eq!(
        of("zinspect_queue_write_zeroes_max_bytes", "sda"),
        Some(0.0)
    );
    assert_eq!(
        of("zinspect_queue_write_zeroes_max_bytes", "nvme1n1"),
        Some(524_288.0)
    );
}

#[test]
fn every_number_of_the_queue_is_there_on_request_in_bytes_and_seconds() {
    let options = Options { all_limits: true };
    let families = families(&devices(options), options);
    let of = |name| value(&families, name, "nvme1n1");
    assert_eq!(of("zinspect_queue_max_hw_transfer_bytes"), Some(524_288.0));
    assert_eq!(of("zinspect_queue_io_timeout_seconds"), Some(30.0));
    let mut names: Vec<&str> = families.iter().map(|family| family.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "two attributes share a metric");
}
