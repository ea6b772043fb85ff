//! Slaves in, result out: every rule against the numbers that real kernels gave.

use std::collections::HashMap;
use std::rc::Rc;

use super::conflicts;
use crate::facts::dm::DmFacts;
use crate::facts::kernel::Kernel;
use crate::facts::md::MdFacts;
use crate::facts::origin::{Fact, Origin};
use crate::facts::queue::{Attr, Value};
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::{DevNo, KName};
use crate::model::topology::Topology;
use crate::model::units::UNLIMITED;
use crate::verdict::Judge;
use crate::verdict::prediction::{Limits, Passed, Prediction};
use crate::verdict::reason::{Conflict, Reason};
use crate::wire::dm::table::Target;

mod dm;
mod hosts;
mod md;
mod nvme;
mod properties;

/// UINT_MAX sectors.
const MAX: u64 = 2_199_023_255_040;
/// scsi_debug with `lbpws=1 lbprz=1`.
const SD: u64 = 33_553_920;
/// A numbers-in, numbers-out result: wz, hw, un.
type Three = (u64, u64, u64);

fn kname(name: &str) -> KName {
    KName::new(name).expect("a kernel name")
}

/// Devices that never were.
struct World {
    topology: Topology,
    leaves: HashMap<KName, Prediction>,
    kernel: Kernel,
}

impl World {
    fn new() -> Self {
        Self::on("7.3.4+deb13-amd64")
    }

    fn on(release: &str) -> Self {
        let kernel = Kernel::parse(release);
        Self {
            topology: Topology::default(),
            leaves: HashMap::new(),
            kernel,
        }
    }

    fn add(&mut self, name: &str, kind: Kind) -> &mut BlockDevice {
        let minor = u32::try_from(self.topology.len()).expect("few devices");
        let place = format!("sys/devices/virtual/block/{name}");
        let mut device = BlockDevice::new(kname(name), place, kind, None);
        device.devno = Reading::Present(DevNo { major: 8, minor });
        assert!(self.topology.add(device), "{name} is there already");
        self.topology.get_mut(&kname(name)).expect("just added")
    }

    /// A disk whose rule gives wz and hw, and that hands this up.
    fn leaf_that(mut self, name: &str, (wz, hw): (u64, u64), passed: Passed) -> Self {
        self.add(name, Kind::Disk);
        let reasons = vec![Reason::new(
            "leaf",
            &kname(name),
            format!("{name} is what it is"),
        )];
        let prediction = Prediction {
            limits: Ok(Limits::new(wz, hw)),
            passed: Some(passed),
            reasons,
        };
        self.leaves.insert(kname(name), prediction);
        self
    }

    fn leaf(self, name: &str, wz: u64, hw: u64) -> Self {
        self.leaf_that(
            name,
            (wz, hw),
            Passed {
                wz,
                hw,
                user: UNLIMITED,
            },
        )
    }

    /// T1: wz gone at run time, hw left behind.
    fn stale(self, name: &str, hw: u64) -> Self {
        self.leaf_that(
            name,
            (hw, hw),
            Passed {
                wz: 0,
                hw,
                user: UNLIMITED,
            },
        )
    }

    /// With a limit that the user wrote.
    fn limited(self, name: &str, hw: u64, user: u64) -> Self {
        self.leaf_that(name, (hw, hw), Passed { wz: hw, hw, user })
    }

    fn unknown(mut self, name: &str) -> Self {
        self.add(name, Kind::Disk);
        let prediction =
            Prediction::unknown("Identify was denied", Some("run as root"), Vec::new());
        self.leaves.insert(kname(name), prediction);
        self
    }

    fn numbers(&self, name: &str) -> String {
        let device = self.topology.get(&kname(name));
        device
            .and_then(|device| device.devno.get())
            .map_or("9:99".into(), |devno| devno.to_string())
    }

    /// A mapped device; a name in braces stands for a device's number, and each is a slave.
    fn dm(mut self, name: &str, lines: &[&str]) -> Self {
        let mut slaves = Vec::new();
        let table = lines
            .iter()
            .map(|line| {
                let mut text = String::new();
                for (at, part) in line.split(['{', '}']).enumerate() {
                    if at % 2 == 0 {
                        text.push_str(part);
                    } else {
                        text.push_str(&self.numbers(part));
                        slaves.push(kname(part));
                    }
                }
                text.parse::<Target>().expect("a table line")
            })
            .collect();
        slaves.dedup();
        slaves.retain(|slave| self.topology.get(slave).is_some());
        let device = self.add(name, Kind::Dm);
        device.slaves = slaves;
        device.dm = Some(Box::new(dm_facts(Reading::Present(table), "")));
        self
    }

    /// A mapped device whose table may not be read.
    fn dm_unread(mut self, name: &str, uuid: &str, slaves: &[&str]) -> Self {
        let device = self.add(name, Kind::Dm);
        device.slaves = slaves.iter().copied().map(kname).collect();
        let denied = Reading::Denied(rustix::io::Errno::ACCESS);
        device.dm = Some(Box::new(dm_facts(denied, uuid)));
        self
    }

    fn md(mut self, name: &str, level: &str, chunk: u64, members: &[&str]) -> Self {
        let device = self.add(name, Kind::Md);
        device.slaves = members.iter().copied().map(kname).collect();
        device.md = Some(Box::new(MdFacts {
            level: Reading::Present(level.into()),
            chunk_bytes: Reading::Present(chunk),
            array_state: Reading::Present("clean".into()),
            metadata_version: Reading::Absent,
            raid_disks: Reading::Absent,
            members: Vec::new(),
        }));
        self
    }

    fn head(mut self, name: &str, paths: &[&str]) -> Self {
        self.add(name, Kind::NvmeHead).slaves = paths.iter().copied().map(kname).collect();
        self
    }

