//! The thread that reads the host, one collection at a time.

use std::convert::Infallible;
use std::io;
use std::rc::Rc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use zinspect_exporters::{write_json, write_prometheus};

use super::log::Log;
use super::{Settings, page};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::facts::timed::{self, Timed};
use crate::model::device::BlockDevice;
use crate::probe::store;
use crate::say::say;
use crate::source::Host;
use crate::source::command::Commands;
use crate::source::remember::{Remembering, remembering};
use crate::verdict::Judge;
use crate::view::metrics::{self, Options, Scrape};
use crate::view::report::{Device, Report, SCHEMA_VERSION};

/// How often events are taken from their socket, so that it does not run over.
const DRAIN: Duration = Duration::from_secs(2);

/// What is asked of the thread.
pub(super) enum Request {
    /// Metrics, and the page made of the same collection.
    Metrics(oneshot::Sender<Rendered>),
    /// The report, version 1.
    Devices(oneshot::Sender<Rendered>),
    /// Devices are asked anew from now on.
    Forget,
}

/// A collection, ready to be sent.
#[derive(Debug, Clone)]
pub(super) struct Rendered {
    /// Metrics, or JSON.
    pub body: Result<Bytes, String>,
    /// The page.
    pub page: Bytes,
}

/// How the thread is asked, and what tells that it is there no more.
type Started = (mpsc::Sender<Request>, oneshot::Receiver<Infallible>);

/// Starts it. It ends when nobody can ask any more, when the host cannot be opened, or when it panics.
pub(super) fn start(settings: Settings) -> io::Result<Started> {
    let (sender, requests) = mpsc::channel();
    let (alive, ended) = oneshot::channel::<Infallible>();
    std::thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || {
            // Dropped however the thread ends.
            let _alive = alive;
            serve(settings, &requests);
        })?;
    Ok((sender, ended))
}

struct Reader {
    host: Host,
    memory: Rc<Remembering<Box<dyn Commands>>>,
    options: Options,
    takes: Box<dyn Fn(&BlockDevice) -> bool + Send>,
    log: Log,
}

fn serve(settings: Settings, requests: &mpsc::Receiver<Request>) {
    let Settings {
        open,
        options,
        takes,
        ..
    } = settings;
    let host = match open() {
        Ok(host) => host,
        Err(error) => {
            say(error);
            return;
        }
    };
    let (host, memory) = remembering(host);
    let reader = Reader {
        host,
        memory,
        options,
        takes,
        log: Log::default(),
    };
    let events = Events::of(&reader.host);
    loop {
        let request = requests.recv_timeout(DRAIN);
        events.forget_changed(&reader.memory);
        // Who asked may be gone: then nobody wants the answer.
        match request {
            Ok(Request::Metrics(answer)) => drop(answer.send(reader.metrics())),
            Ok(Request::Devices(answer)) => drop(answer.send(reader.devices())),
            Ok(Request::Forget) => reader.memory.forget_all(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

impl Reader {
    fn collect(&self, collector: &Collector) -> Result<Timed, Timed> {
        let (timed, failed) = timed::with_memory(collector, &self.memory);
        let missing = timed.collected.missing.iter().chain(&failed);
        self.log.tell(missing.map(ToString::to_string).collect());
        match failed {
            Some(_) => Err(timed),
            None => Ok(timed),
        }
    }

    fn metrics(&self) -> Rendered {
        let collector = Collector::new(&self.host, metrics::needs(self.options));
        // Not even a list: what says so is a metric too, and no device has a series.
        let timed = self.collect(&collector).unwrap_or_else(|timed| timed);
        let devices = self.reports(&collector, &timed);
        let mut families = metrics::families(&devices, self.options);
        let probed = store::probed(&collector, &timed.collected.topology);
        families.extend(metrics::probe::families(&devices, &probed));
        families.extend(metrics::scrape(&Scrape {
            parts: timed.parts,
            devices: devices.len(),
        }));
        let mut text = Vec::new();
        let body = write_prometheus(&mut text, &families)
            .map(|()| Bytes::from(text))
            .map_err(|error| format!("cannot write metrics: {error}"));
        Rendered {
            body,
            page: page::render(&devices, &collector.kernel.release),
        }
    }

    fn devices(&self) -> Rendered {
        let collector = Collector::new(&self.host, Needs::ALL);
        let body = match self.collect(&collector) {
            Err(_) => Err("block devices cannot be listed; is sysfs mounted on /sys?".to_owned()),
            Ok(timed) => {
                let release = &collector.kernel.release;
                let report = Report {
                    schema_version: SCHEMA_VERSION,
                    zinspect: env!("CARGO_PKG_VERSION").to_owned(),
                    kernel: (!release.is_empty()).then(|| release.clone()),
                    source: self.host.source,
                    devices: self.reports(&collector, &timed),
                    files: Vec::new(),
                };
                let mut text = Vec::new();
                write_json(&mut text, &report, false)
                    .map(|()| Bytes::from(text))
                    .map_err(|error| format!("cannot write JSON: {error}"))
            }
        };
        Rendered {
            body,
            page: Bytes::new(),
        }
    }

    fn reports(&self, collector: &Collector, timed: &Timed) -> Vec<Device> {
        let topology = &timed.collected.topology;
        let judge = Judge::new(topology, &collector.kernel);
        let taken = topology.iter().filter(|device| (self.takes)(device));
        taken
            .map(|device| Device::new(&judge, device, collector.needs))
            .collect()
    }
}

/// The kernel's events, where this build and this host have them. Without them devices are asked anew on SIGHUP alone.
struct Events {
    #[cfg(feature = "udev")]
    changes: Option<crate::source::udev_changes::Changes>,
}

impl Events {
    #[cfg(feature = "udev")]
    fn of(host: &Host) -> Self {
        use crate::source::udev_changes::{Changes, Teller};
        let changes = match host
            .files
            .is_live()
            .then(|| Changes::listen(Teller::Kernel))
        {
            Some(Err(error)) => {
                let why = crate::source::errno::describe(error);
                say(format!(
                    "no events of the kernel ({why}): after a change, send SIGHUP to have devices asked anew"
                ));
                None
            }
            Some(Ok(changes)) => Some(changes),
            None => None,
        };
        Self { changes }
    }

    #[cfg(not(feature = "udev"))]
    fn of(_host: &Host) -> Self {
        Self {}
    }

    #[cfg(feature = "udev")]
    fn forget_changed<C: Commands>(&self, memory: &Remembering<C>) {
        let drained = self.changes.iter().flat_map(|changes| changes.drain());
        for change in drained.filter(|change| change.action == "change") {
            match change.diskseq {
                Some(diskseq) => memory.forget(diskseq),
                None => memory.forget_all(),
            }
        }
    }

    #[cfg(not(feature = "udev"))]
    #[expect(clippy::unused_self, reason = "the other build listens")]
    fn forget_changed<C: Commands>(&self, _memory: &Remembering<C>) {}
}
