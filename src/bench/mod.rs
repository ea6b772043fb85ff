//! The comparisons that fast zeroing was argued with, on one's own device. Every write goes through an armed plan.

pub mod discard;
pub mod engine;
pub mod impact;
pub mod overwrite;
pub mod stats;
pub mod zero;

use std::borrow::Cow;
use std::cell::RefCell;

use serde::Serialize;

use crate::probe::run::Watcher;
use crate::probe::safety::{ArmedPlan, Piece};
use crate::probe::span::Span;
use crate::probe::target::Target;

/// One figure: samples of repeated runs and what they come to.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Figure {
    /// Which comparison.
    pub benchmark: &'static str,
    /// Which of the things compared.
    pub case: String,
    /// What was measured.
    pub metric: &'static str,
    /// In what.
    pub unit: &'static str,
    /// The middle sample.
    pub median: f64,
    /// Between the first and the third quarter of the samples; 0 of a single one, which has no spread.
    pub spread: f64,
    /// Every sample, in the order they were taken, without the warm-up.
    pub samples: Vec<f64>,
    /// How requests were sent.
    pub engine: Cow<'static, str>,
}

impl Figure {
    /// From samples; `None` where there are none.
    pub fn new(
        benchmark: &'static str,
        case: impl Into<String>,
        metric: (&'static str, &'static str),
        samples: Vec<f64>,
        engine: impl Into<Cow<'static, str>>,
    ) -> Option<Self> {
        let (median, spread) = stats::middle(&samples)?;
        let (metric, unit) = metric;
        Some(Self {
            benchmark,
            case: case.into(),
            metric,
            unit,
            median,
            spread,
            samples,
            engine: engine.into(),
        })
    }
}

/// What was not measured, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Left {
    /// Which comparison.
    pub benchmark: &'static str,
    /// Which case.
    pub case: String,
    /// Why.
    pub why: String,
}

/// What a comparison gave.
#[derive(Debug, Default)]
pub struct Measured {
    /// Figures.
    pub figures: Vec<Figure>,
    /// What could not be measured.
    pub left: Vec<Left>,
}

impl Measured {
    /// Notes what was not measured.
    pub fn leave(
        &mut self,
        benchmark: &'static str,
        case: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.left.push(Left {
            benchmark,
            case: case.into(),
            why: why.into(),
        });
    }

    /// Takes another's.
    pub fn extend(&mut self, other: Self) {
        self.figures.extend(other.figures);
        self.left.extend(other.left);
    }
}

/// What is measured on, and how often.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    /// The armed plan.
    pub armed: &'a ArmedPlan,
    /// What it was armed for.
    pub target: &'a Target,
    /// Runs that count, after one that does not.
    pub runs: usize,
    /// Seconds of a case that is measured by time.
    pub seconds: f64,
    /// How many bytes are zeroed, from few to many; all are within the range. What is not measured by size takes the
    /// first.
    pub sizes: &'a [u64],
    /// Whether the sizes were asked for: then none is left out for the time that it would take.
    pub insist: bool,
    /// Who is told how far it is.
    pub watcher: &'a RefCell<dyn Watcher>,
}

impl<'a> Bench<'a> {
    /// So many bytes from the beginning of the range on.
    pub fn piece(&self, size: u64) -> Option<Piece<'a>> {
        let offset = self.armed.plan().range.offset;
        self.armed.piece(Span {
            offset,
            length: size,
        })
    }

    /// Says which of so many runs of a case begins.
    pub fn begins(&self, case: &str, of: &str, run: usize, runs: usize) {
        let mut watcher = self.watcher.borrow_mut();
        watcher.progress(case, of, run as u64, runs as u64);
    }

    /// What is not measured by size.
    pub fn range(&self) -> Span {
        let range = self.armed.plan().range;
        Span {
            offset: range.offset,
            length: self
                .sizes
                .first()
                .map_or(range.length, |size| range.length.min(*size)),
        }
    }
}
