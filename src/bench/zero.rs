//! Writing zeroes against asking for them.

use std::time::Instant;

use super::stats::float;
use super::{Bench, Figure, Measured};
use crate::probe::exec::{self, Buffer};
use crate::probe::methods::{self, Options};
use crate::probe::outcome::Failure;
use crate::probe::plan::{Method, Way};
use crate::probe::safety::Piece;
use crate::source::errno;

const NAME: &str = "zero";
const RATE: (&str, &str) = ("rate", "bytes/s");

type Act<'b> = Box<dyn Fn(Piece<'_>) -> Result<(), Failure> + 'b>;

/// A way to zero a piece.
struct Case<'b> {
    name: String,
    act: Act<'b>,
}

/// By writing in two sizes, and by every method that zeroes here. Cases are interleaved, so that a device that slows
/// down slows all of them.
pub fn run(bench: &Bench<'_>) -> Measured {
    let mut measured = Measured::default();
    let mut cases: Vec<Case<'_>> = Vec::new();
    for size in [1_u64 << 20, 2 << 20] {
        let act = Box::new(move |piece: Piece<'_>| write(piece, size));
        cases.push(Case {
            name: format!("write {} MiB", size >> 20),
            act,
        });
    }
    let options = Options {
        timeout_ms: 600_000,
        ..Options::default()
    };
    let ways = |method: &Method| matches!(method.way(), Way::Kernel | Way::Passthrough);
    for method in Method::ALL.iter().copied().filter(ways) {
        if let Some(why) = methods::requires(method, bench.target, &options) {
            measured.leave(NAME, method.word(), why);
            continue;
        }
        let (options, device) = (options.clone(), bench.armed.device());
        let act = Box::new(move |piece: Piece<'_>| methods::run(method, piece, device, &options));
        cases.push(Case {
            name: method.word().to_owned(),
            act,
        });
    }
    let mut samples: Vec<Vec<f64>> = cases.iter().map(|_| Vec::new()).collect();
    let mut failed: Vec<Option<String>> = cases.iter().map(|_| None).collect();
    for run in 0..=bench.runs {
        for (at, case) in cases.iter().enumerate() {
            let (Some(failed), Some(samples)) = (failed.get_mut(at), samples.get_mut(at)) else {
                continue;
            };
            if failed.is_some() {
                continue;
            }
            match once(bench, &*case.act) {
                // The first is for warming up.
                Ok(_) if run == 0 => {}
                Ok(rate) => samples.push(rate),
                Err(failure) => *failed = Some(failure.text),
            }
        }
    }
    for (Case { name, .. }, (samples, failed)) in
        cases.into_iter().zip(samples.into_iter().zip(failed))
    {
        if let Some(why) = failed {
            measured.leave(NAME, name, why);
        } else {
            measured
                .figures
                .extend(Figure::new(NAME, name, RATE, samples, "one call"));
        }
    }
    measured
}

/// Bytes a second, flush included. What stands there before is written data, so that nothing is already zero.
fn once(bench: &Bench<'_>, act: &dyn Fn(Piece<'_>) -> Result<(), Failure>) -> Result<f64, Failure> {
    let range = bench.armed.plan().range;
    let outside = || Failure {
        text: "the range is not armed".to_owned(),
        ..Failure::default()
    };
    let piece = bench.armed.piece(range).ok_or_else(outside)?;
    fill(piece, 0xa5)?;
    let begin = Instant::now();
    act(piece)?;
    exec::flush(piece.fd()).map_err(|error| failure("flush", error))?;
    Ok(float(range.length) / begin.elapsed().as_secs_f64())
}

fn failure(what: &str, error: rustix::io::Errno) -> Failure {
    Failure {
        text: format!("{what}: {}", errno::describe(error)),
        ..Failure::default()
    }
}

/// Writes one byte over a piece, and flushes.
pub(super) fn fill(piece: Piece<'_>, value: u8) -> Result<(), Failure> {
    let mut buffer = Buffer::new(1 << 20).map_err(|error| failure("memory", error))?;
    buffer.fill(value);
    write_all(piece, &buffer)?;
    exec::flush(piece.fd()).map_err(|error| failure("flush", error))
}

fn write(piece: Piece<'_>, size: u64) -> Result<(), Failure> {
    let length = usize::try_from(size).unwrap_or(1 << 20);
    let zeroes = Buffer::new(length).map_err(|error| failure("memory", error))?;
    write_all(piece, &zeroes)
}

fn write_all(piece: Piece<'_>, bytes: &[u8]) -> Result<(), Failure> {
    for part in piece.span().pieces(bytes.len() as u64) {
        let part = piece
            .part(part)
            .ok_or_else(|| failure("write", rustix::io::Errno::RANGE))?;
        let bytes = bytes
            .get(..usize::try_from(part.span().length).unwrap_or(0))
            .unwrap_or_default();
        exec::write(part, bytes).map_err(|error| failure("write", error))?;
    }
    Ok(())
}
