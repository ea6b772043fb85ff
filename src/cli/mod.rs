//! The command line: arguments, one file for each subcommand, exit codes.

use std::io;

use zinspect_exporters::PrometheusError;

use crate::facts::collect::CollectError;
use crate::facts::target::TargetError;
use crate::facts::whatif::WhatIfError;
use crate::model::plan::PlanError;
pub use crate::say::say;
use crate::source::open::OpenError;
use crate::source::snapshot::SaveError;
use crate::source::whole_file::WriteError;

pub mod args;
mod bar;
pub mod bench;
mod capture;
mod doctor;
mod export;
mod extents;
mod files;
mod generate;
mod host;
mod inspect;
mod output;
pub mod probe;
#[cfg(feature = "serve")]
mod serve;
mod tree;
mod watch;
mod whatif;

use args::{Cli, Command};

/// How a run ended (as lsblk has it, where lsblk has it).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All targets were read.
    All = 0,
    /// `--require` was not met, or doctor found what it was to fail on.
    NotMet = 1,
    /// Usage or environment.
    Usage = 2,
    /// A probe's former bytes are not back.
    NotRestored = 3,
    /// None of the targets could be read.
    None = 32,
    /// Some of the targets could be read.
    Some = 64,
}

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The host cannot be read from.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its devices cannot be listed.
    #[error(transparent)]
    Collect(#[from] CollectError),
    /// The capture cannot be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// What was described is no stack.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// It does not go with this host.
    #[error(transparent)]
    WhatIf(#[from] WhatIfError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] WriteError),
    /// The server cannot run.
    #[cfg(feature = "serve")]
    #[error(transparent)]
    Serve(#[from] crate::serve::ServeError),
    /// A column is not known.
    #[error(transparent)]
    Column(#[from] zinspect_exporters::UnknownField),
    /// A file that is no probe's result.
    #[error(transparent)]
    Printed(#[from] crate::probe::printed::PrintedError),
    /// Metrics cannot be written.
    #[error("cannot write metrics: {0}")]
    Metrics(#[from] PrometheusError),
    /// The answer cannot be written.
    #[error("cannot write the answer: {0}")]
    Output(#[from] io::Error),
    /// A probe was refused; nothing was written.
    #[error(transparent)]
    Refused(#[from] crate::probe::refusal::Refusal),
    /// Arguments that do not go together.
    #[error("{0}")]
    Usage(String),
}

impl RunError {
    /// Whether the reader of the answer went away, which is no failure of ours.
    fn is_closed_pipe(&self) -> bool {
        let (Self::Output(error) | Self::Metrics(PrometheusError::Io(error))) = self else {
            return false;
        };
        error.kind() == io::ErrorKind::BrokenPipe
    }
}

/// An answer that was written as far as its reader wanted it.
fn delivered(written: Result<(), RunError>) -> Result<(), RunError> {
    match written {
        Err(error) if error.is_closed_pipe() => Ok(()),
        other => other,
    }
}

/// Runs what the command line asks for.
pub fn run(cli: &Cli) -> Result<Exit, RunError> {
    if cli.command.is_some()
        && let Some(option) = cli.inspect.own_option()
    {
        let why = format!(
            "{option} stands before a subcommand that does not take it; see zinspect --help"
        );
        return Err(RunError::Usage(why));
    }
    let ran = match &cli.command {
        None => inspect::run(cli),
        Some(Command::Tree(args)) => tree::run(cli, args),
        Some(Command::Extents(args)) => extents::run(cli, args),
        Some(Command::Capture(args)) => capture::run(cli, args),
        Some(Command::Probe(args)) => probe::run(cli, args),
        Some(Command::Bench(args)) => bench::run(cli, args),
        Some(Command::Doctor(args)) => doctor::run(cli, args),
        Some(Command::Whatif(args)) => whatif::run(cli, args),
        Some(Command::Export(args)) => export::run(cli, args),
        #[cfg(feature = "serve")]
        Some(Command::Serve(args)) => serve::run(cli, args),
        Some(Command::Watch(args)) => watch::run(cli, args),
        Some(Command::Gen(args)) => generate::run(cli, args),
    };
    match ran {
        // What was found decides the exit status where it is worked out; a reader that went away is no failure.
        Err(error) if error.is_closed_pipe() => Ok(Exit::All),
        other => other,
    }
}

/// The exit code of a run over targets.
fn exit_of(asked: usize, failed: usize) -> Exit {
    match (asked, failed) {
        (_, 0) => Exit::All,
        (asked, failed) if failed >= asked => Exit::None,
        _ => Exit::Some,
    }
}

/// Says on stderr which target could not be read, and why.
fn report_failures(failures: &[TargetError]) {
    for failure in failures {
        say(failure);
    }
}

/// Says on stderr what was named by others and could not be read.
fn report_missing(missing: &[CollectError]) {
    for one in missing {
        say(one);
    }
}