    fn partition(mut self, name: &str, disk: &str) -> Self {
        self.add(name, Kind::Partition).disk = Some(kname(disk));
        self
    }

    /// What a device's own files say.
    fn shows(mut self, name: &str, (wz, hw, un): Three) -> Self {
        let device = self.topology.get_mut(&kname(name)).expect("a device");
        let numbers = [
            (Attr::WriteZeroesMaxBytes, wz),
            (Attr::WriteZeroesUnmapMaxHwBytes, hw),
            (Attr::WriteZeroesUnmapMaxBytes, un),
        ];
        for (attr, number) in numbers {
            let number = i64::try_from(number).expect("a limit");
            Rc::make_mut(&mut device.queue).set(attr, Reading::Present(Value::Number(number)));
        }
        self
    }

    fn judge(&self) -> Judge<'_> {
        let judge = Judge::new(&self.topology, &self.kernel);
        for (name, prediction) in &self.leaves {
            judge
                .known
                .borrow_mut()
                .insert(name.clone(), Some(Rc::new(prediction.clone())));
        }
        judge
    }

    fn predict(&self, name: &str) -> Rc<Prediction> {
        self.judge().predict(&kname(name))
    }

    /// The three numbers, or why there are none.
    fn gives(&self, name: &str) -> Result<Three, String> {
        match &self.predict(name).limits {
            Ok(limits) => Ok((
                limits.write_zeroes_max_bytes,
                limits.write_zeroes_unmap_max_hw_bytes,
                limits.write_zeroes_unmap_max_bytes,
            )),
            Err(unpredicted) => Err(unpredicted.why.clone()),
        }
    }

    /// The chain as `rule@device`.
    fn chain(&self, name: &str) -> Vec<String> {
        let reasons = self.predict(name).reasons.clone();
        reasons
            .iter()
            .map(|reason| format!("{}@{}", reason.rule, reason.at))
            .collect()
    }

    fn first(&self, name: &str) -> String {
        self.predict(name)
            .reasons
            .first()
            .map(|reason| reason.text.clone())
            .unwrap_or_default()
    }

    fn conflicts(&self, name: &str) -> Vec<Conflict> {
        conflicts(
            &self.judge(),
            self.topology.get(&kname(name)).expect("a device"),
        )
    }

    fn conflict_rules(&self, name: &str) -> Vec<&'static str> {
        self.conflicts(name)
            .iter()
            .map(|conflict| conflict.rule)
            .collect()
    }
}

fn dm_facts(table: Reading<Vec<Target>>, uuid: &str) -> DmFacts {
    let origin = Origin::Inferred("a test".into());
    DmFacts {
        name: Reading::Present("name".into()),
        uuid: if uuid.is_empty() {
            Reading::Absent
        } else {
            Reading::Present(uuid.into())
        },
        suspended: Reading::Present(false),
        table: Fact {
            reading: table,
            origin,
        },
        status: Fact::not_asked("a test"),
        target_versions: Reading::NotAsked("a test"),
        zone_sectors: Reading::Absent,
    }
}

#[test]
fn a_partition_shares_its_disks_queue() {
    let world = World::new()
        .leaf("sda", SD, SD)
        .partition("sda1", "sda")
        .dm("dm-0", &["0 8 linear {sda1} 0"]);
    assert_eq!(world.gives("sda1"), Ok((SD, SD, SD)));
    assert_eq!(world.gives("dm-0"), Ok((SD, SD, SD)));
    assert_eq!(
        world.chain("dm-0"),
        ["dm-min@dm-0", "partition-queue@sda1", "leaf@sda"]
    );
    assert_eq!(
        world.first("sda1"),
        "shares the queue of sda: sda is what it is"
    );
}

#[test]
fn a_partition_hands_its_disks_state_up_and_predicts_an_untouched_one() {
    let world = World::new()
        .limited("sda", SD, 0)
        .partition("sda1", "sda")
        .dm("dm-0", &["0 8 linear {sda1} 0"]);
    assert_eq!(world.gives("sda1"), Ok((SD, SD, SD)));
    assert_eq!(world.gives("dm-0"), Ok((SD, SD, 0)));
    assert_eq!(
        world.chain("dm-0"),
        [
            "dm-min@dm-0",
            "partition-queue@sda1",
            "user-limit@sda",
            "leaf@sda"
        ]
    );
    assert_eq!(
        world.first("dm-0"),
        "the user's limit of sda below is 0, and stacking takes it over"
    );
}

#[test]
fn a_device_that_stands_on_itself_ends() {
    let mut world = World::new()
        .leaf("sda", SD, SD)
        .md("md0", "raid0", 65_536, &["sda"]);
    world = world.dm("dm-0", &["0 8 linear {md0} 0"]);
    world
        .topology
        .get_mut(&kname("md0"))
        .expect("md0")
        .slaves
        .push(kname("dm-0"));
    assert!(
        world
            .gives("md0")
            .is_err_and(|why| why.contains("stands on itself"))
    );
    assert!(world.gives("dm-0").is_err());
    world.conflicts("md0");
}

#[test]
fn a_stack_of_any_depth_is_followed_and_its_chain_stays_short() {
    let mut world = World::new().leaf("md0", SD, SD);
    for level in 1..=5000 {
        let below = format!("md{}", level - 1);
        world = world.md(&format!("md{level}"), "raid0", SD, &[&below]);
    }
    assert_eq!(world.gives("md5000"), Ok((SD, SD, SD)));
    let judge = Judge::new(&world.topology, &world.kernel);
    let reasons = &judge.predict(&kname("md5000")).reasons;
    assert!(reasons.len() <= 64, "{}", reasons.len());
}
