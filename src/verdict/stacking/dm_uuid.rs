//! Device-mapper without its table, which only CAP_SYS_ADMIN may read: what slaves and uuid still tell.
//!
//! Certain are three things. A target that passes zeroes maps every device it opens, so one device below without a
//! zeroes command makes the result 0, whatever the targets are. Some owners build one kind of target alone, and write
//! themselves into the uuid. And no table has more than the minimum of its devices.

use std::fmt::Write;

use crate::facts::dm::DmFacts;
use crate::facts::origin::Origin;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::verdict::prediction::{Passed, Prediction};
use crate::verdict::reason::Reason;
use crate::verdict::stacking::dm_table::{NOTHING, no_paths};
use crate::verdict::stacking::legs::{
    Leg, chain, clause, deciding, legs, minimum, not_known, resting_on, unknown_below,
    without_command,
};
use crate::wire::dm::table::Target;

const ROOT: &str = "run as root: the table is readable only with CAP_SYS_ADMIN";

/// What a uuid tells of the targets.
#[derive(Debug, PartialEq, Eq)]
enum Owner {
    /// Targets that pass zeroes, by the name of their type.
    Passes(&'static str),
    /// A target that passes none.
    Never(&'static str),
}

/// As far as certain: cryptsetup (`dm_prepare_uuid`, lib/libdevmapper.c), LVM's layers (`lv_layer`,
/// lib/activate/dev_manager.c), multipath-tools and kpartx (`UUID_PREFIX`, libmultipath/devmapper.h), vdo's manager.
/// Not LVM's other volumes, whose segments may be of any type.
fn owner(uuid: &str) -> Option<Owner> {
    const CRYPT: [&str; 7] = [
        "PLAIN", "LUKS1", "LUKS2", "LOOPAES", "TCRYPT", "BITLK", "FVAULT2",
    ];
    if let Some(rest) = uuid.strip_prefix("CRYPT-") {
        let kind = rest.split('-').next().unwrap_or_default();
        return match kind {
            "VERITY" => Some(Owner::Never("verity")),
            "INTEGRITY" => Some(Owner::Never("integrity")),
            kind => CRYPT.contains(&kind).then_some(Owner::Never("crypt")),
        };
    }
    if uuid.starts_with("mpath-") {
        return Some(Owner::Passes("multipath"));
    }
    if uuid.starts_with("VDO-") {
        return Some(Owner::Never("vdo"));
    }
    if let Some(rest) = uuid.strip_prefix("part") {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let kpartx = digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with('-'));
        return kpartx.then_some(Owner::Passes("linear"));
    }
    match uuid.strip_prefix("LVM-")?.rsplit_once('-')? {
        (_, "tpool") => Some(Owner::Never("thin-pool")),
        (_, "vpool") => Some(Owner::Never("vdo")),
        _ => None,
    }
}

/// From slaves and uuid.
pub(super) fn predict(
    judge: &Judge,
    device: &BlockDevice,
    dm: &DmFacts,
    table: &Reading<Vec<Target>>,
) -> Prediction {
    let uuid = dm.uuid.value().map(String::as_str);
    let owner = uuid.and_then(owner);
    let by_uuid = |reason: Reason| {
        let file = Origin::File(format!("/{}/dm/uuid", device.syspath));
        reason.because(file, uuid.unwrap_or_default())
    };
    if let Some(Owner::Never(target)) = owner {
        let text = format!("target {target} passes no zeroes command (by its uuid)");
        let own = Reason::new("dm-target-unsupported", &device.kname, text);
        return Prediction::stacked(NOTHING, vec![by_uuid(own)]);
    }
    let legs = legs(judge, &device.slaves);
    if let Some(leg) = without_command(&legs) {
        let own = Reason::new("dm-min", &device.kname, clause(&legs, NOTHING, leg)).by_rule(
            "dm_table_supports_write_zeroes (drivers/md/dm-table.c)",
            "one device without a zeroes command makes the limits of the whole 0, whatever its targets are",
        );
        return Prediction::stacked(NOTHING, chain(resting_on(own, &legs), Some(leg)));
    }
    let Some(Owner::Passes(target)) = owner else {
        return not_told(device, &legs, table);
    };
    if legs.is_empty() {
        return match target {
            "multipath" => no_paths(device, &[]),
            _ => not_told(device, &legs, table),
        };
    }
    let own = |text: String| {
        let reason = by_uuid(Reason::new("dm-min", &device.kname, text));
        resting_on(reason, &legs)
    };
    if let Some(leg) = not_known(&legs) {
        let text = format!(
            "target {target} takes the smallest limits of {} devices",
            legs.len()
        );
        return unknown_below(own(text), leg);
    }
    let result = minimum(Passed::UNLIMITED, &legs);
    let decides = deciding(&legs, result);
    let text = decides
        .map(|leg| clause(&legs, result, leg))
        .unwrap_or_default();
    Prediction::stacked(result, chain(own(text), decides))
}

/// The targets are not known: at most the minimum, and nothing certain.
fn not_told(device: &BlockDevice, legs: &[Leg], table: &Reading<Vec<Target>>) -> Prediction {
    let status = table.status().unwrap_or_default();
    let detail = table
        .detail()
        .map(|detail| format!(": {detail}"))
        .unwrap_or_default();
    let mut why = format!("its targets are not known, the table was not read ({status}{detail})");
    let hopeless = legs
        .iter()
        .find(|leg| leg.passed().is_some_and(|p| p.hw == 0));
    if let Some(leg) = hopeless {
        let at = leg.decisive().map_or(&leg.kname, |reason| &reason.at);
        let _ = write!(
            why,
            "; it has no unmap limit in any case, since {at} below has none"
        );
    }
    let to_know = match table {
        Reading::Denied(_) => Some(ROOT),
        Reading::NotAsked(_) | Reading::Absent => Some(
            "let the table be read: as root and with commands allowed, or from a capture made by root",
        ),
        _ => None,
    };
    let own = Reason::new("dm-table-unread", &device.kname, why.clone());
    Prediction::unknown(why, to_know, vec![resting_on(own, legs)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_tells_the_target_where_its_owner_builds_one_kind_alone() {
        assert_eq!(
            owner("mpath-360014051234"),
            Some(Owner::Passes("multipath"))
        );
        assert_eq!(
            owner("part1-mpath-360014051234"),
            Some(Owner::Passes("linear"))
        );
        assert_eq!(owner("CRYPT-LUKS2-0123-root"), Some(Owner::Never("crypt")));
        assert_eq!(owner("CRYPT-PLAIN-swap"), Some(Owner::Never("crypt")));
        assert_eq!(owner("CRYPT-VERITY-usr"), Some(Owner::Never("verity")));
        assert_eq!(owner("LVM-abcDEF-tpool"), Some(Owner::Never("thin-pool")));
        for uncertain in [
            "LVM-abcDEF",
            "LVM-abcDEF-cow",
            "LVM-abcDEF-cdata",
            "LVM-abcDEF-real",
            "CRYPT-SUBDEV-x",
            "part-mpath-x",
            "partx-1",
            "part1",
            "DMRAID-isw",
            "",
            "mpath",
        ] {
            assert_eq!(owner(uncertain), None, "{uncertain}");
        }
    }
}
