use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::facts::collect::Collector;
use crate::facts::walk;
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
    let families = families(&devices, Options::default());
    let counts = series(&families);
    assert_eq!(counts.len(), devices.len());
    assert!(counts.values().all(|count| *count <= MOST), "{counts:?}");
    assert_eq!(counts.values().max(), Some(&MOST));
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
    assert_eq!(
        said,
        [
            ("c", "error", 2.0),
            ("b", "warning", 1.0),
            ("others", "info", 2.0)
        ]
    );
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
