//! `zinspect whatif`: the verdict on a stack that does not exist yet.

use std::collections::BTreeMap;
use std::io::Write;

use zinspect_exporters::{Streamed, write_json, write_page};

use super::args::{Cli, WhatIfArgs, WhatIfFormat};
use super::{Exit, RunError, host, output, report_missing};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::facts::target;
use crate::facts::walk;
use crate::facts::whatif::{self, WhatIfError};
use crate::model::device::BlockDevice;
use crate::model::ids::KName;
use crate::model::plan::Plan;
use crate::source::Source;
use crate::verdict::Judge;
use crate::view::detail;
use crate::view::report::{Device, Report, SCHEMA_VERSION};

/// Predicts.
pub(super) fn run(cli: &Cli, args: &WhatIfArgs) -> Result<Exit, RunError> {
    let plan = Plan::parse(&args.dm, &args.md, &args.nvme_paths)?;
    let source = host::open(&cli.host)?;
    let collector = Collector::new(&source, Needs::ALL);
    let mapped = target::mapper_names(&collector);
    let taken = plan
        .devices
        .iter()
        .map(|(name, _)| name)
        .find(|name| collector.syspath(name).is_ok() || mapped.contains(name.as_str()));
    if let Some(name) = taken {
        return Err(WhatIfError::Taken(name.clone()).into());
    }
    let real = resolve(&collector, &plan)?;
    let mut below: Vec<KName> = real.values().cloned().collect();
    below.sort();
    below.dedup();
    let mut collected = walk::with_stacks(&collector, &below);
    report_missing(&collected.missing);
    whatif::build(&mut collected.topology, &plan, &real)?;
    let judge = Judge::new(&collected.topology, &collector.kernel);
    // The last one stands on the others: it comes first, as a target does.
    let planned = plan.devices.iter().rev().map(|(name, _)| name);
    let planned: Vec<&BlockDevice> = planned
        .filter_map(|name| collected.topology.get(name))
        .collect();
    let mut out = output::stdout();
    match args.output {
        WhatIfFormat::Detail => pages(cli, &mut out, &judge, &planned)?,
        WhatIfFormat::Json => {
            let others = collected
                .topology
                .iter()
                .filter(|device| plan.find(device.kname.as_str()).is_none());
            let devices = planned.iter().copied().chain(others).map(|device| {
                let needs = match plan.find(device.kname.as_str()) {
                    Some(_) => Needs::VERDICT,
                    None => Needs::ALL,
                };
                Device::new(&judge, device, needs)
            });
            let release = &collector.kernel.release;
            let report = Report {
                schema_version: SCHEMA_VERSION,
                zinspect: env!("CARGO_PKG_VERSION").to_owned(),
                kernel: (!release.is_empty()).then(|| release.clone()),
                source: Source::WhatIf,
                devices: Streamed::new(devices),
                files: Vec::new(),
            };
            write_json(&mut out, &report, true)?;
        }
    }
    output::finish(out)?;
    Ok(Exit::All)
}

fn pages(
    cli: &Cli,
    out: &mut dyn Write,
    judge: &Judge,
    planned: &[&BlockDevice],
) -> Result<(), RunError> {
    let options = output::options(&cli.out);
    for (at, device) in planned.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let report = Device::new(judge, device, Needs::VERDICT);
        let page = detail::page(&report, device, detail::Detail { raw: false });
        write_page(out, &page, &options)?;
    }
    Ok(())
}

/// The device of the host for each word that names no planned one.
fn resolve(collector: &Collector, plan: &Plan) -> Result<BTreeMap<String, KName>, RunError> {
    let mut real = BTreeMap::new();
    let words = plan.devices.iter().flat_map(|(_, build)| build.words());
    for word in words.filter(|word| plan.find(word).is_none()) {
        let found = target::resolve(collector, &word).map_err(|error| {
            RunError::Usage(format!(
                "{error}; planned are {}",
                plan.devices
                    .iter()
                    .map(|(name, _)| name.as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            ))
        })?;
        let [kname] = found.as_slice() else {
            let why = format!("{word}: stands for several devices; name one");
            return Err(RunError::Usage(why));
        };
        real.insert(word, kname.clone());
    }
    Ok(real)
}
