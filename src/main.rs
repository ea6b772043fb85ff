//! The `zinspect` program: parse, run, exit code.

use std::io::{self, Write};
use std::process::ExitCode;

use zinspect::cli::args::Cli;
use zinspect::cli::{self, Exit};

fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match cli::run(&cli) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) => {
            cli::say(error);
            ExitCode::from(Exit::Usage as u8)
        }
    }
}

/// Help and version on standard output, a mistake on standard error. Help that could not be written is a failure, but
/// for a reader that has seen enough.
fn usage(error: &clap::Error) -> ExitCode {
    let written = error.print().and_then(|()| io::stdout().flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            cli::say(format!("cannot write the answer: {error}"));
            ExitCode::from(Exit::Usage as u8)
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8)),
    }
}
