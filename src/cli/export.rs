//! `zinspect export`: feeds other programs.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use zinspect_exporters::{Family, write_prometheus, write_properties};

use super::args::{Cli, ExportArgs, ExportTo, HostArgs, PrometheusArgs, SeriesArgs, UdevArgs};
use super::{Exit, RunError, host, inspect, output, report_failures, report_missing, say};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::facts::timed;
use crate::facts::walk;
use crate::model::device::{BlockDevice, Kind};
use crate::model::text;
use crate::probe::store;
use crate::source::whole_file;
use crate::verdict::Judge;
use crate::view::metrics::{self, Options, Scrape};
use crate::view::properties;
use crate::view::report::Device;

/// Exports.
pub(super) fn run(cli: &Cli, args: &ExportArgs) -> Result<Exit, RunError> {
    match &args.to {
        ExportTo::Prometheus(args) => prometheus(cli, args),
        ExportTo::Udev(args) => udev(cli, args),
    }
}

fn prometheus(cli: &Cli, args: &PrometheusArgs) -> Result<Exit, RunError> {
    if let Some(path) = &args.output {
        check_name(path)?;
    }
    let options = args.series.options();
    let source = host::open(&cli.host)?;
    let collector = Collector::new(&source, metrics::needs(options));
    let (timed, failed) = timed::all(&collector, |_| {});
    if let Some(error) = failed {
        return Err(error.into());
    }
    report_missing(&timed.collected.missing);
    let judge = Judge::new(&timed.collected.topology, &collector.kernel);
    let devices: Vec<Device> = timed
        .collected
        .topology
        .iter()
        .filter(|device| args.series.takes(device))
        .map(|device| Device::new(&judge, device, collector.needs))
        .collect();
    let mut families: Vec<Family> = metrics::families(&devices, options);
    let probed = store::probed(&collector, &timed.collected.topology);
    probed.bad.iter().for_each(say);
    families.extend(metrics::probe::families(&devices, &probed));
    families.extend(metrics::scrape(&Scrape {
        parts: timed.parts,
        devices: devices.len(),
    }));
    let Some(path) = &args.output else {
        let mut out = output::stdout();
        write_prometheus(&mut out, &families)?;
        output::finish(out)?;
        return Ok(Exit::All);
    };
    let mut text = Vec::new();
    write_prometheus(&mut text, &families)?;
    whole_file::write(path, &text)?;
    Ok(Exit::All)
}

/// What cannot be read costs an event nothing: no property, a line on stderr, status 0.
fn udev(cli: &Cli, args: &UdevArgs) -> Result<Exit, RunError> {
    let Some(node) = args.node.to_str() else {
        let shown = text::clean(args.node.as_bytes());
        say(format!("{shown}: not read: the name is no UTF-8"));
        return Ok(Exit::All);
    };
    let source = host::open(&HostArgs {
        no_ioctl: cli.host.no_ioctl || !args.commands,
        ..cli.host.clone()
    })?;
    let collector = Collector::new(&source, Needs::VERDICT);
    let (targets, failures) = host::resolve(&collector, &[node.to_owned()]);
    report_failures(&failures);
    let collected = walk::with_stacks(&collector, &targets);
    report_missing(&collected.missing);
    let device = targets
        .first()
        .and_then(|target| collected.topology.get(target));
    if let Some(device) = device {
        let judge = Judge::new(&collected.topology, &collector.kernel);
        let report = Device::new(&judge, device, collector.needs);
        let mut out = output::stdout();
        write_properties(&mut out, &properties::of(&report))?;
        output::finish(out)?;
    }
    Ok(Exit::All)
}

/// node_exporter passes over every other name without a word.
fn check_name(path: &Path) -> Result<(), RunError> {
    if path.extension().is_some_and(|ending| ending == "prom") {
        return Ok(());
    }
    Err(RunError::Usage(format!(
        "--output {}: node_exporter reads files that end in .prom alone; name one",
        path.display()
    )))
}

impl SeriesArgs {
    pub(super) fn options(self) -> Options {
        Options {
            all_limits: self.all_limits,
        }
    }

    /// Whether a device has series.
    pub(super) fn takes(self, device: &BlockDevice) -> bool {
        (self.partitions || device.kind != Kind::Partition)
            && (self.all || inspect::is_listed(device))
    }
}
