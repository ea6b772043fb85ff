//! Where a stacked device's numbers mislead: they are a snapshot, and what is below moves on.

use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::units::in_words;
use crate::verdict::Judge;
use crate::verdict::prediction::{Limits, Passed, Prediction};
use crate::verdict::reason::{Conflict, Evidence, Level};
use crate::verdict::stacking::dm_table::is_multipath;
use crate::verdict::stacking::legs::{Leg, legs, values};

/// The kernel's numbers of a device; the two unmap limits are absent before 6.17.
#[derive(Debug, Clone, Copy)]
struct Shown {
    wz: u64,
    unmap: Option<(u64, u64)>,
}

impl Shown {
    fn of(device: &BlockDevice) -> Option<Self> {
        let number = |attr| device.queue.number(attr).get();
        let hw = number(Attr::WriteZeroesUnmapMaxHwBytes);
        let un = number(Attr::WriteZeroesUnmapMaxBytes);
        Some(Self {
            wz: number(Attr::WriteZeroesMaxBytes)?,
            unmap: hw.zip(un),
        })
    }

    /// T1: a failed command cleared wz and left hw.
    fn disabled(self) -> bool {
        self.wz == 0 && self.unmap.is_some_and(|(hw, _)| hw > 0)
    }

    /// Whether the two are the same but for a user's limit, which only lowers.
    fn fits(self, limits: &Limits) -> bool {
        self.wz == limits.write_zeroes_max_bytes
            && self.unmap.is_none_or(|(hw, un)| {
                hw == limits.write_zeroes_unmap_max_hw_bytes
                    && un <= limits.write_zeroes_unmap_max_bytes
            })
    }

    fn below(self, limits: &Limits) -> bool {
        self.wz <= limits.write_zeroes_max_bytes
            && self
                .unmap
                .is_none_or(|(hw, _)| hw <= limits.write_zeroes_unmap_max_hw_bytes)
    }
}

/// Everything that does not fit together at a stacked device.
pub fn conflicts(judge: &Judge, device: &BlockDevice) -> Vec<Conflict> {
    let prediction = judge.predict(&device.kname);
    let legs = legs(judge, &device.slaves);
    let mut found = Vec::new();
    match device.kind {
        Kind::Dm => {
            let over = over_disabled(device, &prediction, &legs);
            found.extend(over.or_else(|| stale(device, &prediction, &afresh_dm(device))));
            if is_multipath(device) {
                found.extend(legs_differ(device, &legs));
            }
        }
        Kind::Md => {
            found.extend(md_disabled(device));
            found.extend(cannot_start(device, &prediction));
            found.extend(stale(device, &prediction, AFRESH_MD));
        }
        Kind::NvmeHead => {
            let shrunk = head_shrunk(judge, device, &prediction);
            found.extend(shrunk.or_else(|| stale(device, &prediction, AFRESH_HEAD)));
            found.extend(legs_differ(device, &legs));
        }
        _ => {}
    }
    found
}

/// The commands that load a mapped device's table anew, by the name that device-mapper has for it.
pub(in crate::verdict) fn reload(device: &BlockDevice) -> String {
    let name = device.dm.as_ref().and_then(|dm| dm.name.value());
    let name = name.map_or(device.kname.as_str(), String::as_str);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
    let name = if name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    };
    format!("`dmsetup table {name} | dmsetup load {name}`, `dmsetup resume {name}`")
}

fn afresh_dm(device: &BlockDevice) -> String {
    format!(
        "load its table anew, and then those of what stands on it: {}; a user's limit is lost with it",
        reload(device)
    )
}

const AFRESH_MD: &str = "stop the array and assemble it anew";
const AFRESH_HEAD: &str = "have each controller scanned again: write 1 to its rescan_controller; a head only shrinks by it";

fn conflict(rule: &'static str, level: Level, device: &BlockDevice, text: String) -> Conflict {
    Conflict {
        rule,
        level,
        at: device.kname.clone(),
        text,
        evidence: files(device),
        advice: None,
    }
}

