//! `zinspect doctor`: lints.

use zinspect_exporters::{write_json, write_page};

use super::args::{Cli, DoctorArgs, DoctorFormat, FailOn};
use super::{Exit, RunError, exit_of, host, inspect, output, report_failures, report_missing};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::facts::nodes;
use crate::model::device::BlockDevice;
use crate::probe::store;
use crate::verdict::reason::Level;
use crate::verdict::{Judge, lint};
use crate::view::doctor::Report;

/// Looks at everything, or at some devices with what they stand on.
pub(super) fn run(cli: &Cli, args: &DoctorArgs) -> Result<Exit, RunError> {
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
    let probed = store::probed(&collector, &collected.topology);
    findings.extend(lint::probed::all(&judge, &devices, &probed));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let report = Report::new(&findings);
    let mut out = output::stdout();
    match args.output {
        DoctorFormat::Json => write_json(&mut out, &report, true)?,
        DoctorFormat::Detail => {
            let page = report.page(devices.len());
            write_page(&mut out, &page, &output::options(&cli.out))?;
        }
    }
    output::finish(out)?;
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
