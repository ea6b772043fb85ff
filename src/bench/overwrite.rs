//! Small durable overwrites of a file, by how it was preallocated: what databases do to their logs.

use std::borrow::Cow;
use std::time::Instant;

use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use super::engine::Engine;
use super::stats::{float, percentile};
use super::{Bench, Figure, Measured, zero};
use crate::probe::exec::{self, Durable};
use crate::probe::plan::Mode;
use crate::probe::safety::Piece;
use crate::probe::target::Target;
use crate::source::errno;

const NAME: &str = "overwrite";
const SMALL: u64 = 4096;
const LARGE: u64 = 1 << 20;
const PASSES: [&str; 2] = ["first pass", "second pass"];

#[derive(Clone, Copy)]
enum Prepared {
    Unwritten,
    ZeroRange,
    WriteZeroes,
    Written,
}

impl Prepared {
    const ALL: [Self; 4] = [
        Self::Unwritten,
        Self::ZeroRange,
        Self::WriteZeroes,
        Self::Written,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Unwritten => "preallocated unwritten",
            Self::ZeroRange => "ZERO_RANGE",
            Self::WriteZeroes => "WRITE_ZEROES",
            Self::Written => "written",
        }
    }

    /// Prepares the file: first a hole, then what is compared; how that was done.
    fn prepare(self, whole: Piece<'_>) -> Result<&'static str, String> {
        let call = |mode, name: &str| {
            exec::fallocate(whole, mode)
                .map_err(|error| format!("{name}: {}", errno::describe(error)))
        };
        call(
            FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE,
            "PUNCH_HOLE",
        )?;
        match self {
            Self::Unwritten => call(FallocateFlags::empty(), "fallocate")?,
            Self::ZeroRange => call(FallocateFlags::ZERO_RANGE, "ZERO_RANGE")?,
            Self::WriteZeroes => call(FallocateFlags::from_bits_retain(0x80), "WRITE_ZEROES")?,
            Self::Written => return zero::fill(whole, 0).map_err(|failure| failure.text),
        }
        exec::flush(whole.fd()).map_err(errno::describe)?;
        Ok("fallocate and fdatasync")
    }
}

/// What is written at a time, and how it is made durable.
const WRITES: [(u64, Durable, &str); 3] = [
    (SMALL, Durable::Dsync, "4 KiB O_DSYNC"),
    (SMALL, Durable::Fdatasync, "4 KiB fdatasync"),
    (LARGE, Durable::Dsync, "1 MiB O_DSYNC"),
];

/// Each way to preallocate, both passes, small and large blocks.
pub fn run(bench: &Bench<'_>) -> Measured {
    let mut measured = Measured::default();
    if bench.armed.plan().mode != Mode::Scratch {
        measured.leave(NAME, "all", "it is about files: name a directory");
        return measured;
    }
    let Some(whole) = bench.armed.piece(bench.range()) else {
        return measured;
    };
    if let Err(failure) = zero::fill(whole, 0) {
        measured.leave(NAME, "all", failure.text);
        return measured;
    }
    let commits = FastCommits::of(bench);
    for prepared in Prepared::ALL {
        for (size, durable, words) in WRITES {
            let case = format!("{}, {words}", prepared.word());
            let before = commits.as_ref().and_then(FastCommits::count);
            match one(bench, whole, prepared, (size, durable, words)) {
                Ok(found) => {
                    let after = commits.as_ref().and_then(FastCommits::count);
                    let case = match before.zip(after) {
                        Some((before, after)) if after > before => {
                            format!("{case}, ext4 fast commits")
                        }
                        _ => case,
                    };
                    measured.figures.extend(figures(&case, size, found));
                }
                Err(why) => measured.leave(NAME, case, why),
            }
        }
    }
    if commits.as_ref().and_then(FastCommits::count) == Some(0) {
        let why = "this ext4 has made no fast commit since it was mounted: it lacks the feature (mke2fs -O fast_commit, \
                   or tune2fs -O fast_commit while unmounted)";
        measured.leave(NAME, "ext4 with fast_commit", why);
    }
    measured
}

/// ext4's count of fast commits, which tells whether a case was made durable by them.
struct FastCommits {
    path: String,
}

impl FastCommits {
    /// `None` where the scratch file lies on no ext4.
    fn of(bench: &Bench<'_>) -> Option<Self> {
        let Target::Scratch(dir) = bench.target else {
            return None;
        };
        let path = format!("/proc/fs/ext4/{}/fc_info", dir.kname.as_ref()?);
        std::path::Path::new(&path)
            .exists()
            .then_some(Self { path })
    }

    fn count(&self) -> Option<u64> {
        commits(&std::fs::read_to_string(&self.path).ok()?)
    }
}

