//! `zinspect capture`: records all that zinspect reads.

use super::args::{CaptureArgs, Cli};
use super::{Exit, RunError, host, report_missing};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::facts::walk;
use crate::facts::{file, target};
use crate::source::open;

/// Reads everything once, through a recorder.
pub(super) fn run(cli: &Cli, args: &CaptureArgs) -> Result<Exit, RunError> {
    let (host, recording) = open::recording(host::open(&cli.host)?);
    let collector = Collector::new(&host, Needs::ALL);
    let collected = walk::all(&collector)?;
    report_missing(&collected.missing);
    collector.mounts();
    target::index(&collector);
    file::index(&collector);
    recording.save(&args.file)?;
    let (files, commands) = recording.size();
    super::say(format_args!(
        "{} devices, {files} files, links and folders, {commands} commands in {}",
        collected.topology.len(),
        args.file.display()
    ));
    Ok(Exit::All)
}
