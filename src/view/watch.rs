//! What happened between two looks at a host.

use std::collections::{HashMap, HashSet};

use crate::facts::queue::{Attr, Value};
use crate::facts::reading::Reading;
use crate::view::report::Device;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Happening {
    /// `add`, `remove`, `change` (the device's own event), `limit`, `verdict`.
    pub what: &'static str,
    /// The device.
    pub kname: String,
    /// The limit, for `limit`.
    pub field: Option<&'static str>,
    /// What it was; null where there was nothing.
    pub old: Option<String>,
    /// What it is; null where there is nothing.
    pub new: Option<String>,
    /// In words.
    pub text: String,
}

/// An event that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// `add`, `remove`, `change`, …
    pub action: String,
    /// Kernel name.
    pub kname: String,
}

/// What is compared of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    diskseq: Option<u64>,
    limits: Vec<(Attr, Option<String>)>,
    zeroing: &'static str,
    because: String,
}

/// A host as it was last looked at.
#[derive(Debug, Default)]
pub struct Look(HashMap<String, Seen>);

impl Look {
    /// Takes what is compared from the reports.
    pub fn new(devices: &[Device]) -> Self {
        let seen = devices
            .iter()
            .map(|device| (device.kname.clone(), Seen::of(device)));
        Self(seen.collect())
    }

    /// How many devices there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What happened since an earlier look, the events in the order they came, then what no event told of.
    pub fn since(&self, earlier: &Self, events: &[Event]) -> Vec<Happening> {
        let mut happened: Vec<Happening> = Vec::new();
        let mut told: HashSet<(&str, &str)> = HashSet::new();
        let named: HashSet<&str> = events.iter().map(|event| event.kname.as_str()).collect();
        let unsaid = |kname: &str, text| if named.contains(kname) { "" } else { text };
        let mut last: HashMap<&str, &str> = HashMap::new();
        for event in events {
            told.insert((&event.action, &event.kname));
            // The removal of a mapping sends two events.
            let before = last.insert(&event.kname, &event.action);
            let again = event.action == "remove" && before == Some("remove");
            if !again && !self.was_told(earlier, event, events) {
                happened.extend(self.of_event(earlier, event));
            }
        }
        let mut every: Vec<&String> = self.0.keys().chain(earlier.0.keys()).collect();
        every.sort_by(|a, b| crate::model::ids::natural_order(a, b));
        every.dedup();
        for kname in every {
            match (earlier.0.get(kname), self.0.get(kname)) {
                (None, Some(now)) if !told.contains(&("add", kname.as_str())) => {
                    happened.push(added(kname, now, unsaid(kname, ", no event yet")));
                }
                (Some(_), None) if !told.contains(&("remove", kname.as_str())) => {
                    let text = format!("gone{}", unsaid(kname, ", no event yet"));
                    happened.push(simple("remove", kname, &text));
                }
                (Some(old), Some(now)) if old.diskseq != now.diskseq => {
                    let silent = !told.contains(&("add", kname.as_str()));
                    let how = ", another disk of the same name";
                    happened.extend(silent.then(|| added(kname, now, how)));
                }
                (Some(old), Some(now)) => differences(kname, old, now, &mut happened),
                _ => {}
            }
        }
        happened
    }

    /// Whether an earlier look found what an event tells of: udevd's events come after its rules, maybe a second late.
    fn was_told(&self, earlier: &Self, event: &Event, events: &[Event]) -> bool {
        let kname = &event.kname;
        let with = |action: &str| {
            let mut of_it = events.iter().filter(|other| other.kname == *kname);
            of_it.any(|other| other.action == action)
        };
        let (old, now) = (earlier.0.get(kname), self.0.get(kname));
        match (event.action.as_str(), old, now) {
            ("add", Some(old), Some(now)) => old.diskseq == now.diskseq && !with("remove"),
            ("remove", None, None) => !with("add"),
            _ => false,
        }
    }

    fn of_event(&self, earlier: &Self, event: &Event) -> Option<Happening> {
        let kname = &event.kname;
        let now = self.0.get(kname);
        match (event.action.as_str(), now) {
            ("add", Some(now)) => Some(added(kname, now, "")),
            ("add", None) => Some(simple("add", kname, "came, and is gone again")),
            ("remove", _) => Some(simple("remove", kname, "gone")),
            ("change", Some(now)) => {
                let same = earlier.0.get(kname) == Some(now);
                let text = match same {
                    true => "an event; nothing of its zeroing changed",
                    false => "an event, with what follows",
                };
                Some(simple("change", kname, text))
            }
            _ => None,
        }
    }
}

fn simple(what: &'static str, kname: &str, text: &str) -> Happening {
    Happening {
        what,
        kname: kname.to_owned(),
        field: None,
        old: None,
        new: None,
        text: text.to_owned(),
    }
}

fn added(kname: &str, now: &Seen, how: &str) -> Happening {
    Happening {
        new: Some(now.zeroing.to_owned()),
        ..simple(
            "add",
            kname,
            &format!("{}: {}{how}", now.zeroing, now.because),
        )
    }
}

