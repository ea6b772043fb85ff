//! What happens in a child: one method from its pattern to its outcome, or the putting back of a journal's bytes.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::evidence::{self, Places, Trace};
use super::exec::{self, Buffer, Reporter};
use super::journal::CHUNK;
use super::methods::{self, Options};
use super::outcome::{Failure, MethodResult, Outcome};
use super::pattern::{Pattern, THIRD};
use super::plan::{Method, Mode, Way};
use super::read_ahead;
use super::safety::ArmedPlan;
use super::span::Span;
use super::verify::{Effect, Expectation, Verifier};
use crate::source::errno;

/// What a child says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// How far it is.
    Progress {
        /// With what.
        stage: String,
        /// Bytes done.
        done: u64,
        /// Of these.
        total: u64,
    },
    /// What came of the method.
    Result(Box<MethodResult>),
    /// The points of a sweep.
    Sweep(Vec<super::sweep::Point>),
    /// Whether the bytes are back: why not, where they are not.
    Restored(Option<String>),
}

/// Sends a message.
pub fn say(reporter: &Reporter, message: &Message) {
    // These types always serialise.
    if let Ok(line) = serde_json::to_string(message) {
        reporter.send(&line);
    }
}

/// One method on one armed plan.
pub struct Job<'a> {
    /// The plan.
    pub armed: &'a ArmedPlan,
    /// The method.
    pub method: Method,
    /// How.
    pub options: &'a Options,
    /// Where evidence is read.
    pub places: &'a Places,
    /// Which turn this is: later turns know earlier patterns.
    pub turn: u16,
}

/// The command of a pilot covers this much, or a block if that is more.
const PILOT: u64 = 64 << 10;
/// How much around a pilot is looked at.
const PILOT_AROUND: u64 = 1 << 20;

