//! `zinspect serve`: answers scrapes over HTTP.

use std::time::Duration;

use super::args::{Cli, ServeArgs};
use super::{Exit, RunError, host};
use crate::serve::{self, Settings};

/// Serves until it is ended.
pub(super) fn run(cli: &Cli, args: &ServeArgs) -> Result<Exit, RunError> {
    // What cannot be opened is said before anything listens.
    drop(host::open(&cli.host)?);
    let (args, of_host) = (*args, cli.host.clone());
    let settings = Settings {
        listen: args.listen,
        max_age: Duration::from_secs(args.max_age),
        time_limit: Duration::from_secs(args.time_limit),
        options: args.series.options(),
        takes: Box::new(move |device| args.series.takes(device)),
        open: Box::new(move || host::open(&of_host).map_err(|error| error.to_string())),
    };
    match serve::run(settings)? {}
}
