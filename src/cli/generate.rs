//! `zinspect gen`: what packages are made of.

use zinspect_exporters::write_json;

use super::args::Generated;
use super::{Exit, RunError, output};
use crate::view::report;

/// Prints it.
pub(super) fn run(what: Generated) -> Result<Exit, RunError> {
    let mut out = output::stdout();
    match what {
        Generated::Schema => write_json(&mut out, &report::schema(), true)?,
    }
    output::finish(out)?;
    Ok(Exit::All)
}
