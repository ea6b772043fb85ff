//! `zinspect tree`: the topology.

use std::collections::HashMap;

use zinspect_exporters::write_tree;

use super::args::{Cli, TreeArgs};
use super::{
    Exit, RunError, delivered, exit_of, host, inspect, output, report_failures, report_missing,
};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::facts::walk;
use crate::model::ids::KName;
use crate::verdict::Judge;
use crate::view::report::Device;
use crate::view::tree::{self, Growth};

/// Draws.
pub(super) fn run(cli: &Cli, args: &TreeArgs) -> Result<Exit, RunError> {
    let source = host::open(&cli.host)?;
    let collector = Collector::new(&source, Needs::ALL);
    let (targets, failures) = host::resolve(&collector, &args.targets);
    report_failures(&failures);
    if !args.targets.is_empty() && targets.is_empty() {
        return Ok(Exit::None);
    }
    let growth = if args.inverse {
        Growth::Down
    } else {
        Growth::Up
    };
    let collected = match (args.targets.is_empty(), growth) {
        (true, _) => walk::all(&collector)?,
        (false, Growth::Down) => walk::with_stacks(&collector, &targets),
        (false, Growth::Up) => walk::with_holders(&collector, &targets),
    };
    report_missing(&collected.missing);
    let judge = Judge::new(&collected.topology, &collector.kernel);
    let reports: HashMap<KName, Device> = collected
        .topology
        .iter()
        .map(|device| {
            (
                device.kname.clone(),
                Device::new(&judge, device, Needs::ALL),
            )
        })
        .collect();
    let listed =
        |device: &crate::model::device::BlockDevice| args.all || inspect::is_listed(device);
    let drawn = tree::tree(&collected.topology, &reports, &targets, growth, &listed);
    let mut out = output::stdout();
    let options = output::options(&cli.out);
    let written = write_tree(&mut out, &drawn, &options, output::ascii(&cli.out));
    delivered(
        written
            .and_then(|()| output::finish(out))
            .map_err(RunError::from),
    )?;
    Ok(exit_of(args.targets.len(), failures.len()))
}