fn files(device: &BlockDevice) -> Vec<Evidence> {
    let path = device.queue_path();
    let attrs = [
        Attr::WriteZeroesMaxBytes,
        Attr::WriteZeroesUnmapMaxHwBytes,
        Attr::WriteZeroesUnmapMaxBytes,
    ];
    let file = |attr: Attr| {
        let value = device.queue.number(attr).get()?.to_string();
        Some(Evidence::new(
            Origin::File(format!("{path}/{}", attr.name())),
            value,
        ))
    };
    attrs.into_iter().filter_map(file).collect()
}

fn now(limits: &Limits) -> Evidence {
    let value = format!(
        "wz {}, hw {}, un {}",
        limits.write_zeroes_max_bytes,
        limits.write_zeroes_unmap_max_hw_bytes,
        limits.write_zeroes_unmap_max_bytes
    );
    Evidence::new(Origin::Inferred("what stands below it now".into()), value)
}

/// T16: limits were taken when the table was loaded or the array started, and nothing below changes them since.
pub(in crate::verdict) fn stale(
    device: &BlockDevice,
    prediction: &Prediction,
    afresh: &str,
) -> Option<Conflict> {
    let shown = Shown::of(device)?;
    let limits = prediction.limits.as_ref().ok()?;
    if shown.disabled() || shown.fits(limits) {
        return None;
    }
    let un = shown.unmap.map(|(_, un)| un);
    let same = shown.wz == limits.write_zeroes_max_bytes
        && shown
            .unmap
            .is_none_or(|(hw, _)| hw == limits.write_zeroes_unmap_max_hw_bytes);
    let text = if prediction
        .reasons
        .first()
        .is_some_and(|reason| reason.rule == "dm-no-paths")
    {
        "its limits are those it had when it last had paths: a reload to a table without paths keeps them".into()
    } else if same && un.is_some_and(|un| un > limits.write_zeroes_unmap_max_bytes) {
        "a user's limit below it stops no unmap here: it was set after this device was made, or taken back on this \
         one"
        .to_owned()
    } else {
        format!(
            "its limits are a snapshot of what stood below it once; now it would be given {}",
            given(limits)
        )
    };
    let mut found = conflict("stacked-snapshot-stale", Level::Warning, device, text);
    found.evidence.push(now(limits));
    // An array that could not start must not be stopped, and a table without paths keeps what was there.
    let helps = prediction
        .reasons
        .first()
        .is_none_or(|reason| !matches!(reason.rule, "md-cannot-start" | "dm-no-paths"));
    found.advice = helps.then(|| afresh.to_owned());
    Some(found)
}

fn given(limits: &Limits) -> String {
    match (
        limits.write_zeroes_max_bytes,
        limits.write_zeroes_unmap_max_bytes,
    ) {
        (0, _) => "no zeroes command".to_owned(),
        (wz, 0) => format!("{} a command, without unmap", in_words(wz)),
        (wz, _) => format!("{} a command, with unmap", in_words(wz)),
    }
}

/// A device below lost its command: dm goes on advertising it.
fn over_disabled(device: &BlockDevice, prediction: &Prediction, legs: &[Leg]) -> Option<Conflict> {
    let shown = Shown::of(device)?;
    let limits = prediction.limits.as_ref().ok()?;
    let first = prediction.reasons.first()?;
    if shown.wz == 0 || limits.write_zeroes_max_bytes != 0 || first.rule != "dm-min" {
        return None;
    }
    let leg = super::legs::without_command(legs)?;
    let text = format!(
        "it advertises zeroes that {} below does not do now: callers fall back to writing, and punching a hole fails \
         with EOPNOTSUPP",
        leg.kname
    );
    let mut found = conflict("dm-over-disabled", Level::Warning, device, text);
    found.evidence.push(now(limits));
    found.advice = Some(format!(
        "once {} zeroes again, or to end it: {}",
        leg.kname,
        afresh_dm(device)
    ));
    Some(found)
}

