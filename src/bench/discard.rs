//! Synchronous discards, which serialise on the device's page-cache lock, against io_uring's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::stats::float;
use super::{Bench, Figure, Measured};
use crate::probe::exec;
use crate::probe::methods::{self, Options};
use crate::probe::plan::Method;
use crate::probe::safety::Piece;
use crate::probe::span::Span;
use crate::source::errno;

const NAME: &str = "discard";
const DEPTHS: [u32; 6] = [1, 4, 16, 64, 128, 256];
const THREADS: [(usize, &str); 2] = [(1, "BLKDISCARD, 1 thread"), (4, "BLKDISCARD, 4 threads")];
const BLOCK: u64 = 4096;

/// Threads, then queue depths.
pub fn run(bench: &Bench<'_>) -> Measured {
    let mut measured = Measured::default();
    let why = |method| methods::requires(method, bench.target, &Options::default());
    if let Some(why) = why(Method::BlkDiscard) {
        measured.leave(NAME, "all", why);
        return measured;
    }
    let (length, size) = (bench.range().length, block(bench));
    if length < size {
        let why = format!(
            "{length} bytes are less than one request of {size} bytes (discard_granularity): --size names more"
        );
        measured.leave(NAME, "all", why);
        return measured;
    }
    for (threads, case) in THREADS {
        let run = || synchronous(bench, threads);
        sample(bench, &mut measured, case.to_owned(), "threads", run);
    }
    if let Some(why) = why(Method::UringDiscard) {
        measured.leave(NAME, "io_uring", why);
        return measured;
    }
    for depth in DEPTHS {
        let run =
            || exec::uring_discards(&mut pieces(bench), depth, force_async(bench), bench.seconds);
        sample(
            bench,
            &mut measured,
            format!("io_uring, queue depth {depth}"),
            "io_uring",
            run,
        );
    }
    measured
}

fn force_async(bench: &Bench<'_>) -> bool {
    bench
        .armed
        .device()
        .is_some_and(|device| device.kind == "md")
}

fn block(bench: &Bench<'_>) -> u64 {
    let device = bench.armed.device();
    let granularity = device
        .and_then(|device| device.limits.discard_granularity)
        .unwrap_or(0);
    granularity
        .max(device.map_or(BLOCK, |device| device.block))
        .max(BLOCK)
}

/// The range's blocks again and again.
fn pieces<'b>(bench: &'b Bench<'_>) -> impl Iterator<Item = Piece<'b>> {
    let (range, size) = (bench.range(), block(bench));
    let whole = move || range.pieces(size).filter(move |piece| piece.length == size);
    std::iter::repeat_with(whole)
        .flatten()
        .map_while(|span| bench.armed.piece(span))
}

fn sample(
    bench: &Bench<'_>,
    measured: &mut Measured,
    case: String,
    engine: &'static str,
    run: impl Fn() -> Result<u64, rustix::io::Errno>,
) {
    let (mut rates, mut costs) = (Vec::new(), Vec::new());
    for turn in 0..=bench.runs {
        bench.begins(&case, NAME, turn, bench.runs + 1);
        let (begin, cpu) = (Instant::now(), exec::cpu_seconds());
        match run() {
            Err(error) => return measured.leave(NAME, case, errno::describe(error)),
            Ok(done) if turn > 0 && done > 0 => {
                rates.push(float(done) / begin.elapsed().as_secs_f64());
                costs.push((exec::cpu_seconds() - cpu) * 1e6 / float(done));
            }
            Ok(_) => {}
        }
    }
    if rates.is_empty() {
        return measured.leave(NAME, case, "no discard came to its end within --seconds");
    }
    measured.figures.extend(Figure::new(
        NAME,
        case.clone(),
        ("operations", "1/s"),
        rates,
        engine,
    ));
    measured.figures.extend(Figure::new(
        NAME,
        case,
        ("CPU for one", "µs"),
        costs,
        engine,
    ));
}

/// Every thread takes the next block, until the time is up.
fn synchronous(bench: &Bench<'_>, threads: usize) -> Result<u64, rustix::io::Errno> {
    let (range, size) = (bench.range(), block(bench));
    let blocks = (range.length / size).max(1);
    let (next, begin) = (AtomicU64::new(0), Instant::now());
    let (armed, seconds) = (bench.armed, bench.seconds);
    let work = || {
        while begin.elapsed().as_secs_f64() < seconds {
            let at = next.fetch_add(1, Ordering::Relaxed) % blocks;
            let span = Span {
                offset: range.offset + at * size,
                length: size,
            };
            exec::discard(armed.piece(span).ok_or(rustix::io::Errno::RANGE)?)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ends: Vec<Result<(), rustix::io::Errno>> = all
            .into_iter()
            .map(|thread| thread.join().unwrap_or(Err(rustix::io::Errno::IO)))
            .collect();
        ends.into_iter().collect::<Result<(), _>>()
    })?;
    Ok(next.load(Ordering::Relaxed))
}