/// `ext4_fc_info_show` (fs/ext4/fast_commit.c): `<number> commits` in a line of its own.
fn commits(text: &str) -> Option<u64> {
    let words = |line: &'_ str| line.strip_suffix(" commits").map(str::to_owned);
    text.lines().find_map(words)?.trim().parse().ok()
}

#[derive(Default)]
struct Found {
    engine: &'static str,
    /// How the file was prepared.
    prepared: &'static str,
    preparing: Vec<f64>,
    /// Preparing and the first pass, where that reached the end.
    total: Vec<f64>,
    rate: [Vec<f64>; 2],
    median: [Vec<f64>; 2],
    slowest: [Vec<f64>; 2],
}

/// One pass over the file.
struct Pass {
    rate: f64,
    median: f64,
    slowest: f64,
    /// Seconds, where it reached the end.
    whole: Option<f64>,
}

fn one(
    bench: &Bench<'_>,
    whole: Piece<'_>,
    prepared: Prepared,
    (size, durable, words): (u64, Durable, &str),
) -> Result<Found, String> {
    let mut engine = Engine::new(size).map_err(errno::describe)?;
    engine.bytes().fill(0x3c);
    let mut found = Found {
        engine: engine.word(),
        ..Found::default()
    };
    for run in 0..=bench.runs {
        bench.begins(prepared.word(), words, run, bench.runs + 1);
        let begin = Instant::now();
        found.prepared = prepared.prepare(whole)?;
        let preparing = begin.elapsed().as_secs_f64();
        let mut passes = Vec::new();
        for _ in PASSES {
            passes.push(pass(bench, whole, &mut engine, (size, durable))?);
        }
        if run == 0 {
            continue;
        }
        found.preparing.push(preparing);
        let first = passes.first().and_then(|first| first.whole);
        found.total.extend(first.map(|first| first + preparing));
        for (at, pass) in passes.into_iter().enumerate() {
            for (list, value) in [
                (&mut found.rate, pass.rate),
                (&mut found.median, pass.median),
                (&mut found.slowest, pass.slowest),
            ] {
                if let Some(list) = list.get_mut(at) {
                    list.push(value);
                }
            }
        }
    }
    Ok(found)
}

/// Durable writes one after the other from the beginning on, until the end or the time is up: operations a second,
/// median and 99th percentile of their times in microseconds.
fn pass(
    bench: &Bench<'_>,
    whole: Piece<'_>,
    engine: &mut Engine,
    (size, durable): (u64, Durable),
) -> Result<Pass, String> {
    let failed = |error: Errno| format!("overwriting: {}", errno::describe(error));
    let mut times = Vec::new();
    let begin = Instant::now();
    let mut reached = true;
    for part in whole.span().pieces(size) {
        let Some(piece) = whole.part(part).filter(|piece| piece.span().length == size) else {
            break;
        };
        if begin.elapsed().as_secs_f64() > bench.seconds && !times.is_empty() {
            reached = false;
            break;
        }
        let start = Instant::now();
        engine.write(piece, durable).map_err(failed)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let rate = float(times.len() as u64) / seconds;
    times.sort_by(f64::total_cmp);
    let at = |percent| percentile(&times, percent).ok_or_else(|| "nothing was written".to_owned());
    Ok(Pass {
        rate,
        median: at(50.0)?,
        slowest: at(99.0)?,
        whole: reached.then_some(seconds),
    })
}

fn figures(case: &str, size: u64, found: Found) -> Vec<Figure> {
    let mut figures = Vec::new();
    let both = if found.prepared == found.engine {
        Cow::Borrowed(found.engine)
    } else {
        Cow::Owned(format!("{}, then {}", found.prepared, found.engine))
    };
    let mut add = |case: &str, metric, samples, engine| {
        figures.extend(Figure::new(NAME, case, metric, samples, engine));
    };
    let prepared = Cow::Borrowed(found.prepared);
    add(case, ("preallocation", "s"), found.preparing, prepared);
    add(
        case,
        ("preallocation and first pass", "s"),
        found.total,
        both,
    );
    let passes = PASSES
        .iter()
        .zip(found.rate)
        .zip(found.median.into_iter().zip(found.slowest));
    for ((pass, rate), (median, slowest)) in passes {
        let case = format!("{case}, {pass}");
        let bytes = rate.iter().map(|rate| rate * float(size)).collect();
        for (metric, samples) in [
            (("operations", "1/s"), rate),
            (("rate", "bytes/s"), bytes),
            (("latency p50", "µs"), median),
            (("latency p99", "µs"), slowest),
        ] {
            add(&case, metric, samples, Cow::Borrowed(found.engine));
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_commits_are_counted_as_ext4_prints_them() {
        let text = "fc stats:\n27 commits\n1 ineligible\n53 numblks\n3102us avg_commit_time\nIneligible reasons:\n";
        assert_eq!(commits(text), Some(27));
        assert_eq!(commits("fc stats:\n"), None);
    }
}
