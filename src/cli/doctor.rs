//! `zinspect doctor`: lints.

use zinspect_exporters::{write_json, write_page};

use super::args::{Cli, DoctorArgs, DoctorFormat, FailOn};
use super::{
    Exit, RunError, delivered, exit_of, host, inspect, output, report_failures, report_missing,
};
use crate::facts::collect::Collector;
use crate::facts::identity;
use crate::facts::needs::Needs;
use crate::facts::nodes;
use crate::model::device::BlockDevice;
use crate::model::topology::Topology;
use crate::probe::printed::Printed;
use crate::probe::store;
use crate::verdict::lint::udev_rule::Probed;
use crate::verdict::reason::Level;
use crate::verdict::{Judge, lint};
use crate::view::doctor::Report;

/// Looks at everything, or at some devices with what they stand on.
pub(super) fn run(cli: &Cli, args: &DoctorArgs) -> Result<Exit, RunError> {
    let printed: Vec<Printed> = args
        .probe_result
        .iter()
        .map(|path| Printed::read(path))
        .collect::<Result<_, _>>()?;
    let source = host::open(&cli.host)?;
    let collector = Collector::new(&source, Needs::ALL);
    let (targets, failures) = host::resolve(&collector, &args.targets);
    report_failures(&failures);
    let chosen = !args.targets.is_empty();
    if chosen && targets.is_empty() {
        return Ok(Exit::None);
    }
    let mut collected = host::collect(&collector, chosen.then_some(&targets[..]))?;
    report_missing(&collected.missing);
    nodes::read(&source, &mut collected.topology);
    let judge = Judge::new(&collected.topology, &collector.kernel);
    let devices: Vec<&BlockDevice> = collected
        .topology
        .iter()
        .filter(|device| chosen || args.all || inspect::is_listed(device))
        .collect();
    let mut findings = lint::run(&judge, &devices);
    let kept = store::probed(&collector, &collected.topology);
    findings.extend(lint::probed::all(&judge, &devices, &kept));
    let mut probed = probed(&collector, &collected.topology, printed)?;
    // What was given by hand goes before what was kept.
    probed.extend(kept.of.iter().map(|(kname, record)| Probed {
        kname: kname.clone(),
        result: record.into(),
    }));
    lint::udev_rule::add(&judge, &mut findings, &probed);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    // What was found decides the exit status, also where its reader wanted no more than the first lines.
    delivered(write(cli, args, &Report::new(&findings), devices.len()))?;
    let gone = targets
        .iter()
        .filter(|kname| collected.topology.get(kname).is_none())
        .count();
    let exit = exit_of(targets.len() + failures.len(), gone + failures.len());
    let least = match args.fail_on {
        FailOn::Info => Level::Info,
        FailOn::Warning => Level::Warning,
        FailOn::Error => Level::Error,
    };
    let fails = findings.iter().any(|finding| finding.level >= least);
    Ok(if exit == Exit::All && fails {
        Exit::NotMet
    } else {
        exit
    })
}

fn write(cli: &Cli, args: &DoctorArgs, report: &Report, devices: usize) -> Result<(), RunError> {
    let mut out = output::stdout();
    match args.output {
        DoctorFormat::Json => write_json(&mut out, report, true)?,
        DoctorFormat::Detail => {
            write_page(&mut out, &report.page(devices), &output::options(&cli.out))?;
        }
    }
    Ok(output::finish(out)?)
}

/// The disks that results are of. One of another disk proves nothing here, and is told.
fn probed(
    collector: &Collector,
    topology: &Topology,
    printed: Vec<Printed>,
) -> Result<Vec<Probed>, RunError> {
    let named = |result: &Printed| {
        let wanted = result.identity.as_deref()?;
        let disks = topology.iter().filter(|device| device.disk.is_none());
        let is = |disk: &&BlockDevice| {
            let name = identity::of(collector, disk).name;
            // A partition's result is one of its disk's commands.
            wanted == name || wanted.strip_prefix(&name).is_some_and(is_partition)
        };
        disks.into_iter().find(is).map(|disk| disk.kname.clone())
    };
    let of = |result: Printed| match (named(&result), &result.identity) {
        (Some(kname), _) => Ok(Probed { kname, result }),
        (None, Some(identity)) => Err(RunError::Usage(format!(
            "--probe-result {}: is of {identity}, and no device looked at is that one",
            result.path.display()
        ))),
        (None, None) => Err(RunError::Usage(format!(
            "--probe-result {}: is of a scratch file, which proves nothing of a disk's own commands: probe the disk",
            result.path.display()
        ))),
    };
    printed.into_iter().map(of).collect()
}

fn is_partition(rest: &str) -> bool {
    rest.strip_prefix("-part")
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
