use std::rc::Rc;

use super::{Finding, conflicts, run};
use crate::facts::kernel::Kernel;
use crate::facts::loop_::LoopFacts;
use crate::facts::queue::{Attr, Value};
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::model::topology::Topology;
use crate::verdict::Judge;
use crate::verdict::reason::Level;

fn disk(name: &str, kind: Kind, limits: &[(Attr, i64)]) -> BlockDevice {
    let kname = KName::new(name).expect("a name");
    let driver = (kind == Kind::Disk).then_some("sd");
    let mut device = BlockDevice::new(kname, format!("sys/block/{name}"), kind, driver);
    for (attr, number) in limits {
        Rc::make_mut(&mut device.queue).set(*attr, Reading::Present(Value::Number(*number)));
    }
    device
}

fn lints(devices: Vec<BlockDevice>, release: &str) -> Vec<Finding> {
    let mut topology = Topology::default();
    for device in devices {
        topology.add(device);
    }
    let kernel = Kernel::parse(release);
    let judge = Judge::new(&topology, &kernel);
    let devices: Vec<&BlockDevice> = topology.iter().collect();
    run(&judge, &devices)
}

fn ids(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.lint).collect()
}

fn io_size(optimal: i64, least: i64) -> Option<Level> {
    let limits = [
        (Attr::LogicalBlockSize, 512),
        (Attr::MinimumIoSize, least),
        (Attr::OptimalIoSize, optimal),
    ];
    lints(vec![disk("sdx", Kind::Disk, &limits)], "7.3.4")
        .first()
        .map(|finding| finding.level)
}

#[test]
fn optimal_io_sizes_that_no_device_can_mean() {
    assert_eq!(io_size(0, 512), None);
    assert_eq!(io_size(1 << 20, 4096), None);
    // The largest transfer, rounded down to the page (mpt3sas), and as it is.
    assert_eq!(io_size(33_553_920, 512), Some(Level::Warning));
    assert_eq!(io_size(33_550_336, 4096), Some(Level::Warning));
    assert_eq!(io_size(4_293_918_720, 512), Some(Level::Warning));
    assert_eq!(io_size(1 << 20, 786_432), Some(Level::Warning));
    assert_eq!(io_size(3 << 19, 1 << 19), Some(Level::Info));
}

#[test]
fn absurd_sizes_are_told_and_reckoned_without_overflow() {
    let limits = |block: i64, optimal: i64| {
        let limits = [
            (Attr::LogicalBlockSize, block),
            (Attr::OptimalIoSize, optimal),
        ];
        ids(&lints(vec![disk("sdx", Kind::Disk, &limits)], "7.3.4"))
    };
    assert_eq!(limits(i64::MAX, i64::MAX), ["optimal-io-size"]);
    assert_eq!(limits(i64::MAX, 0), Vec::<&str>::new());
    assert_eq!(limits(512, i64::MAX), ["optimal-io-size"]);
}

#[test]
fn discard_without_a_granularity() {
    let limits = [(Attr::DiscardGranularity, 0), (Attr::DiscardMaxBytes, 4096)];
    let found = lints(vec![disk("sdx", Kind::Disk, &limits)], "7.3.4");
    assert_eq!(ids(&found), ["discard-granularity-0"]);
    let limits = [(Attr::DiscardGranularity, 0), (Attr::DiscardMaxBytes, 0)];
    assert!(lints(vec![disk("sdx", Kind::Disk, &limits)], "7.3.4").is_empty());
}

#[test]
fn a_partition_in_the_middle_of_a_block() {
    let at = |start: u64| {
        let disk_of = disk("sdx", Kind::Disk, &[(Attr::PhysicalBlockSize, 4096)]);
        let mut part = disk("sdx1", Kind::Partition, &[]);
        part.disk = Some(disk_of.kname.clone());
        part.start_bytes = Reading::Present(start);
        ids(&lints(vec![disk_of, part], "7.3.4")).contains(&"partition-misaligned")
    };
    assert!(at(63 * 512));
    assert!(!at(1 << 20));
}

#[test]
fn where_blocks_begin_off_0_partitions_do_too() {
    let at = |start: u64, offset: u64| {
        let mut disk_of = disk("sdx", Kind::Disk, &[(Attr::PhysicalBlockSize, 4096)]);
        disk_of.alignment_offset = Reading::Present(offset);
        let mut part = disk("sdx1", Kind::Partition, &[]);
        part.disk = Some(disk_of.kname.clone());
        part.start_bytes = Reading::Present(start);
        lints(vec![disk_of, part], "7.3.4")
            .first()
            .and_then(|found| found.advice.clone())
    };
    // Drives made for partitions at sector 63: their first whole block begins 7 sectors in.
    assert_eq!(at(63 * 512, 3584), None);
    let advice = at(64 * 512, 3584).expect("a finding");
    assert!(advice.ends_with("1 MiB and 3584 bytes"), "{advice}");
    assert_eq!(at(64 * 512, 0), None);
}

#[test]
fn the_advised_place_is_a_multiple_of_the_unit() {
    let advice = |unit: i64| {
        let limits = [(Attr::DiscardGranularity, unit)];
        let disk_of = disk("sdx", Kind::Disk, &limits);
        let mut part = disk("sdx1", Kind::Partition, &[]);
        part.disk = Some(disk_of.kname.clone());
        part.start_bytes = Reading::Present(1 << 20);
        lints(vec![disk_of, part], "7.3.4")
            .into_iter()
            .find(|found| found.lint == "partition-misaligned")
            .and_then(|found| found.advice)
    };
    assert_eq!(advice(1 << 20), None);
    assert!(advice(4 << 20).is_some_and(|text| text.ends_with(" 4 MiB")));
    assert!(advice(3 << 20).is_some_and(|text| text.ends_with(" 3 MiB")));
    assert!(advice(196_608).is_some_and(|text| text.ends_with(" 3 MiB")));
}

