//! Commands and their answers as text: what a capture holds, and what a test's script is.
//!
//! ```text
//! nvme /dev/nvme0n1 b259:0 identify cns=00 nsid=1 csi=00
//! status 0000
//! data 4096
//! 0000: 00 00 10 00 00 00 00 00 00 00 10 00 00 00 00 00
//! *
//! 0080: 00 00 09 00 00 00 00 00 00 00 00 00 00 00 00 00
//! *
//!
//! scsi /dev/sda b8:0 9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00 # READ CAPACITY(16)
//! error ioctl EACCES SG_IO
//!
//! dm /dev/mapper/control c table 253:0
//! flags 20
//! line 0 65536 linear 8:16 0
//! ```
//!
//! An exchange is a header line and the lines of its answer, and ends with an empty line. The
//! header names the node: its path, then `b` or `c` and the number it must have. A `*` stands for
//! lines of zeroes. A line that begins with `#` is a comment. Exchanges are written in the order
//! of their headers and can be read in any; the same exchanges always give the same text.

mod hex;
mod parse;
mod text;
mod write;

use std::collections::BTreeMap;
use std::fmt;

use crate::source::command::{Command, CommandError, Node, Reply};

/// The longest data of one answer.
pub const MAX_DATA: usize = 1 << 20;
/// The most data that a whole transcript may hold, zeroes that are left out included.
pub const MAX_TOTAL_DATA: usize = 128 << 20;
/// The longest transcript, in bytes of text.
pub const MAX_TEXT: usize = 64 << 20;

/// One command and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Where it went.
    pub node: Node,
    /// What was asked.
    pub command: Command,
    /// What came back.
    pub answer: Result<Reply, CommandError>,
}

/// Commands and their answers, one answer for each command to each path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    exchanges: BTreeMap<String, Exchange>,
}

/// What is wrong with a transcript, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the transcript: {why}")]
pub struct TranscriptError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl Transcript {
    /// Reads a transcript from its text.
    pub fn parse(text: &str) -> Result<Self, TranscriptError> {
        parse::parse(text)
    }

    /// Adds an exchange. The first answer to a command stays: it is the one that was used.
    ///
    /// An exchange that was never tried ([`CommandError::NotAsked`]) or whose answer belongs to
    /// another command is not kept.
    pub fn insert(&mut self, exchange: Exchange) {
        if write::fits(&exchange) {
            self.exchanges
                .entry(key(&exchange.node, &exchange.command))
                .or_insert(exchange);
        }
    }

    /// The exchange with this command to the node of this path, whatever its number.
    pub fn get(&self, node: &Node, command: &Command) -> Option<&Exchange> {
        self.exchanges.get(&key(node, command))
    }

    /// A command as one line, without the node's number: `dm /dev/mapper/control table 253:0`.
    pub fn describe(node: &Node, command: &Command) -> String {
        key(node, command)
    }

    /// All exchanges, in order.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.values()
    }

    /// How many exchanges there are.
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }
}

impl FromIterator<Exchange> for Transcript {
    fn from_iter<I: IntoIterator<Item = Exchange>>(exchanges: I) -> Self {
        let mut transcript = Self::default();
        exchanges
            .into_iter()
            .for_each(|exchange| transcript.insert(exchange));
        transcript
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for exchange in self.exchanges() {
            f.write_str(between)?;
            f.write_str(&write::exchange(exchange))?;
            between = "\n";
        }
        Ok(())
    }
}

/// What an exchange is found by: bus, path and command.
fn key(node: &Node, command: &Command) -> String {
    let (bus, text) = write::command(command);
    format!("{bus} {} {text}", text::word(&node.path))
}

#[cfg(test)]
mod tests;
