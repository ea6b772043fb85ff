//! Writing zeroes against asking for them.

use std::time::Instant;

use zinspect_exporters::{ByteStyle, format_bytes};

use super::engine::Engine;
use super::stats::float;
use super::{Bench, Figure, Measured};
use crate::probe::exec::{self, Durable};
use crate::probe::methods::{self, Options};
use crate::probe::outcome::Failure;
use crate::probe::plan::{Method, Way};
use crate::probe::safety::Piece;
use crate::source::errno;

const NAME: &str = "zero";
const RATE: (&str, &str) = ("rate", "bytes/s");

type Act<'b> = Box<dyn FnMut(Piece<'_>) -> Result<(), Failure> + 'b>;

/// A way to zero a piece.
struct Case<'b> {
    name: String,
    engine: &'static str,
    act: Act<'b>,
}

/// No size is measured of its own accord that would take longer.
const LONGEST: f64 = 600.0;

/// Every size, from few bytes to many.
pub fn run(bench: &Bench<'_>) -> Measured {
    let mut measured = Measured::default();
    let mut taken: Option<(u64, f64)> = None;
    for size in bench.sizes.iter().copied() {
        let seconds = taken.map_or(0.0, |(of, seconds)| seconds / float(of) * float(size));
        if seconds > LONGEST && !bench.insist {
            let why = format!(
                "it would take {:.0} minutes, by what {} took; --size {} measures it",
                seconds / 60.0,
                shown(taken.map_or(0, |(of, _)| of)),
                shown(size)
            );
            measured.leave(NAME, shown(size), why);
            continue;
        }
        let begin = Instant::now();
        measured.extend(at_size(bench, size, taken.is_none()));
        taken = Some((size, begin.elapsed().as_secs_f64()));
    }
    measured
}

fn shown(size: u64) -> String {
    format_bytes(size, ByteStyle::People)
}

/// The ways that this target takes; why not is told once.
fn cases<'b>(bench: &Bench<'b>, measured: &mut Measured, tell: bool) -> Vec<Case<'b>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for size in [1_u64 << 20, 2 << 20] {
        match Engine::new(size) {
            Ok(engine) => cases.push(Case {
                name: format!("write {} MiB", size >> 20),
                engine: engine.word(),
                act: write(engine, size),
            }),
            Err(error) => measured.leave(NAME, "write", errno::describe(error)),
        }
    }
    let options = Options {
        timeout_ms: 600_000,
        ..Options::default()
    };
    let ways = |method: &Method| matches!(method.way(), Way::Kernel | Way::Passthrough);
    for method in Method::ALL.iter().copied().filter(ways) {
        if let Some(why) = methods::requires(method, bench.target, &options) {
            if tell {
                measured.leave(NAME, method.word(), why);
            }
            continue;
        }
        let (options, device) = (options.clone(), bench.armed.device());
        let act = Box::new(move |piece: Piece<'_>| methods::run(method, piece, device, &options));
        cases.push(Case {
            name: method.word().to_owned(),
            engine: "one call",
            act,
        });
    }
    cases
}

/// By writing in two sizes, and by every method that zeroes here. Cases are interleaved, so that a device that slows
/// down slows all of them.
fn at_size(bench: &Bench<'_>, size: u64, tell: bool) -> Measured {
    let mut measured = Measured::default();
    let mut cases = cases(bench, &mut measured, tell);
    let mut samples: Vec<Result<Vec<f64>, String>> = cases.iter().map(|_| Ok(Vec::new())).collect();
    let ways = cases.len();
    for run in 0..=bench.runs {
        for (at, (case, samples)) in cases.iter_mut().zip(&mut samples).enumerate() {
            let Ok(rates) = samples else { continue };
            let what = format!("{}: {}", shown(size), case.name);
            bench.begins(&what, NAME, run * ways + at, (bench.runs + 1) * ways);
            match once(bench, size, &mut case.act) {
                // The first is for warming up.
                Ok(_) if run == 0 => {}
                Ok(rate) => rates.push(rate),
                Err(failure) => *samples = Err(failure.text),
            }
        }
    }
    for (case, samples) in cases.into_iter().zip(samples) {
        let name = format!("{}: {}", shown(size), case.name);
        match samples {
            Err(why) => measured.leave(NAME, name, why),
            Ok(rates) => {
                measured
                    .figures
                    .extend(Figure::new(NAME, name, RATE, rates, case.engine));
            }
        }
    }
    measured
}

/// Bytes a second, flush included. What stands there before is written data, so that nothing is already zero.
fn once(bench: &Bench<'_>, size: u64, act: &mut Act<'_>) -> Result<f64, Failure> {
    let outside = || Failure {
        text: "the range is not armed".to_owned(),
        ..Failure::default()
    };
    let piece = bench.piece(size).ok_or_else(outside)?;
    fill(piece, 0xa5)?;
    let begin = Instant::now();
    act(piece)?;
    exec::flush(piece.fd()).map_err(|error| failure("flush", error))?;
    Ok(float(size) / begin.elapsed().as_secs_f64())
}

fn failure(what: &str, error: rustix::io::Errno) -> Failure {
    Failure {
        text: format!("{what}: {}", errno::describe(error)),
        ..Failure::default()
    }
}

/// Writes one byte over a piece, and flushes; how the writes were sent.
pub(super) fn fill(piece: Piece<'_>, value: u8) -> Result<&'static str, Failure> {
    const CHUNK: u64 = 1 << 20;
    let mut engine = Engine::new(CHUNK).map_err(|error| failure("memory", error))?;
    engine.bytes().fill(value);
    write_all(&mut engine, piece, CHUNK)?;
    exec::flush(piece.fd()).map_err(|error| failure("flush", error))?;
    Ok(engine.word())
}

fn write<'b>(mut engine: Engine, size: u64) -> Act<'b> {
    Box::new(move |piece| write_all(&mut engine, piece, size))
}

fn write_all(engine: &mut Engine, piece: Piece<'_>, size: u64) -> Result<(), Failure> {
    for part in piece.span().pieces(size) {
        let part = piece
            .part(part)
            .ok_or_else(|| failure("write", rustix::io::Errno::RANGE))?;
        engine
            .write(part, Durable::Later)
            .map_err(|error| failure("write", error))?;
    }
    Ok(())
}
