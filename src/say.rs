//! Lines for people on stderr, wherever in the program they come from.

use std::fmt::Display;
use std::io::{self, Write};

use crate::model::text;

/// Says something on stderr, in one line: what a file name brought with it can neither break it nor send an escape
/// sequence. That nobody can read it there is no reason to stop, where `eprintln!` would panic.
pub fn say(what: impl Display) {
    let line = text::clean(what.to_string().as_bytes());
    let _ = writeln!(io::stderr(), "zinspect: {line}");
}
