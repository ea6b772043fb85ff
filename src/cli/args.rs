//! The command line, as clap has it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::RunError;
use crate::model::device::Kind;
use crate::verdict::judgement::Zeroing;

mod fleet;
mod generate;

#[cfg(feature = "serve")]
pub use fleet::ServeArgs;
pub use fleet::{ExportArgs, ExportTo, PrometheusArgs, SeriesArgs, UdevArgs, WatchArgs};
pub use generate::{Document, GenArgs, Generated, Shell, Words};

/// What a block device really does when it is asked for zeroes, and why.
#[derive(Debug, Parser)]
#[command(
    name = "zinspect",
    version,
    max_term_width = 100,
    after_help = "Without a target every block device is listed; with targets each is explained.\n\
                  Exit status: 0 all targets were read, 1 --require was not met, 2 usage or environment,\n\
                  32 none of the targets could be read, 64 some could."
)]
pub struct Cli {
    /// What to do; without one, list or explain.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// List or explain.
    #[command(flatten)]
    pub inspect: Inspect,
    /// Which host is read.
    #[command(flatten)]
    pub host: HostArgs,
    /// How things are shown.
    #[command(flatten)]
    pub out: OutputArgs,
}

impl Cli {
    /// The command line, with the columns in its help.
    pub fn command_with_columns() -> clap::Command {
        <Self as clap::CommandFactory>::command().mut_arg("columns", |columns| {
            columns.long_help(crate::view::fields::help())
        })
    }

    /// Reads the command line; the error is a mistake, or a call for help.
    pub fn read() -> Result<Self, clap::Error> {
        let matches = Self::command_with_columns().try_get_matches()?;
        <Self as clap::FromArgMatches>::from_arg_matches(&matches)
    }
}

/// Everything but listing and explaining.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Draw the topology as a tree
    Tree(TreeArgs),
    /// Print the extents of files: offset, length, written or not
    Extents(ExtentsArgs),
    /// Look for what is wrong or about to go wrong: limits that mislead, bogus sizes, open nodes
    Doctor(DoctorArgs),
    /// Predict a stack that does not exist yet, over devices that do
    Whatif(WhatIfArgs),
    /// Record all that zinspect reads on this host in one archive
    Capture(CaptureArgs),
    /// Write, ask for zeroes in every way, and read back what the device really did
    Probe(Box<super::probe::ProbeArgs>),
    /// Measure ways to zero, to preallocate and to discard against each other
    Bench(Box<super::bench::BenchArgs>),
    /// Feed other programs: Prometheus, udev
    Export(ExportArgs),
    /// Answer scrapes over HTTP: /metrics, /healthz, /devices.json, and a page for people
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// Tell of devices that come and go, and of limits that change, as it happens
    Watch(WatchArgs),
    /// Print what packages are made of: completions, man pages, JSON Schemas
    Gen(GenArgs),
}

/// Which host is read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Host")]
pub struct HostArgs {
    /// Read a capture made by `zinspect capture` instead of this host
    #[arg(long, value_name = "FILE", conflicts_with = "sysroot", global = true)]
    pub snapshot: Option<PathBuf>,
    /// Read the captured root in DIR (DIR/sys, DIR/proc, DIR/run/udev/data); no link in it leads out
    #[arg(long, value_name = "DIR", global = true)]
    pub sysroot: Option<PathBuf>,
    /// Send no command to any device: sysfs, proc and the udev database alone
    #[arg(long, global = true)]
    pub no_ioctl: bool,
}

/// How things are shown.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct OutputArgs {
    /// Sizes in bytes; JSON, CSV and metrics always have them so
    #[arg(short, long, global = true)]
    pub bytes: bool,
    /// Colour: auto is on a terminal where NO_COLOR is not set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, global = true)]
    pub color: When,
    /// Cut nothing to the width of the terminal
    #[arg(long, global = true)]
    pub no_wrap: bool,
    /// No line of column names
    #[arg(short = 'n', long, global = true)]
    pub no_headings: bool,
    /// Draw trees in ASCII
    #[arg(long, global = true)]
    pub ascii: bool,
}

