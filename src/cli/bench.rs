//! `zinspect bench`: the comparisons that fast zeroing was argued with.

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rustix::fs::Access;
use zinspect_exporters::{ByteStyle, format_bytes, write_csv, write_json, write_table};

use super::args::Cli;
use super::bar::Bar;
use super::{Exit, RunError, host, output, say};
use crate::bench::engine::Engine;
use crate::bench::{Bench, Left, Measured, discard, impact, overwrite, zero};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::probe::gather;
use crate::probe::plan::{Ask, Mode, Plan};
use crate::probe::refusal::Refusal;
use crate::probe::safety::{self, Consent};
use crate::probe::span::{Span, parse_bytes};
use crate::probe::target::Target;
use crate::source::{errno, whole_file};
use crate::view::bench::{self, BenchReport};

/// Measuring.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// A directory (zero, overwrite, impact on a scratch file) or a device (zero, impact, discard; it loses its bytes)
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// Only these comparisons
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<Comparison>,
    /// How many bytes to zero, with K, M, G, separated by commas; what is not measured by size takes the least
    /// [default: 64M, 1G and 10G, as far as there are room and time]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = parse_size)]
    pub size: Vec<u64>,
    /// Runs that count, after one for warming up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..1000))]
    pub runs: u16,
    /// Seconds of each run that is measured by time
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = parse_seconds)]
    pub seconds: f64,
    /// Lose a device's bytes
    #[arg(long)]
    pub destroy: bool,
    /// The identity of the device that may lose them, as `zinspect probe DEVICE --destroy --dry-run` prints it
    #[arg(long, value_name = "ID")]
    pub yes_destroy: Option<String>,
    /// Form of the answer
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = BenchFormat::Table)]
    pub output: BenchFormat,
    /// Write a page with plots as well, in one file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Comparison {
    /// Writing zeroes against asking for them.
    Zero,
    /// Durable overwrites by kind of preallocation.
    Overwrite,
    /// Reads while zeroing goes on.
    Impact,
    /// Synchronous discards against io_uring's.
    Discard,
}

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenchFormat {
    /// A row for each figure.
    Table,
    /// One object.
    Json,
    /// Columns, separated by commas, of plain numbers; what was not measured is said on stderr.
    Csv,
    /// A table for a report.
    Markdown,
}

fn parse_size(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 1 << 20;
    let size = parse_bytes(text).filter(|size| *size >= LEAST && size.is_multiple_of(LEAST));
    size.ok_or_else(|| format!("{text:?} is no whole number of MiB, as in 64M"))
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok();
    seconds
        .filter(|seconds| (0.01..=3600.0).contains(seconds))
        .ok_or_else(|| format!("{text:?} is not within 0.01 and 3600 seconds"))
}

/// Measures.
pub(super) fn run(cli: &Cli, args: &BenchArgs) -> Result<Exit, RunError> {
    if let Some(path) = &args.html {
        check_place(path)?;
    }
    let source = host::open(&cli.host)?;
    let collector = Collector::new(&source, Needs::ALL);
    let target = gather::target(&collector, &args.target)?;
    let mode = args.destroy.then_some(Mode::Destroy);
    if let (Target::Device(device), None) = (&target, mode) {
        let what = format!(
            "{} would lose its bytes: say --destroy --yes-destroy={}",
            device.kname, device.identity
        );
        return Err(RunError::Usage(what));
    }
    let mut measured = Measured::default();
    let mut sizes = sizes(args, &target, &mut measured);
    large_enough(args, &target, &sizes)?;
    let plan = Plan::new(
        &target,
        &Ask {
            methods: Vec::new(),
            range: range(&target, sizes.last().copied()),
            mode,
        },
    )?;
    // A device may be smaller than the least size.
    if sizes.iter().any(|size| *size > plan.range.length) {
        sizes = vec![plan.range.length];
    }
    let consent = Consent {
        identity: args.yes_destroy.as_deref(),
        journal: None,
    };
    let armed = safety::arm(&collector, plan, &target, consent)?;
    let bar = RefCell::new(Bar::new());
    let measuring = Bench {
        armed: &armed,
        target: &target,
        runs: args.runs.into(),
        seconds: args.seconds,
        sizes: &sizes,
        insist: !args.size.is_empty(),
        watcher: &bar,
    };
    if let Some(why) = Engine::refusal() {
        measured.leave("all", "io_uring", why);
    }
    measured.extend(measure(args, &measuring));
    bar.borrow().clear();
    let report = BenchReport::new(&collector.kernel.release, &args.target, measured);
    if report.runs.is_empty() {
        return nothing(cli, args, &report);
    }
    // What took so long to measure is printed, whatever becomes of the page.
    let printed = print(cli, args, &report);
    if let Some(path) = &args.html {
        page(path, &bench::html(&report))?;
    }
    printed.map(|()| Exit::All)
}

/// A report without a figure is a failure, for its reasons. Programs get it all the same; no page is made of it.
fn nothing(cli: &Cli, args: &BenchArgs, report: &BenchReport) -> Result<Exit, RunError> {
    if args.output != BenchFormat::Table {
        super::delivered(print(cli, args, report))?;
    }
    let why: Vec<String> = report.not_measured.iter().map(told).collect();
    Err(RunError::Usage(format!(
        "nothing was measured on {}: {}",
        report.target,
        why.join("; ")
    )))
}

