//! Device-mapper with its table (`dm_calculate_queue_limits`, `dm_table_set_restrictions` and
//! `dm_table_supports_write_zeroes`, drivers/md/dm-table.c; the same from 6.1 to 7.3, hw since 6.17).
//!
//! The limits of all devices of all targets are taken as a minimum. Then all or nothing: unless every target passes
//! zeroes and every device has them, wz and hw of the whole device are 0. A table whose targets map no device at all
//! keeps the value that stacking begins with, `UINT_MAX` sectors; that is dm-multipath without paths.

use crate::facts::dm::DmFacts;
use crate::facts::origin::Origin;
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::{DevNo, KName};
use crate::model::units::UNLIMITED;
use crate::verdict::Judge;
use crate::verdict::prediction::{Passed, Prediction};
use crate::verdict::reason::Reason;
use crate::verdict::stacking::dm_targets::{Passes, passes};
use crate::verdict::stacking::legs::{
    Leg, chain, clause, deciding, legs, minimum, not_known, resting_on, unknown_below,
    without_command,
};
use crate::verdict::stacking::{dm_uuid, dm_zoned};
use crate::wire::dm::table::{DeviceId, Target};

const SUPPORTS: &str = "dm_table_supports_write_zeroes (drivers/md/dm-table.c)";
/// Nothing to hand up.
pub(super) const NOTHING: Passed = Passed {
    wz: 0,
    hw: 0,
    user: UNLIMITED,
};

/// By the table, or by what is known without it.
pub(super) fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let Some(dm) = device.dm.as_deref() else {
        return Prediction::unknown("no device-mapper facts were read", None, Vec::new());
    };
    match &dm.table.reading {
        Reading::Present(table) => by_table(judge, device, dm, table),
        other => dm_uuid::predict(judge, device, dm, other),
    }
}

fn by_table(judge: &Judge, device: &BlockDevice, dm: &DmFacts, table: &[Target]) -> Prediction {
    if table.is_empty() {
        let why = "no table is live, only its device is there";
        return Prediction::unknown(why, Some("load and resume a table"), Vec::new());
    }
    if let Some(prediction) = unsupported(device, table) {
        return prediction;
    }
    let mapped: Vec<Mapped> = table
        .iter()
        .map(|target| Mapped::of(judge, device, target))
        .collect();
    let legs = legs(judge, mapped.iter().flat_map(|target| &target.devices));
    if let Some(leg) = without_command(&legs) {
        let text = clause(&legs, NOTHING, leg);
        let own = Reason::new("dm-min", &device.kname, text).by_rule(
            SUPPORTS,
            "one device without a zeroes command makes the limits of the whole 0",
        );
        return Prediction::stacked(
            NOTHING,
            chain(resting_on(lines(own, device, table), &legs), Some(leg)),
        );
    }
    if let Some(prediction) = unclear(device, table, &mapped, &legs) {
        return prediction;
    }
    if legs.is_empty() {
        return no_paths(device, table);
    }
    let mut result = Passed::UNLIMITED;
    for (target, mapped) in table.iter().zip(&mapped) {
        let mine: Vec<Leg> = mapped.legs(&legs);
        let mut limits = minimum(Passed::UNLIMITED, &mine);
        if passes(&target.name) == Some(Passes::Zone) {
            limits = match dm_zoned::apply(judge, dm, &mapped.devices, limits) {
                Ok(limits) => limits,
                Err(why) => return zoned_unclear(device, target, why),
            };
        }
        result = result.min(limits);
    }
    smallest(device, table, &legs, result)
}

/// A target with the devices of this host that it maps.
struct Mapped {
    devices: Vec<KName>,
    missing: Option<DeviceId>,
}

impl Mapped {
    fn of(judge: &Judge, device: &BlockDevice, target: &Target) -> Self {
        let mut mapped = Self {
            devices: Vec::new(),
            missing: None,
        };
        for part in &target.devices {
            match find(judge, device, &part.device) {
                Some(kname) => mapped.devices.push(kname),
                None => mapped.missing = Some(part.device.clone()),
            }
        }
        mapped
    }

    fn legs(&self, all: &[Leg]) -> Vec<Leg> {
        all.iter()
            .filter(|leg| self.devices.contains(&leg.kname))
            .cloned()
            .collect()
    }
}

/// The device of this host that a table names: the kernel names it by number, a table that is not loaded by path.
pub(super) fn find(judge: &Judge, device: &BlockDevice, id: &DeviceId) -> Option<KName> {
    let is = |candidate: &BlockDevice| match id {
        DeviceId::Number(major, minor) => {
            candidate.devno.get()
                == Some(DevNo {
                    major: *major,
                    minor: *minor,
                })
        }
        DeviceId::Path(path) => {
            let mapper = path.strip_prefix("/dev/mapper/");
            let dm_name = candidate.dm.as_ref().and_then(|dm| dm.name.value());
            let links = candidate
                .udev
                .value()
                .map(|udev| udev.links.as_slice())
                .unwrap_or_default();
            candidate.kname.node() == *path
                || (mapper.is_some() && mapper == dm_name.map(String::as_str))
                || links.contains(path)
        }
    };
    let slaves = device
        .slaves
        .iter()
        .filter_map(|kname| judge.topology.get(kname));
    let mut candidates = slaves.chain(judge.topology.iter());
    candidates
        .find(|candidate| is(candidate))
        .map(|found| found.kname.clone())
}