impl Job<'_> {
    /// Does it, and says what came of it.
    pub fn run(&self, reporter: &Reporter) {
        let mut result = self.result(reporter).rated();
        result.leg = self.options.leg.as_ref().map(|leg| leg.kname.clone());
        say(reporter, &Message::Result(Box::new(result)));
    }

    fn result(&self, reporter: &Reporter) -> MethodResult {
        let plan = self.armed.plan();
        // First a small command in the middle: one that oversteps is met while it can do no harm beyond the span.
        if let Some((around, range)) = self.pilot() {
            let pilot = self.cycle(reporter, around, range, false);
            if !matches!(pilot.outcome, outcome if outcome.zeroed())
                && self.method.way() != Way::Discard
                || pilot.outcome == Outcome::CollateralDamage
            {
                return pilot;
            }
        }
        self.cycle(reporter, plan.span, plan.range, true)
    }

    /// A small range in the middle of the plan's, and what is looked at around it.
    fn pilot(&self) -> Option<(Span, Span)> {
        let Span { offset, length } = self.armed.plan().range;
        let block = self.block();
        let size = PILOT.max(block) / block * block;
        let around = PILOT_AROUND.max(size) / block * block;
        if length < 2 * (size + 2 * around) {
            return None;
        }
        let start = offset + (length / 2) / block * block;
        let span = Span {
            offset: start - around,
            length: 2 * around + size,
        };
        Some((
            span,
            Span {
                offset: start,
                length: size,
            },
        ))
    }

    fn pattern(&self) -> Pattern {
        Pattern::new(self.armed.run(), self.turn)
    }

    /// Pattern, read back, command, read back.
    fn cycle(&self, reporter: &Reporter, span: Span, range: Span, whole: bool) -> MethodResult {
        if let Some(result) = self.prepare(reporter, span) {
            return result;
        }
        let (command, mut result) = self.seen(reporter, range, whole);
        let begin = Instant::now();
        match self.read_back(reporter, span, Some(range)) {
            Err(error) => self.failed(Outcome::NotZeroed, error),
            Ok(verifier) => {
                result.read_back_seconds = Some(begin.elapsed().as_secs_f64());
                if whole && let Some(device) = self.armed.device() {
                    result.evidence.extend(evidence::lba_status(device, range));
                }
                judge(command, verifier.effect(), result)
            }
        }
    }

    fn failed(&self, outcome: Outcome, error: Failure) -> MethodResult {
        let detail = Some(error.text.clone());
        MethodResult {
            detail,
            error: Some(error),
            ..MethodResult::new(self.method, outcome)
        }
    }

    /// Writes the pattern and reads it back: a result only where that fails.
    fn prepare(&self, reporter: &Reporter, span: Span) -> Option<MethodResult> {
        if let Err(error) = self.fill(reporter, span) {
            return Some(self.failed(Outcome::NotStored, error));
        }
        let wrong = match self.read_back(reporter, span, None) {
            Err(error) => return Some(self.failed(Outcome::NotStored, error)),
            Ok(verifier) => verifier.around.first?,
        };
        let (at, what) = (wrong.offset, wrong.found.words());
        let detail =
            format!("the pattern that was written does not read back: at {at} stands {what}");
        let result = MethodResult::new(self.method, Outcome::NotStored);
        Some(MethodResult {
            first_bad_offset: Some(wrong.offset),
            detail: Some(detail),
            ..result
        })
    }

    /// The command, with everything that is looked at around it.
    fn seen(
        &self,
        reporter: &Reporter,
        range: Span,
        whole: bool,
    ) -> (Result<(), Failure>, MethodResult) {
        let own = (self.armed.plan().mode == Mode::Scratch).then(|| self.armed.fd());
        // The device is not asked about its pilot.
        let device = self.armed.device().filter(|_| whole);
        let used = device.map(evidence::used);
        let trace = if whole {
            Trace::begin(self.places.disk)
        } else {
            None
        };
        let before = evidence::snapshot(self.places, own);
        say(
            reporter,
            &Message::Progress {
                stage: "command".to_owned(),
                done: 0,
                total: range.length,
            },
        );
        let begin = Instant::now();
        let command = self.command(range);
        let seconds = begin.elapsed().as_secs_f64();
        let after = evidence::snapshot(self.places, own);
        let mut found = evidence::compare(self.places, &before, &after, range.length);
        found.extend(trace.and_then(Trace::end));
        if let (Some(device), Some(before)) = (device, used) {
            let after = evidence::used(device);
            found.extend(evidence::changed(device, before, after, range.length));
        }
        let result = MethodResult {
            bytes: range.length,
            seconds: Some(seconds),
            evidence: found,
            ..MethodResult::new(self.method, Outcome::Rejected)
        };
        (command, result)
    }

    fn block(&self) -> u64 {
        self.armed.device().map_or(4096, |device| device.block)
    }

    fn command(&self, range: Span) -> Result<(), Failure> {
        let piece = self
            .armed
            .piece(range)
            .ok_or_else(|| methods::failed("the command", rustix::io::Errno::RANGE))?;
        methods::run(self.method, piece, self.armed.device(), self.options)?;
        exec::flush(self.armed.fd())
            .map_err(|error| methods::failed("flushing after the command", error))
    }

    /// Writes the pattern over the span.
    fn fill(&self, reporter: &Reporter, span: Span) -> Result<(), Failure> {
        let mut buffer = buffer()?;
        for piece in span.pieces(CHUNK) {
            let bytes = part(&mut buffer, piece.length);
            self.pattern().fill(piece.offset, bytes);
            let place = self
                .armed
                .piece(piece)
                .ok_or_else(|| methods::failed("the pattern", rustix::io::Errno::RANGE))?;
            exec::write(place, bytes).map_err(|error| {
                methods::failed(&format!("writing the pattern at {}", piece.offset), error)
            })?;
            let done = piece.end() - span.offset;
            say(
                reporter,
                &Message::Progress {
                    stage: "pattern".to_owned(),
                    done,
                    total: span.length,
                },
            );
        }
        exec::flush(self.armed.fd()).map_err(|error| methods::failed("flushing the pattern", error))
    }

    /// Reads the span, and holds it against what should be there.
    fn read_back(
        &self,
        reporter: &Reporter,
        span: Span,
        zeroes: Option<Span>,
    ) -> Result<Verifier, Failure> {
        let earlier: Vec<Pattern> = (0..self.turn)
            .map(|turn| Pattern::new(self.armed.run(), turn))
            .collect();
        let mut verifier = Verifier::new(Expectation {
            zeroes,
            pattern: self.pattern(),
            earlier,
        });
        if !self.armed.direct() {
            let _ = rustix::fs::fadvise(self.armed.fd(), 0, None, rustix::fs::Advice::DontNeed);
        }
        read_ahead::each(self.armed.fd(), span, |piece, bytes| {
            verifier.feed(piece.offset, bytes);
            let done = piece.end() - span.offset;
            say(
                reporter,
                &Message::Progress {
                    stage: "reading back".to_owned(),
                    done,
                    total: span.length,
                },
            );
        })?;
        Ok(verifier)
    }
}

