//! MD software RAID: level, chunk and members from sysfs (Documentation/admin-guide/md.rst).

use crate::facts::collect::Collector;
use crate::facts::needs::Sections;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::model::ids::{KName, natural_order};
use crate::source::files::Dir;

/// The MD side of an array.
#[derive(Debug)]
pub struct MdFacts {
    /// `md/level`: `raid0`, `raid1`, …; absent while no level is set.
    pub level: Reading<String>,
    /// `md/chunk_size` in bytes; 0 where the level has none.
    pub chunk_bytes: Reading<u64>,
    /// `md/array_state`.
    pub array_state: Reading<String>,
    /// `md/metadata_version`.
    pub metadata_version: Reading<String>,
    /// `md/raid_disks`.
    pub raid_disks: Reading<u64>,
    /// Members in the order of their slots, with slot and state.
    pub members: Vec<Member>,
}

/// A member of an array.
#[derive(Debug, PartialEq, Eq)]
pub struct Member {
    /// Its kernel name.
    pub kname: KName,
    /// `slot`: a number or `none`.
    pub slot: Reading<String>,
    /// `state`: `in_sync`, `faulty`, `spare`, …
    pub state: Reading<String>,
}

const LATER: &str = "not needed for what was asked";

impl MdFacts {
    /// Reads them.
    pub fn collect(collector: &Collector, device: &BlockDevice) -> Self {
        let place = format!("{}/md", device.syspath);
        let dir = match collector.host.files.dir(&place) {
            Ok(dir) => dir,
            Err(error) => {
                return Self {
                    level: Reading::from_errno(error),
                    chunk_bytes: Reading::from_errno(error),
                    array_state: Reading::from_errno(error),
                    metadata_version: Reading::from_errno(error),
                    raid_disks: Reading::from_errno(error),
                    members: Vec::new(),
                };
            }
        };
        let all = collector.needs.wants(Sections::MD);
        Self {
            level: collector
                .text(&dir, "level")
                .and_then(|level| match level.as_str() {
                    "" => Reading::Absent,
                    _ => Reading::Present(level),
                }),
            chunk_bytes: first_number(collector, &dir, "chunk_size"),
            array_state: collector.text(&dir, "array_state"),
            metadata_version: if all {
                collector.text(&dir, "metadata_version")
            } else {
                Reading::NotAsked(LATER)
            },
            raid_disks: if all {
                first_number(collector, &dir, "raid_disks")
            } else {
                Reading::NotAsked(LATER)
            },
            members: if all {
                members(collector, &dir)
            } else {
                Vec::new()
            },
        }
    }
}

/// While an array is reshaped, `chunk_size` and `raid_disks` hold the new value and the old one in brackets.
fn first_number(collector: &Collector, dir: &Dir, name: &str) -> Reading<u64> {
    collector
        .text(dir, name)
        .and_then(|text| parse_number(&text))
}

fn parse_number(text: &str) -> Reading<u64> {
    let first = text.split(' ').next().unwrap_or_default();
    match first.parse() {
        Ok(number) if first.bytes().all(|byte| byte.is_ascii_digit()) => Reading::Present(number),
        _ => Reading::malformed(crate::facts::queue::shown(text.as_bytes(), "a number")),
    }
}

fn members(collector: &Collector, dir: &Dir) -> Vec<Member> {
    let files = collector.host.files.as_ref();
    let mut members: Vec<Member> = files
        .list(&dir.path)
        .unwrap_or_default()
        .iter()
        .filter(|name| name.starts_with("dev-"))
        .filter_map(|name| {
            let block = collector.link_name(&format!("{}/{name}/block", dir.path));
            // A member that was pulled out has no link any more, but still its name.
            let kname = block
                .value()
                .map(String::as_str)
                .or_else(|| name.strip_prefix("dev-"));
            let kname = KName::new(kname?)?;
            let text = |file: &str| match files.subdir(dir, name) {
                Ok(member) => collector.text(&member, file),
                Err(error) => Reading::from_errno(error),
            };
            Some(Member {
                kname,
                slot: text("slot"),
                state: text("state"),
            })
        })
        .collect();
    members.sort_by(|a, b| {
        let slot = |member: &Member| {
            member
                .slot
                .value()
                .and_then(|slot| slot.parse().ok())
                .unwrap_or(u32::MAX)
        };
        slot(a)
            .cmp(&slot(b))
            .then_with(|| natural_order(a.kname.as_str(), b.kname.as_str()))
    });
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reshaping_array_shows_two_numbers() {
        assert_eq!(parse_number("524288"), Reading::Present(524_288));
        assert_eq!(parse_number("65536 (131072)"), Reading::Present(65_536));
        for bad in ["", "+1", "-1", "none", "99999999999999999999"] {
            assert_eq!(parse_number(bad).status(), Some("malformed"), "{bad:?}");
        }
    }
}