/// Whether to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A row for each device.
    Table,
    /// A page for each device: verdict, reasons, evidence.
    Detail,
    /// The topology.
    Tree,
    /// One object, after the contract of version 1.
    Json,
    /// An object for each device and line.
    Ndjson,
    /// Columns, separated by commas.
    Csv,
    /// Metrics in text format 0.0.4.
    Prometheus,
    /// A table and a section for each target, for a ticket.
    Markdown,
    /// One page for a browser: summary, topology, reasons and evidence, search.
    Html,
    /// The topology as a picture.
    Svg,
    /// The topology for Graphviz.
    Dot,
}

/// A verdict that scripts ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Require {
    /// Each target zeroes by deallocating.
    Unmap,
    /// Each target has a zeroes command.
    Offload,
}

/// Listing and explaining.
#[derive(Debug, Args)]
pub struct Inspect {
    /// Kernel name, /dev path or link, MAJ:MIN, partition, NVMe controller or hidden path; or a file, directory or
    /// mount point by its path: a word without a slash is a kernel name, a file of that name is ./name
    #[arg(value_name = "TARGET")]
    pub targets: Vec<OsString>,
    /// Paths are those of this process: its root and its mounts (its files need the right to trace it)
    #[arg(long, value_name = "PID", conflicts_with_all = ["snapshot", "sysroot"])]
    pub pid: Option<u32>,
    /// Form of the answer [default: table without a target, detail with one]
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub output: Option<Format>,
    /// Columns by name, separated by commas; "+a,b" adds to the default ones, "all" is every one
    #[arg(short, long, value_name = "LIST")]
    pub columns: Option<String>,
    /// List the columns with their meaning, and stop
    #[arg(long)]
    pub list_columns: bool,
    /// Sort by a column; "-size" sorts downwards
    #[arg(short, long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// Only devices of these kinds
    #[arg(short, long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub kind: Vec<Kind>,
    /// Only devices with these verdicts
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', value_parser = zeroings())]
    pub verdict: Vec<Zeroing>,
    /// Devices that nobody asks about as well: unbound loop and nbd, RAM disks, empty zram
    #[arg(short, long)]
    pub all: bool,
    /// Show the bytes beside each decoded field
    #[arg(long)]
    pub raw: bool,
    /// Exit 1 unless every target meets this: unmap meets offload, unknown meets neither
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub require: Option<Require>,
}

impl Format {
    /// Whether devices below those that were chosen are told of as well.
    pub fn tells_stacks(self) -> bool {
        matches!(
            self,
            Self::Json | Self::Ndjson | Self::Html | Self::Svg | Self::Dot
        )
    }
}

impl Inspect {
    /// Refuses options that this form of answer would ignore.
    pub fn fits(&self, format: Format) -> Result<(), RunError> {
        let columns = matches!(format, Format::Table | Format::Csv);
        let given = [
            (
                self.columns.is_some() && !columns,
                "--columns goes with -o table and -o csv",
            ),
            (
                self.raw && format != Format::Detail,
                "--raw goes with -o detail",
            ),
            (
                self.sort.is_some() && format == Format::Tree,
                "--sort does not go with -o tree",
            ),
            (
                self.list_columns && format != Format::Table,
                "--list-columns prints a table",
            ),
        ];
        let unfit = given.into_iter().find(|(unfit, _)| *unfit);
        unfit.map_or(Ok(()), |(_, why)| Err(RunError::Usage(why.to_owned())))
    }

    /// The first option that only listing and explaining have, if one was given: subcommands do not take it.
    pub fn own_option(&self) -> Option<&'static str> {
        let given = [
            (self.output.is_some(), "--output"),
            (self.columns.is_some(), "--columns"),
            (self.list_columns, "--list-columns"),
            (self.sort.is_some(), "--sort"),
            (!self.kind.is_empty(), "--kind"),
            (!self.verdict.is_empty(), "--verdict"),
            (self.all, "--all"),
            (self.raw, "--raw"),
            (self.require.is_some(), "--require"),
            (self.pid.is_some(), "--pid"),
            (!self.targets.is_empty(), "a target"),
        ];
        given
            .into_iter()
            .find(|(given, _)| *given)
            .map(|(_, name)| name)
    }
}

