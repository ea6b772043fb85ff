//! How far a probe or a benchmark is.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::probe::run::Watcher;

/// One line on stderr, at a terminal only.
pub(super) struct Bar {
    shown: bool,
    last: Option<Instant>,
}

impl Bar {
    pub(super) fn new() -> Self {
        Self {
            shown: io::stderr().is_terminal(),
            last: None,
        }
    }

    pub(super) fn clear(&self) {
        if self.shown && self.last.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Watcher for Bar {
    fn progress(&mut self, what: &str, stage: &str, done: u64, total: u64) {
        const EVERY: Duration = Duration::from_millis(100);
        const WIDTH: u64 = 30;
        let now = Instant::now();
        if !self.shown
            || self
                .last
                .is_some_and(|last| now - last < EVERY && done < total)
        {
            return;
        }
        self.last = Some(now);
        let full = (done.min(total) * WIDTH).checked_div(total).unwrap_or(0);
        let bar: String = (0..WIDTH)
            .map(|at| if at < full { '#' } else { '.' })
            .collect();
        let _ = write!(io::stderr(), "\r\x1b[K{what:<24} {stage:<13} [{bar}]");
    }
}
