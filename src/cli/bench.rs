//! `zinspect bench`: the comparisons that fast zeroing was argued with.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use zinspect_exporters::{write_csv, write_json, write_table};

use super::args::Cli;
use super::{Exit, RunError, host, output};
use crate::bench::{Bench, Measured, discard, impact, overwrite, zero};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::probe::gather;
use crate::probe::plan::{Ask, Mode, Plan};
use crate::probe::safety::{self, Consent};
use crate::probe::span::{Span, parse_bytes};
use crate::probe::target::Target;
use crate::view::bench::{self, BenchReport, COLUMNS};

/// Measuring.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// A directory (zero, overwrite, impact on a scratch file) or a device (zero, impact, discard; it loses its bytes)
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// Only these comparisons
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<Comparison>,
    /// How many bytes to zero and to write over, with K, M, G
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_size)]
    pub size: u64,
    /// Runs that count, after one for warming up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..1000))]
    pub runs: u16,
    /// Seconds of each run that is measured by time
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub seconds: f64,
    /// Lose a device's bytes
    #[arg(long)]
    pub destroy: bool,
    /// The identity of the device that may lose them, as `zinspect probe --dry-run` prints it
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
    /// Columns, separated by commas.
    Csv,
    /// A table for a report.
    Markdown,
}

fn parse_size(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 1 << 20;
    let size = parse_bytes(text).filter(|size| *size >= LEAST && size.is_multiple_of(LEAST));
    size.ok_or_else(|| format!("{text:?} is no whole number of MiB, as in 64M"))
}

/// Measures.
pub(super) fn run(cli: &Cli, args: &BenchArgs) -> Result<Exit, RunError> {
    let source = host::open(&cli.host)?;
    let collector = Collector::new(&source, Needs::ALL);
    let target = gather::target(&collector, &args.target)?;
    let range = match &target {
        Target::Scratch(_) => Some(Span {
            offset: 0,
            length: args.size,
        }),
        Target::Device(device) => within(device.size_bytes, args.size),
    };
    let mode = args.destroy.then_some(Mode::Destroy);
    if let (Target::Device(device), None) = (&target, mode) {
        let what = format!(
            "{} would lose its bytes: say --destroy --yes-destroy={}",
            device.kname, device.identity
        );
        return Err(RunError::Usage(what));
    }
    let plan = Plan::new(
        &target,
        &Ask {
            methods: Vec::new(),
            range,
            mode,
        },
    )?;
    let consent = Consent {
        identity: args.yes_destroy.as_deref(),
        journal: None,
    };
    let armed = safety::arm(plan, &target, consent)?;
    let measuring = Bench {
        armed: &armed,
        target: &target,
        runs: args.runs.into(),
        seconds: args.seconds.max(0.01),
    };
    let measured = measure(args, &measuring);
    let report = BenchReport::new(&collector.kernel.release, &args.target, measured);
    if let Some(path) = &args.html {
        std::fs::write(path, bench::html(&report))?;
    }
    print(cli, args, &report)?;
    Ok(Exit::All)
}

/// In the middle, where it fits.
fn within(size: u64, length: u64) -> Option<Span> {
    const MIB: u64 = 1 << 20;
    let offset = size.checked_sub(length)? / 2 / MIB * MIB;
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
        if args.only.is_empty() || args.only.contains(&comparison) {
            measured.extend(run(bench));
        }
    }
    measured
}

fn print(cli: &Cli, args: &BenchArgs, report: &BenchReport) -> Result<(), RunError> {
    let mut out = output::stdout();
    let columns: Vec<_> = COLUMNS.iter().collect();
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
        BenchFormat::Markdown => out.write_all(bench::markdown(report).as_bytes())?,
        BenchFormat::Table => {
            write_table(&mut out, &columns, &report.runs, &output::options(&cli.out))?;
            for left in &report.not_measured {
                writeln!(
                    out,
                    "not measured: {}, {}: {}",
                    left.benchmark, left.case, left.why
                )?;
            }
        }
    }
    output::finish(out)?;
    Ok(())
}