/// Drawing.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// Where to begin; everything without one
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// From what stands on top down to the disks
    #[arg(short, long)]
    pub inverse: bool,
    /// Devices that nobody asks about as well
    #[arg(short, long)]
    pub all: bool,
}

/// Printing extents.
#[derive(Debug, Args)]
pub struct ExtentsArgs {
    /// Regular files
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<OsString>,
    /// Paths are those of this process
    #[arg(long, value_name = "PID")]
    pub pid: Option<u32>,
    /// Form of the answer
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = ExtentsFormat::Table)]
    pub output: ExtentsFormat,
}

/// In which form extents are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExtentsFormat {
    /// A row for each extent.
    Table,
    /// One object.
    Json,
    /// Columns, separated by commas.
    Csv,
}

/// Looking for what is wrong.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only these devices and what they stand on; everything without one
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Form of the answer
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = DoctorFormat::Detail)]
    pub output: DoctorFormat,
    /// Exit 1 if there is a finding of this level or worse
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailOn::Error)]
    pub fail_on: FailOn,
    /// Devices that nobody asks about as well
    #[arg(short, long)]
    pub all: bool,
    /// What `zinspect probe -o json` printed of one of the devices: proof for a udev rule; may be given several times
    #[arg(long, value_name = "FILE")]
    pub probe_result: Vec<PathBuf>,
}

/// In which form `doctor` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DoctorFormat {
    /// A paragraph for each finding.
    Detail,
    /// One object, after the contract of version 1.
    Json,
}

/// The least level that makes `doctor` exit 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Any finding.
    Info,
    /// Numbers that mislead, or worse.
    Warning,
    /// Data or service at stake.
    Error,
}

/// Predicting.
#[derive(Debug, Args)]
#[command(
    after_help = "Devices name each other by /dev/NAME (in --md by NAME too), in any order; everything else is a device \
                        of the host.\nExample: zinspect whatif --md 'fast=raid0,chunk=64k,/dev/sdb,/dev/sdc' \
                        --dm '0 65536 linear /dev/fast 0'"
)]
pub struct WhatIfArgs {
    /// A line of a device-mapper table, in sectors; lines of one name (without one: whatif-dm) are one table, several
    /// may stand in one word, separated by semicolons
    #[arg(long, value_name = "[NAME=]LINE")]
    pub dm: Vec<String>,
    /// An MD array (without a name: whatif-md); a chunk is 512k unless given; a number alone counts KiB, as with mdadm
    #[arg(long, value_name = "[NAME=]LEVEL[,chunk=SIZE],DEVICE,...")]
    pub md: Vec<String>,
    /// A native NVMe multipath head over these namespaces (without a name: whatif-head)
    #[arg(long, value_name = "[NAME=]PATH,...")]
    pub nvme_paths: Vec<String>,
    /// Form of the answer
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = WhatIfFormat::Detail)]
    pub output: WhatIfFormat,
}

/// In which form `whatif` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WhatIfFormat {
    /// A page for each planned device.
    Detail,
    /// One object, after the contract of version 1.
    Json,
}

/// Capturing.
#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// Archive to write: gzipped tar, whole or not at all
    #[arg(value_name = "FILE.tar.gz")]
    pub file: PathBuf,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.word()))
        .try_map(|word| find(Kind::ALL, Kind::word, &word))
}

fn zeroings() -> impl TypedValueParser<Value = Zeroing> {
    PossibleValuesParser::new(Zeroing::ALL.iter().map(|zeroing| zeroing.word()))
        .try_map(|word| find(Zeroing::ALL, Zeroing::word, &word))
}

fn find<T: Copy>(all: &[T], name: fn(T) -> &'static str, word: &str) -> Result<T, String> {
    let found = all.iter().copied().find(|one| name(*one) == word);
    found.ok_or_else(|| format!("{word} is not known"))
}
