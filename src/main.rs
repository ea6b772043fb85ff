//! The `zinspect` program: parse, run, exit code.

use std::process::ExitCode;

use zinspect::cli::args::Cli;
use zinspect::cli::{self, Exit};

fn main() -> ExitCode {
    let cli = Cli::read();
    match cli::run(&cli) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) => {
            cli::say(error);
            ExitCode::from(Exit::Usage as u8)
        }
    }
}
