//! Small durable overwrites of a file, by how it was preallocated: what databases do to their logs.

use std::time::Instant;

use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use super::stats::{float, percentile};
use super::{Bench, Figure, Measured, zero};
use crate::probe::exec::{self, Buffer};
use crate::probe::plan::Mode;
use crate::probe::safety::Piece;
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

    /// Prepares the file: first a hole, then what is compared.
    fn prepare(self, whole: Piece<'_>) -> Result<(), String> {
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
        exec::flush(whole.fd()).map_err(errno::describe)
    }
}

/// Each way to preallocate, both passes, small and large blocks.
pub fn run(bench: &Bench<'_>) -> Measured {
    let mut measured = Measured::default();
    if bench.armed.plan().mode != Mode::Scratch {
        measured.leave(NAME, "all", "it is about files: name a directory");
        return measured;
    }
    let Some(whole) = bench.armed.piece(bench.armed.plan().range) else {
        return measured;
    };
    if let Err(failure) = zero::fill(whole, 0) {
        measured.leave(NAME, "all", failure.text);
        return measured;
    }
    for prepared in Prepared::ALL {
        for (size, block) in [(SMALL, "4 KiB"), (LARGE, "1 MiB")] {
            let case = format!("{}, {block}", prepared.word());
            match one(bench, whole, prepared, size) {
                Ok(found) => measured.figures.extend(figures(&case, size, found)),
                Err(why) => measured.leave(NAME, case, why),
            }
        }
    }
    measured
}

#[derive(Default)]
struct Found {
    preparing: Vec<f64>,
    rate: [Vec<f64>; 2],
    median: [Vec<f64>; 2],
    slowest: [Vec<f64>; 2],
}

fn one(
    bench: &Bench<'_>,
    whole: Piece<'_>,
    prepared: Prepared,
    size: u64,
) -> Result<Found, String> {
    let mut found = Found::default();
    for run in 0..=bench.runs {
        let begin = Instant::now();
        prepared.prepare(whole)?;
        let preparing = begin.elapsed().as_secs_f64();
        let mut passes = Vec::new();
        for _ in PASSES {
            passes.push(pass(bench, whole, size)?);
        }
        if run == 0 {
            continue;
        }
        found.preparing.push(preparing);
        for (at, (rate, median, slowest)) in passes.into_iter().enumerate() {
            for (list, value) in [
                (&mut found.rate, rate),
                (&mut found.median, median),
                (&mut found.slowest, slowest),
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
fn pass(bench: &Bench<'_>, whole: Piece<'_>, size: u64) -> Result<(f64, f64, f64), String> {
    let failed = |error: Errno| format!("overwriting: {}", errno::describe(error));
    let mut bytes = Buffer::new(usize::try_from(size).unwrap_or(0)).map_err(failed)?;
    bytes.fill(0x3c);
    let mut times = Vec::new();
    let begin = Instant::now();
    for part in whole.span().pieces(size) {
        let Some(piece) = whole.part(part).filter(|piece| piece.span().length == size) else {
            break;
        };
        let start = Instant::now();
        exec::write_durable(piece, &bytes).map_err(failed)?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
        if begin.elapsed().as_secs_f64() > bench.seconds {
            break;
        }
    }
    let rate = float(times.len() as u64) / begin.elapsed().as_secs_f64();
    times.sort_by(f64::total_cmp);
    let at = |percent| percentile(&times, percent).ok_or_else(|| "nothing was written".to_owned());
    Ok((rate, at(50.0)?, at(99.0)?))
}

fn figures(case: &str, size: u64, found: Found) -> Vec<Figure> {
    const ENGINE: &str = "pwritev2 with RWF_DSYNC";
    let mut figures = Vec::new();
    figures.extend(Figure::new(
        NAME,
        case,
        ("preallocation", "s"),
        found.preparing,
        ENGINE,
    ));
    let passes = PASSES
        .iter()
        .zip(found.rate)
        .zip(found.median.into_iter().zip(found.slowest));
    for ((pass, rate), (median, slowest)) in passes {
        let case = format!("{case}, {pass}");
        let bytes = rate.iter().map(|rate| rate * float(size)).collect();
        figures.extend(Figure::new(
            NAME,
            case.clone(),
            ("operations", "1/s"),
            rate,
            ENGINE,
        ));
        figures.extend(Figure::new(
            NAME,
            case.clone(),
            ("rate", "bytes/s"),
            bytes,
            ENGINE,
        ));
        figures.extend(Figure::new(
            NAME,
            case.clone(),
            ("latency p50", "µs"),
            median,
            ENGINE,
        ));
        figures.extend(Figure::new(
            NAME,
            case,
            ("latency p99", "µs"),
            slowest,
            ENGINE,
        ));
    }
    figures
}
