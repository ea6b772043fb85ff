//! Conflicts that any device can have; those of one driver or one layer stand beside its rule.

use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::verdict::judgement::{self, Agreement, KernelLimits};
use crate::verdict::prediction::{Limits, Prediction};
use crate::verdict::reason::{Conflict, Evidence, Level, Reason};
use crate::verdict::{Judge, leaf, stacking, user_limit};

/// Everything that does not fit together at a device, and what endangers data below it.
pub fn of_device<'t>(
    judge: &Judge<'t>,
    device: &'t BlockDevice,
    kernel: &KernelLimits,
    prediction: &Prediction,
    agreement: Agreement,
) -> Vec<Conflict> {
    let mut found = judge.own_conflicts(device).to_vec();
    from_below(judge, device, &mut found);
    let own = |at: &KName| *at == device.kname || device.disk.as_ref() == Some(at);
    let explained = found
        .iter()
        .any(|conflict| own(&conflict.at) && explains(conflict.rule));
    if agreement == Agreement::Differ
        && !explained
        && let Ok(limits) = &prediction.limits
    {
        let kept = limit_kept(device, kernel, limits);
        found.push(kept.unwrap_or_else(|| prediction_differs(device, kernel, limits)));
    }
    found
}

/// What does not fit together at a device itself.
pub(super) fn of_its_own(judge: &Judge, device: &BlockDevice) -> Vec<Conflict> {
    let mut found = Vec::new();
    if device.kind != Kind::Partition {
        let kernel = &KernelLimits::of(&device.queue);
        found.extend(runtime_disabled(device, kernel));
        found.extend(user_limit::conflict(device, kernel));
        found.extend(limits_moving(device, kernel));
        found.extend(earlier_patch(device, kernel));
    }
    match (device.kind, device.driver) {
        (Kind::Disk | Kind::NvmePath, Some("nvme")) => {
            found.extend(leaf::nvme::conflicts(judge, device));
        }
        (Kind::Disk, Some("sd")) => found.extend(leaf::scsi::conflicts(judge, device)),
        (Kind::Dm | Kind::Md | Kind::NvmeHead | Kind::Partition, _) => {
            found.extend(stacking::conflicts(judge, device));
        }
        (Kind::Loop, _) => found.extend(leaf::loop_::conflicts(judge, device)),
        _ => {}
    }
    found
}

/// What endangers data at a device endangers it at all that stand on it; a partition has its disk's conflicts.
fn from_below<'t>(judge: &Judge<'t>, device: &'t BlockDevice, found: &mut Vec<Conflict>) {
    for below in judge.stack_of(device).into_iter().skip(1) {
        let whole = device.disk.as_ref() == Some(&below.kname);
        let own = judge.own_conflicts(below);
        let rising = own
            .iter()
            .filter(|conflict| whole || judgement::rises(conflict));
        for conflict in rising {
            if !found.contains(conflict) {
                found.push(conflict.clone());
            }
        }
    }
}

/// Whether a conflict says by itself why the kernel's numbers differ from the prediction. A user's limit does not: it
/// leaves wz and hw alone, and the two agree on a lowered un.
fn explains(rule: &str) -> bool {
    lowers(rule) && rule != "user-limit"
}

/// Whether a conflict says by itself why the kernel's numbers are lower than the prediction, or void.
pub fn lowers(rule: &str) -> bool {
    matches!(
        rule,
        "runtime-disabled"
            | "md-runtime-disabled"
            | "user-limit"
            | "dm-over-disabled"
            | "stacked-snapshot-stale"
            | "head-shrunk"
            | "loop-refused"
            | "scsi-zeroing-mode-differs"
    )
}

fn files(device: &BlockDevice, kernel: &KernelLimits) -> Vec<Evidence> {
    let path = device.queue_path();
    [
        (Attr::WriteZeroesMaxBytes, &kernel.wz),
        (Attr::WriteZeroesUnmapMaxHwBytes, &kernel.hw),
        (Attr::WriteZeroesUnmapMaxBytes, &kernel.un),
    ]
    .into_iter()
    .filter_map(|(attr, reading)| {
        let value = reading.get()?.to_string();
        Some(Evidence::new(
            Origin::File(format!("{path}/{}", attr.name())),
            value,
        ))
    })
    .collect()
}

