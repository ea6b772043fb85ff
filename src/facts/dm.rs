//! Device-mapper: name, uuid and state from sysfs; table, status and target versions by ioctl.

use crate::facts::collect::Collector;
use crate::facts::needs::Sections;
use crate::facts::origin::{Fact, Origin};
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::model::ids::DevNo;
use crate::model::text;
use crate::source::command::{Command, DM_CONTROL, DmLine, Node, Reply};
use crate::wire::dm::table::{DeviceId, Target};

/// The device-mapper side of a device.
#[derive(Debug)]
pub struct DmFacts {
    /// `dm/name`.
    pub name: Reading<String>,
    /// `dm/uuid`; empty is absent. Its prefix tells the owner: `LVM-`, `mpath-`, `CRYPT-`, `part1-`.
    pub uuid: Reading<String>,
    /// `dm/suspended`.
    pub suspended: Reading<bool>,
    /// The live table, parsed; secrets are gone before it gets here.
    pub table: Fact<Vec<Target>>,
    /// Status lines without counters, one for each target of the table.
    pub status: Fact<Vec<String>>,
    /// Target types and versions of the kernel, `name version`.
    pub target_versions: Reading<Vec<String>>,
    /// Sectors of a zone where the table has a `zoned` target (`queue/chunk_sectors` of the zoned device): its limit.
    pub zone_sectors: Reading<u64>,
}

const LATER: &str = "not needed for what was asked";
const NO_NUMBER: &str = "the device number could not be read";

impl DmFacts {
    /// Reads them.
    pub fn collect(collector: &Collector, device: &BlockDevice) -> Self {
        let place = format!("{}/dm", device.syspath);
        let dir = collector.host.files.dir(&place);
        let text = |name: &str| match &dir {
            Ok(dir) => collector.text(dir, name),
            Err(error) => Reading::from_errno(*error),
        };
        let full = collector.needs.wants(Sections::DM);
        let devno = device.devno.get();
        let table = table(collector, devno);
        Self {
            name: text("name"),
            uuid: text("uuid").and_then(|uuid| match uuid.as_str() {
                "" => Reading::Absent,
                _ => Reading::Present(uuid),
            }),
            suspended: match &dir {
                Ok(dir) => collector.flag(dir, "suspended"),
                Err(error) => Reading::from_errno(*error),
            },
            zone_sectors: zone_sectors(collector, table.value()),
            status: if full {
                status(collector, devno)
            } else {
                Fact::not_asked(LATER)
            },
            target_versions: if full {
                versions(collector)
            } else {
                Reading::NotAsked(LATER)
            },
            table,
        }
    }
}

fn asked<T>(what: &str, reading: Reading<T>) -> Fact<T> {
    Fact {
        reading,
        origin: Origin::Command {
            node: DM_CONTROL.to_owned(),
            what: what.to_owned(),
        },
    }
}

fn ask(collector: &Collector, command: &Command) -> Reading<Reply> {
    match collector
        .host
        .commands
        .command(&Node::dm_control(), command)
    {
        Ok(reply) => Reading::Present(reply),
        Err(error) => Reading::from_command(error),
    }
}

fn other_answer<T>(reply: &Reply) -> Reading<T> {
    let reply = text::clean(format!("{reply:?}").as_bytes());
    Reading::malformed(format!("an answer to another command: {reply:.80}"))
}

fn table(collector: &Collector, devno: Option<DevNo>) -> Fact<Vec<Target>> {
    let Some(devno) = devno else {
        return Fact::not_asked(NO_NUMBER);
    };
    let command = Command::DmTable {
        devno: (devno.major, devno.minor),
    };
    let reading = ask(collector, &command).and_then(|reply| match reply {
        Reply::DmTable { lines, .. } => parse(&lines),
        other => other_answer(&other),
    });
    asked("DM_TABLE_STATUS with DM_STATUS_TABLE_FLAG", reading)
}

/// All lines or none: a table with a line less would have other limits.
fn parse(lines: &[DmLine]) -> Reading<Vec<Target>> {
    let target = |(at, line): (usize, &DmLine)| {
        Target::new(line.start, line.length, &line.target, &line.params)
            .map_err(|error| format!("table line {}: {error}", at + 1))
    };
    match lines.iter().enumerate().map(target).collect() {
        Ok(targets) => Reading::Present(targets),
        Err(why) => Reading::malformed(text::clean(why.as_bytes())),
    }
}

fn status(collector: &Collector, devno: Option<DevNo>) -> Fact<Vec<String>> {
    let Some(devno) = devno else {
        return Fact::not_asked(NO_NUMBER);
    };
    let command = Command::DmStatus {
        devno: (devno.major, devno.minor),
    };
    let line = |line: &DmLine| {
        let words = format!(
            "{} {} {} {}",
            line.start, line.length, line.target, line.params
        );
        text::clean(words.as_bytes())
    };
    let reading = ask(collector, &command).and_then(|reply| match reply {
        Reply::DmStatus { lines, .. } => Reading::Present(lines.iter().map(line).collect()),
        other => other_answer(&other),
    });
    asked("DM_TABLE_STATUS", reading)
}

/// The same for every device of a host, so asked once.
fn versions(collector: &Collector) -> Reading<Vec<String>> {
    let read = || {
        ask(collector, &Command::DmTargets).and_then(|reply| match reply {
            Reply::DmTargets(targets) => {
                let mut named: Vec<String> = targets
                    .iter()
                    .map(|target| {
                        let [major, minor, patch] = target.version;
                        format!(
                            "{} {major}.{minor}.{patch}",
                            text::clean(target.name.as_bytes())
                        )
                    })
                    .collect();
                named.sort_unstable();
                Reading::Present(named)
            }
            other => other_answer(&other),
        })
    };
    collector.dm_targets.get_or_init(read).clone()
}

/// dm-zoned takes regular devices too: the zoned one is that whose queue has a chunk.
fn zone_sectors(collector: &Collector, table: Option<&Vec<Target>>) -> Reading<u64> {
    let zoned = table
        .into_iter()
        .flatten()
        .filter(|target| target.name == "zoned");
    let mut last = Reading::Absent;
    for device in zoned.flat_map(|target| &target.devices) {
        let DeviceId::Number(major, minor) = device.device else {
            continue;
        };
        let files = collector.host.files.as_ref();
        let place = crate::source::files::follow(files, &format!("sys/dev/block/{major}:{minor}"));
        last = match place.and_then(|place| files.dir(&format!("{place}/queue"))) {
            Ok(queue) => collector.number(&queue, "chunk_sectors"),
            Err(error) => Reading::from_errno(error),
        };
        if last.get().is_some_and(|sectors| sectors > 0) {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(target: &str, params: &str) -> DmLine {
        DmLine {
            start: 0,
            length: 8,
            target: target.into(),
            params: params.into(),
        }
    }

    #[test]
    fn a_table_is_read_whole_or_not_at_all() {
        let table = parse(&[line("linear", "8:0 0"), line("zero", "")]);
        assert_eq!(table.value().map(Vec::len), Some(2));
        assert_eq!(parse(&[]), Reading::Present(Vec::new()));
        let broken = parse(&[line("linear", "8:0 0"), line("linear", "8:0")]);
        assert_eq!(broken.status(), Some("malformed"));
        assert!(
            broken
                .detail()
                .is_some_and(|why| why.starts_with("table line 2:")),
            "{broken:?}"
        );
    }
}