/// The first target that takes no zeroes command: it decides alone.
fn unsupported(device: &BlockDevice, table: &[Target]) -> Option<Prediction> {
    let mut numbered = table.iter().zip(1..);
    let (target, line, why) = numbered.find_map(|(target, line)| match passes(&target.name) {
        Some(Passes::Never(why)) => Some((target, line, why)),
        _ => None,
    })?;
    let text = format!(
        "target {} passes no zeroes command (dm table line {line})",
        target.name
    );
    let own = Reason::new("dm-target-unsupported", &device.kname, text)
        .because(table_line(device, target), why)
        .by_rule(
            SUPPORTS,
            "one target without num_write_zeroes_bios makes the limits of the whole 0",
        );
    Some(Prediction::stacked(NOTHING, vec![own]))
}

/// What keeps the minimum from being taken: a target or a device that is not known.
fn unclear(
    device: &BlockDevice,
    table: &[Target],
    mapped: &[Mapped],
    legs: &[Leg],
) -> Option<Prediction> {
    let own = |rule: &'static str, text: String| {
        resting_on(
            lines(Reason::new(rule, &device.kname, text), device, table),
            legs,
        )
    };
    if let Some(target) = table.iter().find(|target| passes(&target.name).is_none()) {
        let why = format!(
            "whether target {} passes a zeroes command is not known here",
            target.name
        );
        let own = own("dm-target-not-known", why.clone());
        return Some(Prediction::unknown(why, None, vec![own]));
    }
    if let Some(missing) = mapped.iter().find_map(|target| target.missing.as_ref()) {
        let why = format!("its table names {missing}, which is none of the devices that were read");
        let own = own("dm-device-missing", why.clone());
        return Some(Prediction::unknown(why, None, vec![own]));
    }
    let leg = not_known(legs)?;
    let text = format!("takes the smallest limits of {} devices", legs.len());
    Some(unknown_below(own("dm-min", text), leg))
}

fn zoned_unclear(device: &BlockDevice, target: &Target, why: String) -> Prediction {
    let own = Reason::new("dm-zoned", &device.kname, why.clone())
        .because(table_line(device, target), "zoned")
        .by_rule(
            "dmz_io_hints (drivers/md/dm-zoned-target.c)",
            "a zeroes command covers one zone",
        );
    Prediction::unknown(why, None, vec![own])
}

/// Multipath without any path.
pub(super) fn no_paths(device: &BlockDevice, table: &[Target]) -> Prediction {
    let text = "a multipath table without paths has no limit at all (UINT_MAX sectors), and no device to zero on";
    let own = Reason::new("dm-no-paths", &device.kname, text).by_rule(
        "dm_table_has_no_data_devices (drivers/md/dm-table.c)",
        "no device to take a minimum of; a reload to such a table keeps the limits that were there",
    );
    Prediction::stacked(Passed::UNLIMITED, vec![lines(own, device, table)])
}

fn smallest(device: &BlockDevice, table: &[Target], legs: &[Leg], result: Passed) -> Prediction {
    let zone = table
        .iter()
        .find(|target| passes(&target.name) == Some(Passes::Zone));
    let decides = deciding(legs, result);
    if let Some(target) = zone.filter(|_| result.hw != 0 || decides.is_none()) {
        let text = format!("a command ends at the zone of {} bytes", result.wz);
        let own = Reason::new("dm-zoned", &device.kname, text)
            .because(table_line(device, target), "zoned")
            .by_rule(
                "dmz_io_hints (drivers/md/dm-zoned-target.c)",
                "a zeroes command covers one zone",
            );
        return Prediction::stacked(result, chain(resting_on(own, legs), legs.first()));
    }
    let text = decides
        .map(|leg| clause(legs, result, leg))
        .unwrap_or_default();
    let own = Reason::new("dm-min", &device.kname, text).by_rule(
        "dm_calculate_queue_limits (drivers/md/dm-table.c)",
        "the minimum over the devices of all targets; each target passes zeroes",
    );
    Prediction::stacked(
        result,
        chain(resting_on(lines(own, device, table), legs), decides),
    )
}

fn table_line(device: &BlockDevice, target: &Target) -> Origin {
    Origin::DmTable {
        kname: device.kname.to_string(),
        line: target.to_string(),
    }
}

/// The first lines of a table as evidence: LVM makes tables of thousands.
fn lines(reason: Reason, device: &BlockDevice, table: &[Target]) -> Reason {
    const SHOWN: usize = 4;
    table.iter().take(SHOWN).fold(reason, |reason, target| {
        reason.because(table_line(device, target), target.name.clone())
    })
}

/// Whether a device's table, or its uuid, makes it dm-multipath.
pub(super) fn is_multipath(device: &BlockDevice) -> bool {
    let Some(dm) = device.dm.as_deref().filter(|_| device.kind == Kind::Dm) else {
        return false;
    };
    match &dm.table.reading {
        Reading::Present(table) => table.iter().any(|target| target.name == "multipath"),
        _ => dm
            .uuid
            .value()
            .is_some_and(|uuid| uuid.starts_with("mpath-")),
    }
}
