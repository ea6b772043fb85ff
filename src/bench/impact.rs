//! What zeroing in the background does to others' reads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::engine::Engine;
use super::stats::{float, percentile};
use super::{Bench, Figure, Measured};
use crate::probe::methods::{self, Options};
use crate::probe::plan::Method;
use crate::probe::safety::Piece;
use crate::probe::span::Span;
use crate::source::errno;

const NAME: &str = "impact";
const BLOCK: u64 = 4096;

/// Reads alone, then with each way to zero the other half of the range meanwhile.
pub fn run(bench: &Bench<'_>) -> Measured {
    let mut measured = Measured::default();
    let range = bench.range();
    let half = range.length / 2 / (1 << 20) * (1 << 20);
    let zeroed = Span {
        offset: range.offset,
        length: half,
    };
    let read = Span {
        offset: range.offset + half,
        length: range.length - half,
    };
    let (Some(zeroed), Some(whole)) = (bench.armed.piece(zeroed), bench.armed.piece(range)) else {
        return measured;
    };
    if half == 0 || read.length < BLOCK {
        measured.leave(NAME, "all", "the range is too short: 2 MiB at least");
        return measured;
    }
    if let Err(failure) = super::zero::fill(whole, 0x77) {
        measured.leave(NAME, "all", failure.text);
        return measured;
    }
    measured.extend(case(bench, read, "no zeroing", None));
    let ways = [
        Method::Pwrite,
        Method::BlkZeroOut,
        Method::FallocateWriteZeroes,
        Method::FallocateZeroRange,
    ];
    for method in ways {
        let name = format!("{} in the background", method.word());
        match methods::requires(method, bench.target, &Options::default()) {
            Some(why) => measured.leave(NAME, name, why),
            None => measured.extend(case(bench, read, &name, Some((method, zeroed)))),
        }
    }
    measured
}

fn case(
    bench: &Bench<'_>,
    read: Span,
    name: &str,
    background: Option<(Method, Piece<'_>)>,
) -> Measured {
    let (mut rates, mut median, mut slow) = (Vec::new(), Vec::new(), Vec::new());
    let mut measured = Measured::default();
    let mut engine = match Engine::new(BLOCK) {
        Ok(engine) => engine,
        Err(error) => {
            measured.leave(NAME, name, errno::describe(error));
            return measured;
        }
    };
    for turn in 0..=bench.runs {
        let what = background.map_or(name, |(method, _)| method.word());
        bench.begins(what, NAME, turn, bench.runs + 1);
        let stop = AtomicBool::new(false);
        let (times, failed) = std::thread::scope(|scope| {
            let zeroing = background.map(|(method, piece)| {
                let (stop, device) = (&stop, bench.armed.device());
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        methods::run(method, piece, device, &Options::default())
                            .map_err(|failure| failure.text)?;
                    }
                    Ok::<(), String>(())
                })
            });
            let times = reads(bench, read, &mut engine);
            stop.store(true, Ordering::Relaxed);
            (
                times,
                zeroing
                    .and_then(|thread| thread.join().ok())
                    .and_then(Result::err),
            )
        });
        if let Some(why) = failed.or_else(|| times.is_empty().then(|| "reading failed".to_owned()))
        {
            measured.leave(NAME, name, why);
            return measured;
        }
        if turn > 0 {
            rates.push(float(times.len() as u64) / bench.seconds);
            median.extend(percentile(&times, 50.0));
            slow.extend(percentile(&times, 99.0));
        }
    }
    let bytes = rates.iter().map(|rate| rate * float(BLOCK)).collect();
    for (metric, samples) in [
        (("operations", "1/s"), rates),
        (("rate", "bytes/s"), bytes),
        (("latency p50", "µs"), median),
        (("latency p99", "µs"), slow),
    ] {
        measured
            .figures
            .extend(Figure::new(NAME, name, metric, samples, engine.word()));
    }
    measured
}

/// Times of reads at places that jump about, sorted, in microseconds.
fn reads(bench: &Bench<'_>, read: Span, engine: &mut Engine) -> Vec<f64> {
    /// A step that is prime to any number of blocks below it.
    const STEP: u64 = 2_654_435_761;
    let blocks = (read.length / BLOCK).max(1);
    let (mut times, begin, mut at) = (Vec::new(), Instant::now(), 0_u64);
    while begin.elapsed().as_secs_f64() < bench.seconds {
        at = (at + STEP) % blocks;
        let start = Instant::now();
        let place = read.offset + at * BLOCK;
        if engine.read(bench.armed.fd(), place, BLOCK).is_err() {
            return Vec::new();
        }
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    times
}
