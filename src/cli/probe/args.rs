//! The arguments of `zinspect probe`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::probe::plan::Method;
use crate::probe::span::Span;

/// Probing.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
#[command(
    after_help = "A directory is probed by a scratch file of its own, which is the safe default.\n\
    Exit status: 0 every method that ran zeroed the range, 1 one did not, harmed a neighbour, or none\n\
    of those asked for zeroed it, 2 refused, usage or interrupted, 3 the former bytes are not back (the\n\
    journal is named)."
)]
pub struct ProbeArgs {
    /// A directory (a scratch file is made there), a partition or a whole device
    #[arg(value_name = "TARGET", required_unless_present = "recover")]
    pub target: Option<String>,
    /// Ways to ask for zeroes, separated by commas, or all
    #[arg(short, long, value_name = "METHOD", value_delimiter = ',', value_parser = parse_method, default_value = "all", long_help = methods_help())]
    pub method: Vec<Methods>,
    /// What to zero, in bytes or with K, M, G, T [default: 32M in the middle]
    #[arg(long, value_name = "OFFSET:LENGTH", value_parser = Span::parse)]
    pub range: Option<Span>,
    /// Keep a device's bytes in a journal first, put them back afterwards and compare
    #[arg(long, conflicts_with = "destroy")]
    pub preserve: bool,
    /// Lose a device's bytes: wants its identity typed, or --yes-destroy
    #[arg(long)]
    pub destroy: bool,
    /// The identity that --dry-run prints, instead of typing it: a script can never hit another disk
    #[arg(long, value_name = "ID")]
    pub yes_destroy: Option<String>,
    /// Where the journal of --preserve goes [default: one in the state directory]
    #[arg(long, value_name = "FILE", requires = "preserve")]
    pub journal: Option<PathBuf>,
    /// Put the bytes of a journal back
    #[arg(long, value_name = "JOURNAL", conflicts_with_all = ["target", "destroy", "preserve", "dry_run", "range", "method", "sweep", "backing", "force_async", "despite_quirks", "output"])]
    pub recover: Option<PathBuf>,
    /// Print the plan, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Leave a method that shows no progress for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..86_400))]
    pub timeout: u64,
    /// Measure what zeroes by size and alignment of its requests as well, and draw it
    #[arg(long)]
    pub sweep: bool,
    /// A file behind the device, whose blocks tell whether space was given back
    #[arg(long, value_name = "FILE")]
    pub backing: Option<String>,
    /// Have a worker of the kernel do io_uring's discards (needed on Linux 7.0)
    #[arg(long)]
    pub force_async: bool,
    /// Send NVMe Write Zeroes also to a controller for which the kernel has turned it off by a quirk
    #[arg(long)]
    pub despite_quirks: bool,
    /// Form of the answer
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = ProbeFormat::Table)]
    pub output: ProbeFormat,
}

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProbeFormat {
    /// A row for each method, then the verdict.
    Table,
    /// One object.
    Json,
}

/// One method, or every one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Methods {
    /// Every one.
    All,
    /// One.
    One(Method),
}

fn words() -> String {
    let words: Vec<&str> = Method::ALL.iter().map(|method| method.word()).collect();
    words.join(", ")
}

fn methods_help() -> String {
    format!(
        "Ways to ask for zeroes, separated by commas, or all: {}",
        words()
    )
}

fn parse_method(word: &str) -> Result<Methods, String> {
    if word == "all" {
        return Ok(Methods::All);
    }
    let found = Method::ALL.iter().find(|method| method.word() == word);
    found
        .map(|method| Methods::One(*method))
        .ok_or_else(|| format!("not one of all, {}", words()))
}
