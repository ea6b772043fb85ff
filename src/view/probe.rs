//! What a probe shows: the JSON of the contract, a table, and lines of text.

use std::borrow::Cow;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use zinspect_exporters::{ByteStyle, Cell, Field, Tone, Unit, format_bytes};

use crate::probe::outcome::{MethodResult, Outcome};
use crate::probe::plan::{Method, Mode, Plan};
use crate::probe::span::Span;
use crate::probe::sweep::Point;
use crate::probe::target::Target;
use crate::probe::verdict::Verdict;

/// The report of one probe.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProbeReport {
    /// 1.
    pub schema_version: u32,
    /// As it was given.
    pub target: String,
    /// The device, or the device below a scratch file where there is exactly one.
    pub kname: Option<String>,
    /// What was to be zeroed, in bytes.
    pub range: Span,
    /// All that was written to: the range and its guards.
    pub span: Span,
    /// What became of the former bytes.
    pub mode: Mode,
    /// What a confirmation must name; null for a scratch file.
    pub identity: Option<String>,
    /// The methods of the plan.
    pub methods: Vec<Method>,
    /// What came of each; empty with `--dry-run`.
    pub results: Vec<MethodResult>,
    /// What all of it comes to; null with `--dry-run`.
    pub verdict: Option<VerdictReport>,
    /// By size and alignment; empty without `--sweep`.
    pub sweep: Vec<Point>,
    /// Whether the former bytes are back; null where none were kept.
    pub restored: Option<bool>,
    /// The journal, where they are not.
    pub journal: Option<String>,
    /// What could not be made sure of.
    pub notes: Vec<String>,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VerdictReport {
    /// One line.
    pub summary: String,
    /// The fastest way that zeroes, against writing.
    pub times_faster_than_writing: Option<f64>,
    /// What to do.
    pub advice: Option<String>,
}

impl ProbeReport {
    /// Of a plan, before anything was done.
    pub fn planned(word: &str, target: &Target, plan: &Plan) -> Self {
        let kname = match target {
            Target::Device(device) => Some(device.kname.clone()),
            Target::Scratch(dir) => dir.kname.clone(),
        };
        Self {
            schema_version: 1,
            target: word.to_owned(),
            kname,
            range: plan.range,
            span: plan.span,
            mode: plan.mode,
            identity: plan.identity.clone(),
            methods: plan.methods.clone(),
            results: Vec::new(),
            verdict: None,
            sweep: Vec::new(),
            restored: None,
            journal: None,
            notes: Vec::new(),
        }
    }

    /// With what came of it.
    #[must_use]
    pub fn with_results(mut self, results: &[MethodResult], verdict: Verdict) -> Self {
        self.results = results.to_vec();
        self.verdict = Some(VerdictReport {
            summary: verdict.summary,
            times_faster_than_writing: verdict.times_faster,
            advice: verdict.advice,
        });
        self
    }

    /// The heading of the table.
    pub fn heading(&self) -> String {
        let size = |bytes| format_bytes(bytes, ByteStyle::People);
        let (length, offset) = (size(self.range.length), size(self.range.offset));
        let what = match self.mode {
            Mode::Scratch => format!("a scratch file in {}: {length}", self.target),
            Mode::Preserve => format!(
                "{}: {length} at {offset}, former bytes kept and put back",
                self.target
            ),
            Mode::Destroy => format!("{}: {length} at {offset}, former bytes lost", self.target),
        };
        match &self.identity {
            Some(identity) => format!("{what}; identity {identity}"),
            None => what,
        }
    }
}

/// The sweep as a curve lying on its side: a line for each point.
pub fn curve(points: &[Point]) -> String {
    const WIDTH: f64 = 40.0;
    let fastest = points
        .iter()
        .filter_map(|point| point.bytes_per_second)
        .fold(0.0, f64::max);
    let mut text = String::new();
    for point in points {
        let size = format_bytes(point.size, ByteStyle::People);
        let shift = match point.shift {
            0 => String::new(),
            shift => format!(" +{shift}"),
        };
        let drawn = match point.bytes_per_second {
            None => "failed".to_owned(),
            Some(rate) => {
                let length = (rate / fastest * WIDTH).ceil();
                let bar: String = (1..=40_u8)
                    .take_while(|at| f64::from(*at) <= length)
                    .map(|_| '#')
                    .collect();
                format!("{bar} {:.0} MB", rate / 1e6)
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<24} {:>10} {drawn}",
            point.method.word(),
            format!("{size}{shift}")
        );
    }
    text
}

/// The table of results.
pub const COLUMNS: &[Field<MethodResult>] = &[
    Field {
        key: "method",
        header: "METHOD",
        help: "the way to ask for zeroes",
        unit: Unit::None,
        tone: None,
        get: |result| {
            let word = result.method.word();
            match &result.leg {
                Some(leg) => Cell::Text(Cow::Owned(format!("{word} through {leg}"))),
                None => Cell::Text(Cow::Borrowed(word)),
            }
        },
    },
    Field {
        key: "outcome",
        header: "OUTCOME",
        help: "what came of it",
        unit: Unit::None,
        tone: Some(tone),
        get: |result| Cell::Text(Cow::Borrowed(result.outcome.word())),
    },
    Field {
        key: "seconds",
        header: "SECONDS",
        help: "the command and the flush after it",
        unit: Unit::None,
        tone: None,
        get: |result| match result.seconds {
            Some(seconds) => Cell::Text(Cow::Owned(format!("{seconds:.4}"))),
            None => Cell::Missing(""),
        },
    },
    Field {
        key: "bytes_per_second",
        header: "PER-SECOND",
        help: "bytes a second",
        unit: Unit::None,
        tone: None,
        get: |result| match result.bytes_per_second {
            Some(rate) => Cell::Text(Cow::Owned(format!("{:.0} MB", rate / 1e6))),
            None => Cell::Missing(""),
        },
    },
    Field {
        key: "why",
        header: "WHY",
        help: "the strongest evidence, or what is wrong",
        unit: Unit::None,
        tone: None,
        get: |result| Cell::Text(Cow::Owned(result.why())),
    },
];

fn tone(result: &MethodResult) -> Tone {
    match result.outcome {
        outcome if outcome.zeroed() => Tone::Good,
        Outcome::Skipped => Tone::Dim,
        Outcome::Rejected => Tone::Fair,
        _ => Tone::Bad,
    }
}
