//! `zinspect watch`: devices that come and go, limits that change.

use std::io::Write;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use zinspect_exporters::{printable, write_ndjson};

use super::args::{Cli, WatchArgs};
use super::{Exit, RunError, host, inspect, output, report_failures, say};
use crate::facts::collect::Collector;
use crate::facts::needs::{Needs, Sections};
use crate::facts::timed;
use crate::model::ids::KName;
use crate::source::command::Commands;
use crate::source::remember::{Remembering, remembering};
use crate::source::{Host, Source, events, trigger};
use crate::verdict::Judge;
use crate::view::metrics::{self, Options};
use crate::view::report::Device;
use crate::view::watch::{Event, Happening, Look, utc};

/// What comes within this time of an event is one look: a disk brings its partitions and what stands on it.
const SETTLE: Duration = Duration::from_millis(200);

/// A line of ndjson.
#[derive(serde::Serialize)]
struct Line<'h> {
    time: f64,
    #[serde(flatten)]
    happening: &'h Happening,
}

struct Watch<'a> {
    args: &'a WatchArgs,
    /// By kernel name, so that one that goes and comes back is told of; every device without one.
    targets: Vec<KName>,
    host: Host,
    memory: Rc<Remembering<Box<dyn Commands>>>,
}

/// Watches until a signal ends it, or `--looks` are done.
pub(super) fn run(cli: &Cli, args: &WatchArgs) -> Result<Exit, RunError> {
    let (host, memory) = remembering(host::open(&cli.host)?);
    if host.source != Source::Live {
        let why = "watch: a captured host does not change; leave --snapshot and --sysroot out";
        return Err(RunError::Usage(why.to_owned()));
    }
    let targets = targets(&host, args)?;
    let watch = Watch {
        args,
        targets,
        host,
        memory,
    };
    let listener = events::Listener::new();
    let interval = Duration::from_secs(args.interval);
    let mut look = watch.look()?;
    say(format!(
        "watching {} devices; {}. The kernel tells of no limit that changes, so what changes and changes back within \
         {} s is missed",
        look.len(),
        listener.says(),
        args.interval
    ));
    let mut looks = 0;
    while args.looks.is_none_or(|most| looks < most) {
        let mut came = listener.wait(interval);
        if !came.is_empty() {
            came.extend(listener.wait(SETTLE));
        }
        for event in came.iter().filter(|event| event.action == "change") {
            match event.diskseq {
                Some(diskseq) => watch.memory.forget(diskseq),
                None => watch.memory.forget_all(),
            }
        }
        let came: Vec<Event> = came
            .into_iter()
            .filter(|event| watch.takes(&event.kname))
            .map(|event| Event {
                action: event.action,
                kname: event.kname,
            })
            .collect();
        let now = watch.look()?;
        watch.tell(&now.since(&look, &came))?;
        look = now;
        looks += 1;
    }
    Ok(Exit::All)
}

/// The devices to watch. One that is not there would be waited for without a word, so it is refused.
fn targets(host: &Host, args: &WatchArgs) -> Result<Vec<KName>, RunError> {
    let collector = Collector::new(host, Needs::VERDICT);
    let (targets, failures) = host::resolve(&collector, &args.targets);
    if failures.is_empty() {
        return Ok(targets);
    }
    report_failures(&failures);
    let why = "watch: a target has to be there when watching begins; without a target, devices that come are told of";
    Err(RunError::Usage(why.to_owned()))
}

impl Watch<'_> {
    fn takes(&self, kname: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|target| target.as_str() == kname)
    }

    fn look(&self) -> Result<Look, RunError> {
        let needs = metrics::needs(Options::default()).with(Sections::IDENTITY);
        let collector = Collector::new(&self.host, needs);
        let (timed, failed) = timed::with_memory(&collector, &self.memory);
        if let Some(error) = failed {
            return Err(error.into());
        }
        let topology = &timed.collected.topology;
        let judge = Judge::new(topology, &collector.kernel);
        let devices: Vec<Device> = topology
            .iter()
            .filter(|device| match self.targets.is_empty() {
                true => inspect::is_listed(device),
                false => self.targets.contains(&device.kname),
            })
            .map(|device| Device::new(&judge, device, collector.needs))
            .collect();
        Ok(Look::new(&devices))
    }

    fn tell(&self, happened: &[Happening]) -> Result<(), RunError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        let (time, clock) = (now.as_secs_f64(), utc(now.as_secs()));
        let mut out = output::stdout();
        for happening in happened {
            if self.args.ndjson {
                write_ndjson(&mut out, std::iter::once(Line { time, happening }))?;
            } else {
                let Happening {
                    what, kname, text, ..
                } = happening;
                writeln!(out, "{clock} {what} {kname}: {}", printable(text))?;
            }
            if self.args.trigger && happening.what == "limit" {
                trigger::change(&happening.kname).unwrap_or_else(say);
            }
        }
        Ok(output::finish(out)?)
    }
}