/// What was not measured, and why.
fn told(left: &Left) -> String {
    format!("{}, {}: {}", left.benchmark, left.case, left.why)
}

/// Refuses a device that is smaller than every size that was asked for.
fn large_enough(args: &BenchArgs, target: &Target, sizes: &[u64]) -> Result<(), Refusal> {
    match (sizes.first(), target) {
        (Some(least), Target::Device(device))
            if !args.size.is_empty() && *least > device.size_bytes =>
        {
            Err(Refusal::OutsideDevice {
                kname: device.kname.clone(),
                range: Span {
                    offset: 0,
                    length: *least,
                },
                size: device.size_bytes,
            })
        }
        _ => Ok(()),
    }
}

/// Refuses a page that could not be written: before all is measured for it. A device or a pipe of that name is no page.
fn check_place(path: &Path) -> Result<(), RunError> {
    let other = std::fs::metadata(path).is_ok_and(|meta| !meta.is_file());
    if other {
        return Err(RunError::Usage(format!(
            "{} is no regular file: name another for the page",
            path.display()
        )));
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    // With the dot it is a folder or an error.
    rustix::fs::access(
        Path::new(".").join(folder).join("."),
        Access::WRITE_OK | Access::EXEC_OK,
    )
    .map_err(|error| {
        RunError::Usage(format!(
            "cannot write {}: its folder: {}; name a page in a folder that exists and can be written to",
            path.display(),
            errno::describe(error)
        ))
    })
}

/// Writes a page, where there still can be one.
fn page(path: &Path, text: &str) -> Result<(), RunError> {
    check_place(path)?;
    Ok(whole_file::write(path, text.as_bytes())?)
}

/// The sizes that fit, from few bytes to many.
fn sizes(args: &BenchArgs, target: &Target, measured: &mut Measured) -> Vec<u64> {
    const DEFAULT: [u64; 3] = [64 << 20, 1 << 30, 10 << 30];
    let room = match target {
        Target::Scratch(dir) => dir.free_bytes / 2,
        Target::Device(device) => device.size_bytes,
    };
    let mut sizes = match args.size.as_slice() {
        [] => DEFAULT.to_vec(),
        asked => asked.to_vec(),
    };
    sizes.sort_unstable();
    sizes.dedup();
    // The least stays: what is wrong with it is for the plan to say.
    let least = sizes.first().copied();
    sizes.retain(|size| {
        let fits = *size <= room || Some(*size) == least;
        if !fits && asked_for(args, Comparison::Zero) {
            let case = format_bytes(*size, ByteStyle::People);
            measured.leave("zero", case, format!("{room} bytes may be used here"));
        }
        fits
    });
    sizes
}

fn asked_for(args: &BenchArgs, comparison: Comparison) -> bool {
    args.only.is_empty() || args.only.contains(&comparison)
}

/// From the beginning of a file on; in the middle of a device, or what fits.
fn range(target: &Target, length: Option<u64>) -> Option<Span> {
    const MIB: u64 = 1 << 20;
    let length = length?;
    let offset = match target {
        Target::Scratch(_) => 0,
        Target::Device(device) => device.size_bytes.checked_sub(length)? / 2 / MIB * MIB,
    };
    Some(Span { offset, length })
}

fn measure(args: &BenchArgs, bench: &Bench<'_>) -> Measured {
    let mut measured = Measured::default();
    for (comparison, run) in [
        (Comparison::Zero, zero::run as fn(&Bench<'_>) -> Measured),
        (Comparison::Overwrite, overwrite::run),
        (Comparison::Impact, impact::run),
        (Comparison::Discard, discard::run),
    ] {
        if asked_for(args, comparison) {
            measured.extend(run(bench));
        }
    }
    measured
}

fn print(cli: &Cli, args: &BenchArgs, report: &BenchReport) -> Result<(), RunError> {
    let mut out = output::stdout();
    let plain = cli.out.bytes || args.output == BenchFormat::Csv;
    let columns = if plain {
        bench::columns::<true>()
    } else {
        bench::columns::<false>()
    };
    let columns: Vec<_> = columns.iter().collect();
    match args.output {
        BenchFormat::Json => write_json(&mut out, report, true)?,
        BenchFormat::Csv => {
            write_csv(
                &mut out,
                &columns,
                report.runs.iter().cloned(),
                !cli.out.no_headings,
            )?;
        }
        BenchFormat::Markdown => {
            let text = if plain {
                bench::markdown::<true>(report)
            } else {
                bench::markdown::<false>(report)
            };
            out.write_all(text.as_bytes())?;
        }
        BenchFormat::Table => {
            write_table(&mut out, &columns, &report.runs, &output::options(&cli.out))?;
            for left in &report.not_measured {
                writeln!(out, "not measured: {}", told(left))?;
            }
        }
    }
    output::finish(out)?;
    // Of nothing measured the error tells it.
    if args.output == BenchFormat::Csv && !report.runs.is_empty() {
        for left in &report.not_measured {
            say(format!("not measured: {}", told(left)));
        }
    }
    Ok(())
}