#[test]
fn a_node_that_others_may_open() {
    let with = |mode: u32, kind: Kind| {
        let mut device = disk("sdx", kind, &[]);
        device.node_mode = Reading::Present(mode);
        lints(vec![device], "7.3.4").first().map(|f| f.level)
    };
    assert_eq!(with(0o660, Kind::Disk), None);
    // UNMAP passes with a descriptor for reading, on ten kernels from 6.1 to 7.3.
    assert_eq!(with(0o664, Kind::Disk), Some(Level::Error));
    assert_eq!(with(0o664, Kind::Null), Some(Level::Warning));
    assert_eq!(with(0o666, Kind::Null), Some(Level::Error));
}

#[test]
fn a_generic_node_that_others_may_open_is_one_of_the_disk() {
    let with = |mode: u32| {
        let mut device = disk("sdx", Kind::Disk, &[]);
        device.node_mode = Reading::Present(0o660);
        device.sg_node = Some(("/dev/sg3".into(), Reading::Present(mode)));
        lints(vec![device], "7.3.4")
    };
    assert!(with(0o660).is_empty());
    let found = with(0o664);
    let [found] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((found.at.as_str(), found.level), ("sdx", Level::Error));
    assert!(found.what.contains("/dev/sg3"), "{}", found.what);
    assert!(
        found
            .advice
            .as_ref()
            .is_some_and(|text| text.starts_with("chmod o-rwx /dev/sg3"))
    );
}

#[test]
fn a_partitions_node_takes_no_scsi_command() {
    let disk_of = disk("sdx", Kind::Disk, &[]);
    let mut part = disk("sdx1", Kind::Partition, &[]);
    part.disk = Some(disk_of.kname.clone());
    part.node_mode = Reading::Present(0o664);
    let found = lints(vec![disk_of, part], "7.3.4");
    let [found] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((found.at.as_str(), found.level), ("sdx1", Level::Warning));
    assert!(!found.why.contains("UNMAP"), "{}", found.why);
    assert_eq!(found.evidence.len(), 1, "{:?}", found.evidence);
}

#[test]
fn kernels_that_discard_wrongly_are_named() {
    let on = |release: &str| ids(&lints(vec![disk("md0", Kind::Md, &[])], release)).join(" ");
    assert!(on("7.0.13").contains("kernel-uring-discard-range"));
    assert!(!on("7.1.13").contains("kernel-uring"));
    assert!(on("7.2.12").contains("kernel-uring-discard-md"));
}

#[test]
fn a_kernel_is_too_old_by_its_files_and_not_by_its_number() {
    let limits = [(Attr::WriteZeroesMaxBytes, 0)];
    let mut old = disk("nullb0", Kind::Null, &limits);
    let queue = Rc::make_mut(&mut old.queue);
    queue.set(Attr::WriteZeroesUnmapMaxHwBytes, Reading::Absent);
    queue.set(Attr::WriteZeroesUnmapMaxBytes, Reading::Absent);
    let found = lints(vec![old], "5.14.0-503.el9.x86_64");
    assert_eq!(ids(&found), ["kernel-no-unmap-limits"]);
    assert!(
        found
            .iter()
            .all(|one| one.what.contains("backports are not known"))
    );
}

#[test]
fn each_conflict_says_why_it_matters() {
    let known: Vec<&str> = conflicts::WHY.iter().map(|(rule, _)| *rule).collect();
    for source in [
        include_str!("../conflict.rs"),
        include_str!("../user_limit.rs"),
        include_str!("../leaf/loop_.rs"),
        include_str!("../leaf/nvme.rs"),
        include_str!("../leaf/scsi/conflicts.rs"),
        include_str!("../leaf/scsi/unread.rs"),
        include_str!("../stacking/conflicts.rs"),
    ] {
        let rules = source
            .split("rule: \"")
            .chain(source.split("conflict(\""))
            .skip(1);
        for rule in rules.filter_map(|rest| rest.split('"').next()) {
            let is_id = rule.contains('-') && !rule.contains(char::is_whitespace);
            assert!(!is_id || known.contains(&rule), "no reason for {rule}");
        }
    }
}

#[test]
fn the_file_of_earlier_patches_is_named_and_not_counted() {
    let limits = [(Attr::WriteZeroesMaxBytes, 0), (Attr::WriteZeroesUnmap, 1)];
    let found = lints(vec![disk("nullb0", Kind::Null, &limits)], "5.14.0-503.el9");
    assert_eq!(ids(&found), ["unmap-file-of-earlier-patch"]);
    assert!(found.iter().all(|one| one.level == Level::Info));
}

#[test]
fn a_loop_device_without_discard_zeroes_nothing() {
    let limits = [
        (Attr::WriteZeroesMaxBytes, 4_294_966_784),
        (Attr::DiscardMaxBytes, 0),
    ];
    let mut device = disk("loop0", Kind::Loop, &limits);
    device.loop_ = Some(Box::new(LoopFacts {
        backing_file: Reading::Present("/mnt/image".into()),
        backing_filesystem: Reading::Present("ext4".into()),
        backing_device: None,
        offset_bytes: Reading::Present(0),
        sizelimit_bytes: Reading::Present(0),
        autoclear: Reading::Present(false),
        partscan: Reading::Present(false),
        dio: Reading::Present(false),
    }));
    assert!(ids(&lints(vec![device], "7.3.4")).contains(&"loop-discard-off"));
}
