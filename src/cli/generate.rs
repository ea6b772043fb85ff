//! `zinspect gen`: what packages are made of.

use zinspect_exporters::write_json;

use super::args::Generated;
use super::{Exit, RunError, delivered, output};
use crate::view::report;

/// Prints it.
pub(super) fn run(what: Generated) -> Result<Exit, RunError> {
    let mut out = output::stdout();
    match what {
        Generated::Schema => {
            let written = write_json(&mut out, &report::schema(), true);
            delivered(
                written
                    .and_then(|()| output::finish(out))
                    .map_err(RunError::from),
            )?;
        }
    }
    Ok(Exit::All)
}