/// T1: `blk_queue_disable_write_zeroes` clears wz and un and leaves hw, after a command failed.
fn runtime_disabled(device: &BlockDevice, kernel: &KernelLimits) -> Option<Conflict> {
    let (wz, hw, un) = (kernel.wz.get()?, kernel.hw.get()?, kernel.un.get()?);
    // MD clears wz alone (`md-runtime-disabled`); a 0 in its un is a user's.
    if wz != 0 || hw == 0 || un != 0 || device.kind == Kind::Md {
        return None;
    }
    let advice = match (device.kind, device.driver) {
        (Kind::Disk, Some("sd")) => Some(decide_anew(device, hw)),
        (Kind::Dm, _) => Some(format!(
            "load its table anew once the devices below zero again: {}",
            stacking::reload(device)
        )),
        _ => None,
    };
    let mut evidence = files(device, kernel);
    evidence.push(Evidence::rule(
        "blk_queue_disable_write_zeroes (include/linux/blkdev.h, un since 6.17)",
        "wz = 0 and un = 0 after a zeroes command failed; hw stays",
    ));
    Some(Conflict {
        rule: "runtime-disabled",
        level: Level::Error,
        at: device.kname.clone(),
        text: "a zeroes command failed and the kernel stopped using it; the hw limit is a leftover, every write \
               to a limit of this queue fails with EINVAL, and MD cannot start on it"
            .to_owned(),
        evidence,
        advice,
    })
}

/// A write to `max_write_same_blocks` makes sd decide anew; what is left of hw says how many blocks it had.
fn decide_anew(device: &BlockDevice, hw: u64) -> String {
    let file = device.scsi.as_deref().map_or_else(
        || {
            format!(
                "/{}/device/scsi_disk/*/max_write_same_blocks",
                device.syspath
            )
        },
        |scsi| scsi.max_write_same_blocks.origin.to_string(),
    );
    let block = device.queue.number(Attr::LogicalBlockSize).get();
    let blocks = block
        .and_then(|block| hw.checked_div(block))
        .map_or_else(|| "BLOCKS".to_owned(), |blocks| blocks.to_string());
    format!(
        "find out why the device refused WRITE SAME (kernel log); once it takes it again: echo {blocks} > {file}"
    )
}

/// T19: limits are unlocked hints to their readers; a device whose limits never stood still has none to rely on.
fn limits_moving(device: &BlockDevice, kernel: &KernelLimits) -> Option<Conflict> {
    device.queue.moving.then(|| Conflict {
        rule: "limits-moving",
        level: Level::Warning,
        at: device.kname.clone(),
        text: "its limits changed each time they were read, so the three shown may not belong together".to_owned(),
        evidence: files(device, kernel),
        advice: Some("look again; where it goes on, the kernel log says what fails".to_owned()),
    })
}

/// The 0/1 file of patches that no release took (RFC of December 2024 to v1 of June 2025), where a vendor carries them.
fn earlier_patch(device: &BlockDevice, kernel: &KernelLimits) -> Option<Conflict> {
    let attr = Attr::WriteZeroesUnmap;
    let value = device.queue.number(attr).get()?;
    let beside = if kernel.silent() {
        "and none of the files of 6.17: this number is not counted here, the verdict is a prediction"
    } else {
        "beside those of 6.17, which count"
    };
    let mut evidence = files(device, kernel);
    let path = format!("{}/{}", device.queue_path(), attr.name());
    evidence.insert(0, Evidence::new(Origin::File(path), value.to_string()));
    Some(Conflict {
        rule: "unmap-file-of-earlier-patch",
        level: Level::Info,
        at: device.kname.clone(),
        text: format!(
            "this kernel carries the file write_zeroes_unmap of earlier patches, {beside}"
        ),
        evidence,
        advice: None,
    })
}

/// T13: a driver that found an unmap limit once does not take it back when the device answers otherwise.
fn limit_kept(device: &BlockDevice, kernel: &KernelLimits, limits: &Limits) -> Option<Conflict> {
    let (wz, hw) = (kernel.wz.get()?, kernel.hw.get()?);
    let (rule, value, anew) = match device.driver {
        Some("nvme") => (
            "nvme_update_ns_info_block (drivers/nvme/host/core.c, since 6.17)",
            "the unmap limit is set where DLFEAT is 1 with bit 3, and never set back; commands go on carrying DEAC",
            "disconnect the controller and connect it again, or remove and rescan its PCI device",
        ),
        Some("sd") => (
            "read_capacity_16, sd_read_write_same (drivers/scsi/sd.c)",
            "lbpme, lbprz and ws16 are set by what a disk answers, and never cleared",
            "remove the disk (echo 1 > device/delete) and scan its host again",
        ),
        _ => return None,
    };
    if wz == 0 || hw <= limits.write_zeroes_unmap_max_hw_bytes {
        return None;
    }
    let mut evidence = files(device, kernel);
    evidence.push(predicted(limits));
    evidence.push(Evidence::rule(rule, value));
    Some(Conflict {
        rule: "unmap-limit-kept",
        level: Level::Warning,
        at: device.kname.clone(),
        text: "the kernel keeps an unmap limit from what the device answered earlier; what it answers now gives less"
            .to_owned(),
        evidence,
        advice: Some(format!("have it made anew once nothing uses it: {anew}")),
    })
}