fn differences(kname: &str, old: &Seen, now: &Seen, happened: &mut Vec<Happening>) {
    for ((attr, before), (_, after)) in old.limits.iter().zip(&now.limits) {
        if before != after {
            let word = |value: &Option<String>| value.clone().unwrap_or_else(|| "unread".into());
            let text = format!("{} {} → {}", attr.name(), word(before), word(after));
            happened.push(Happening {
                field: Some(attr.name()),
                old: before.clone(),
                new: after.clone(),
                ..simple("limit", kname, &text)
            });
        }
    }
    if old.zeroing != now.zeroing {
        let text = format!("{} → {}: {}", old.zeroing, now.zeroing, now.because);
        happened.push(Happening {
            old: Some(old.zeroing.to_owned()),
            new: Some(now.zeroing.to_owned()),
            ..simple("verdict", kname, &text)
        });
    }
}

impl Seen {
    fn of(device: &Device) -> Self {
        let read = |(attr, reading): (Attr, &Reading<Value>)| match reading {
            Reading::NotAsked(_) => None,
            Reading::Present(Value::Number(number)) => Some((attr, Some(number.to_string()))),
            Reading::Present(Value::Text(text)) => Some((attr, Some(text.to_string()))),
            _ => Some((attr, None)),
        };
        Self {
            diskseq: device.diskseq,
            limits: device.queue.limits().iter().filter_map(read).collect(),
            zeroing: device.verdict.zeroing.word(),
            because: device.verdict.because.clone(),
        }
    }
}

/// A time since 1970 in UTC, to the second.
pub fn utc(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Days of a year that begins in March, in eras of 400 years: no table and no leap rule is needed then.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(devices: &[(&str, u64, &str)]) -> Look {
        let seen = |(kname, diskseq, limit): &(&str, u64, &str)| {
            let zeroing = if *limit == "0" { "software" } else { "unmap" };
            let seen = Seen {
                diskseq: Some(*diskseq),
                limits: vec![(Attr::WriteZeroesMaxBytes, Some((*limit).to_owned()))],
                zeroing,
                because: "why".to_owned(),
            };
            ((*kname).to_owned(), seen)
        };
        Look(devices.iter().map(seen).collect())
    }

    fn event(action: &str, kname: &str) -> Event {
        Event {
            action: action.to_owned(),
            kname: kname.to_owned(),
        }
    }

    fn said(now: &Look, earlier: &Look, events: &[Event]) -> Vec<String> {
        let line = |h: &Happening| format!("{} {}: {}", h.what, h.kname, h.text);
        now.since(earlier, events).iter().map(line).collect()
    }

    #[test]
    fn a_limit_that_changes_is_told_with_the_verdict_that_follows() {
        let (earlier, now) = (look(&[("sda", 1, "512")]), look(&[("sda", 1, "0")]));
        assert_eq!(
            said(&now, &earlier, &[]),
            [
                "limit sda: write_zeroes_max_bytes 512 → 0",
                "verdict sda: unmap → software: why"
            ]
        );
        assert_eq!(said(&now, &now, &[]), [""; 0]);
    }

    #[test]
    fn times_are_those_of_date_1() {
        // date -u -d @SECONDS +%FT%TZ
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_868_799), "2000-02-29T23:59:59Z");
        assert_eq!(utc(1_796_053_813), "2026-11-30T15:50:13Z");
    }

    #[test]
    fn what_no_event_told_of_is_found_and_said_so() {
        let (earlier, now) = (look(&[("sda", 1, "0")]), look(&[("sdb", 2, "0")]));
        assert_eq!(
            said(&now, &earlier, &[]),
            [
                "remove sda: gone, no event yet",
                "add sdb: software: why, no event yet"
            ]
        );
        let events = [event("remove", "sda"), event("add", "sdb")];
        assert_eq!(
            said(&now, &earlier, &events),
            ["remove sda: gone", "add sdb: software: why"]
        );
    }

    #[test]
    fn an_event_that_comes_after_the_look_that_found_the_device_tells_nothing_new() {
        let (without, with) = (look(&[]), look(&[("sda", 1, "0")]));
        assert_eq!(said(&with, &with, &[event("add", "sda")]), [""; 0]);
        assert_eq!(said(&without, &without, &[event("remove", "sda")]), [""; 0]);
        let again = [event("remove", "sda"), event("add", "sda")];
        assert_eq!(
            said(&with, &with, &again),
            ["remove sda: gone", "add sda: software: why"]
        );
    }

    #[test]
    fn a_disk_that_came_and_went_or_was_replaced_between_two_looks_is_not_lost() {
        let (earlier, now) = (look(&[("sda", 1, "0")]), look(&[("sda", 2, "512")]));
        assert_eq!(
            said(&now, &earlier, &[]),
            ["add sda: unmap: why, another disk of the same name"]
        );
        let events = [event("add", "sdx"), event("remove", "sdx")];
        assert_eq!(
            said(&now, &now, &events),
            ["add sdx: came, and is gone again", "remove sdx: gone"]
        );
        let twice = [event("remove", "sda"), event("remove", "sda")];
        assert_eq!(said(&look(&[]), &earlier, &twice), ["remove sda: gone"]);
    }
}
