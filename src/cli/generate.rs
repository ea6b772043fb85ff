//! `zinspect gen`: what packages are made of.

use std::collections::HashSet;
use std::io::Write;

use clap::CommandFactory;
use zinspect_exporters::write_json;

use super::args::{Cli, Document, GenArgs, Generated, Words};
use super::{Exit, RunError, host, inspect, output};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::view::{bench, doctor, extents, fields, probe, report};

mod completions;

/// Prints or writes it.
pub(super) fn run(cli: &Cli, args: &GenArgs) -> Result<Exit, RunError> {
    let mut out = output::stdout();
    match &args.what {
        Generated::Schema { document } => write_json(&mut out, &schema(*document), true)?,
        Generated::Completions { shell } => {
            out.write_all(completions::script(*shell)?.as_bytes())?;
        }
        Generated::Man { folder } => clap_mangen::generate_to(Cli::command(), folder)?,
        Generated::Words { kind } => words(cli, *kind, &mut out)?,
    }
    output::finish(out)?;
    Ok(Exit::All)
}

fn schema(document: Document) -> schemars::Schema {
    match document {
        Document::Report => report::schema(),
        Document::Probe => schemars::schema_for!(probe::ProbeReport),
        Document::Bench => schemars::schema_for!(bench::BenchReport),
        Document::Doctor => schemars::schema_for!(doctor::Report),
        Document::Extents => schemars::schema_for!(extents::Report<'_>),
    }
}

/// What completions ask for while somebody types.
fn words(cli: &Cli, kind: Words, out: &mut dyn Write) -> Result<(), RunError> {
    match kind {
        Words::Columns => {
            // Both names of a column, as --columns takes them; the first column of a name is the one it means.
            let mut told = HashSet::new();
            for field in fields::ALL.iter() {
                for name in [field.key.to_owned(), field.header.to_ascii_lowercase()] {
                    if told.insert(name.clone()) {
                        writeln!(out, "{name}")?;
                    }
                }
            }
        }
        Words::Devices => {
            let mut silent = cli.host.clone();
            silent.no_ioctl = true;
            let source = host::open(&silent)?;
            let collector = Collector::new(&source, Needs::VERDICT);
            for kname in collector.list()? {
                if let Ok(device) = collector.device(&kname)
                    && inspect::is_listed(&device)
                {
                    writeln!(out, "{kname}")?;
                }
            }
        }
    }
    Ok(())
}