fn predicted(limits: &Limits) -> Evidence {
    Evidence::new(
        Origin::Inferred("the device's own facts".into()),
        format!(
            "wz {} hw {} un {}",
            limits.write_zeroes_max_bytes,
            limits.write_zeroes_unmap_max_hw_bytes,
            limits.write_zeroes_unmap_max_bytes
        ),
    )
}

fn prediction_differs(device: &BlockDevice, kernel: &KernelLimits, limits: &Limits) -> Conflict {
    let mut evidence = files(device, kernel);
    evidence.push(predicted(limits));
    let unread = [&kernel.wz, &kernel.hw, &kernel.un]
        .into_iter()
        .find(|reading| reading.is_unknown());
    let nvme = device.driver == Some("nvme");
    let (text, advice) = match (unread, kernel.wz.get()) {
        (Some(unread), _) => {
            let detail = unread.detail().unwrap_or_default();
            (format!("a limit of the kernel could not be read ({detail}), so nothing confirms the prediction"), None)
        }
        (None, Some(0)) if limits.write_zeroes_max_bytes > 0 => (
            "the kernel has switched zeroes commands off for it, although its facts give them; the kernel log says \
             whether one failed"
                .to_owned(),
            None,
        ),
        _ if nvme => (
            "the kernel's limits are not what Identify gives now: it keeps old ones across a rescan".to_owned(),
            Some("delete and rescan the namespace, or reconnect, to have them made anew".to_owned()),
        ),
        _ => (
            "the kernel's limits are not what its facts give now, and the weaker of the two is the verdict".to_owned(),
            None,
        ),
    };
    Conflict {
        rule: "prediction-differs",
        level: Level::Warning,
        at: device.kname.clone(),
        text,
        evidence,
        advice,
    }
}

/// A SCSI disk below whose `zeroing_mode` was set by hand so that zeroes are written, under limits that still say unmap.
pub fn written_by_mode<'t>(judge: &Judge<'t>, device: &'t BlockDevice) -> Option<Reason> {
    judge.stack_of(device).into_iter().find_map(|disk| {
        let mode = &disk.scsi.as_deref()?.zeroing_mode;
        let word = mode
            .value()
            .filter(|word| matches!(word.as_str(), "write" | "writesame"))?;
        let text =
            format!("zeroing_mode is {word}: zeroes are written, whatever the unmap limit says");
        let reason = Reason::new("scsi-zeroing-mode", &disk.kname, text);
        Some(reason.because(mode.origin.clone(), word.clone()).by_rule(
            "sd_setup_write_zeroes_cmnd (drivers/scsi/sd.c)",
            "only the two unmap modes send WRITE SAME with UNMAP",
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::reading::Reading;

    /// UINT_MAX sectors.
    const MAX: u64 = 2_199_023_255_040;

    fn found(driver: &'static str, hw: u64, wz: u64) -> Option<&'static str> {
        let name = KName::new("nvme1c1n1").expect("a kernel name");
        let mut device = BlockDevice::new(name, "sys/x".into(), Kind::NvmePath, None);
        device.driver = Some(driver);
        let kernel = KernelLimits {
            wz: Reading::Present(wz),
            hw: Reading::Present(hw),
            un: Reading::Present(hw),
        };
        limit_kept(&device, &kernel, &Limits::new(MAX, 0)).map(|conflict| conflict.rule)
    }

    #[test]
    fn an_unmap_limit_that_outlived_its_dlfeat_is_named() {
        // nvmet on Linux 7.3 whose namespace lost DLFEAT 9: after a rescan the path keeps all three limits.
        assert_eq!(found("nvme", MAX, MAX), Some("unmap-limit-kept"));
        assert_eq!(found("nvme", 0, MAX), None, "it says less, not more");
        assert_eq!(found("nvme", MAX, 0), None, "that is a command that failed");
        assert_eq!(found("loop", MAX, MAX), None, "no rescan there");
    }
}