fn judge(command: Result<(), Failure>, effect: Effect, result: MethodResult) -> MethodResult {
    let (first_bad_offset, detail) = describe(&effect);
    match command {
        Err(error) if !matches!(effect, Effect::Collateral { .. }) => {
            let detail = Some(error.text.clone());
            MethodResult {
                detail,
                error: Some(error),
                outcome: Outcome::Rejected,
                ..result
            }
        }
        command => {
            let outcome = Outcome::from_effect(&effect, &result.evidence);
            MethodResult {
                first_bad_offset,
                detail,
                error: command.err(),
                outcome,
                ..result
            }
        }
    }
}

fn describe(effect: &Effect) -> (Option<u64>, Option<String>) {
    let (wrong, what) = match effect {
        Effect::Zeroed => return (None, None),
        Effect::NotZeroed { wrong } => (wrong, "nothing was zeroed".to_owned()),
        Effect::PartlyZeroed { wrong, zeroed } => (wrong, format!("{zeroed} bytes were zeroed")),
        Effect::Collateral { wrong, bytes } => {
            (wrong, format!("{bytes} bytes outside the range changed"))
        }
    };
    (
        Some(wrong.offset),
        Some(format!(
            "{what}; at {} stands {}",
            wrong.offset,
            wrong.found.words()
        )),
    )
}

pub(super) fn buffer() -> Result<Buffer, Failure> {
    let length = usize::try_from(CHUNK).unwrap_or(0);
    Buffer::new(length).map_err(|error| methods::failed("memory for a buffer", error))
}

pub(super) fn part(buffer: &mut Buffer, length: u64) -> &mut [u8] {
    buffer
        .get_mut(..usize::try_from(length).unwrap_or(0))
        .unwrap_or_default()
}

/// Writes the journal's bytes back, and compares.
pub fn restore(armed: &ArmedPlan, reporter: &Reporter) {
    let restored = put_back(armed, reporter).err();
    say(reporter, &Message::Restored(restored));
}

fn put_back(armed: &ArmedPlan, reporter: &Reporter) -> Result<(), String> {
    let kept = armed
        .journal()
        .ok_or_else(|| "there is no journal".to_owned())?;
    let total = kept.header().span.length * 2;
    let mut done = 0;
    let mut progress = |length: u64| {
        done += length;
        say(
            reporter,
            &Message::Progress {
                stage: "putting back".to_owned(),
                done,
                total,
            },
        );
    };
    // Nothing is written before every checksum was right.
    kept.each(|_, _| Ok(()))?;
    kept.each(|span, bytes| {
        let piece = armed
            .piece(span)
            .ok_or_else(|| "the journal reaches beyond the plan".to_owned())?;
        exec::write(piece, bytes)
            .map_err(|error| format!("writing at {}: {}", span.offset, errno::describe(error)))?;
        progress(span.length);
        Ok(())
    })?;
    exec::flush(armed.fd()).map_err(|error| format!("flushing: {}", errno::describe(error)))?;
    let mut buffer = buffer().map_err(|failure| failure.text)?;
    kept.each(|span, bytes| {
        let found = part(&mut buffer, span.length);
        found.fill(THIRD);
        exec::read(armed.fd(), span.offset, found).map_err(|error| {
            format!(
                "reading back at {}: {}",
                span.offset,
                errno::describe(error)
            )
        })?;
        if found != bytes {
            return Err(format!(
                "the bytes at {} do not read back as they were written",
                span.offset
            ));
        }
        progress(span.length);
        Ok(())
    })
}