/// T1 as MD has it (`mddev_check_write_zeroes`, drivers/md/md.h): wz alone is cleared, un and hw stay.
fn md_disabled(device: &BlockDevice) -> Option<Conflict> {
    let Shown {
        wz: 0,
        unmap: Some((hw, un)),
    } = Shown::of(device)?
    else {
        return None;
    };
    if hw == 0 {
        return None;
    }
    let taken = if un == 0 {
        "FALLOC_FL_WRITE_ZEROES is refused, for a user's limit is 0"
    } else {
        "FALLOC_FL_WRITE_ZEROES is taken and done by writing"
    };
    let text = format!(
        "a member lost its zeroes command and the array stopped using it: its unmap limits are leftovers, {taken}, and \
         every write to a limit of this queue fails with EINVAL"
    );
    let mut found = conflict("md-runtime-disabled", Level::Error, device, text);
    found.evidence.push(Evidence::rule(
        "mddev_check_write_zeroes (drivers/md/md.h, since 6.17)",
        "wz = 0 when a request meets a member without the command; hw and un stay",
    ));
    found.advice =
        Some("find out why a member refused (kernel log); once its own limits fit again, and not before, for it would \
              not start: stop the array and assemble it anew".into());
    Some(found)
}

fn cannot_start(device: &BlockDevice, prediction: &Prediction) -> Option<Conflict> {
    let first = prediction
        .reasons
        .first()
        .filter(|reason| reason.rule == "md-cannot-start")?;
    // A planned array has no state that could have been read.
    let planned = device
        .md
        .as_deref()
        .is_some_and(|md| matches!(md.array_state, Reading::NotAsked(_)));
    let text = if planned {
        first.text.clone()
    } else {
        format!(
            "once stopped, it could not be started again: {}",
            first.text
        )
    };
    let mut found = conflict("md-cannot-start", Level::Error, device, text);
    found.evidence.extend(first.evidence.iter().cloned());
    let member = prediction
        .reasons
        .get(1)
        .map(|reason| reason.at.to_string())
        .unwrap_or_default();
    let before = if planned { "build" } else { "stop" };
    found.advice = Some(format!(
        "do not {before} the array before the leftover limit of {member} is gone: see what stands at {member}; a SCSI \
         disk that is rescanned (echo 1 > device/rescan) has no limit left, so that the array starts and zeroes are \
         written"
    ));
    Some(found)
}

/// A head's minimum runs over every path it ever had.
fn head_shrunk(judge: &Judge, device: &BlockDevice, prediction: &Prediction) -> Option<Conflict> {
    if judge.kernel.has(6, 12) != Some(true) {
        return None;
    }
    let shown = Shown::of(device)?;
    let limits = prediction.limits.as_ref().ok()?;
    if shown.disabled() || !shown.below(limits) || shown.fits(limits) {
        return None;
    }
    let text = "its limits are below those of each path it has: a head keeps the smallest it ever had, also of a path \
                that is gone or has recovered";
    let mut found = conflict("head-shrunk", Level::Warning, device, text.to_owned());
    found.evidence.push(now(limits));
    found.evidence.push(Evidence::rule(
        "nvme_update_ns_info (drivers/nvme/host/core.c, since 6.12)",
        "a running minimum that never grows",
    ));
    found.advice = Some(
        "disconnect every path, then connect anew: only a new head begins without limits".into(),
    );
    Some(found)
}

/// Unequal paths to the same data: the weakest decides for all.
fn legs_differ(device: &BlockDevice, legs: &[Leg]) -> Option<Conflict> {
    let known: Vec<(&Leg, Passed)> = legs
        .iter()
        .filter_map(|leg| Some((leg, leg.passed()?)))
        .collect();
    let (_, first) = known.first()?;
    if known.iter().all(|(_, passed)| passed == first) {
        return None;
    }
    let weakest = known
        .iter()
        .map(|(_, passed)| *passed)
        .fold(Passed::UNLIMITED, Passed::min);
    let weak = known
        .iter()
        .find(|(_, passed)| (passed.wz, passed.hw) == (weakest.wz, weakest.hw));
    let text = match weak {
        Some((leg, _)) => format!("its paths differ: {} decides for all of them", leg.kname),
        None => "its paths differ: the smallest of each limit decides for all of them".to_owned(),
    };
    let mut found = conflict("path-limits-differ", Level::Info, device, text);
    found.evidence = known
        .iter()
        .map(|(leg, passed)| {
            Evidence::new(
                Origin::Inferred(format!("what {} hands up", leg.kname)),
                values(*passed),
            )
        })
        .collect();
    Some(found)
}
