//! `zinspect gen`: what packages are made of.

use std::io::Write;

use clap::CommandFactory;
use zinspect_exporters::write_json;

use super::args::{Cli, Document, GenArgs, Generated, Shell, Words};
use super::{Exit, RunError, host, inspect, output};
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::view::{bench, doctor, extents, fields, probe, report};

/// Prints or writes it.
pub(super) fn run(cli: &Cli, args: &GenArgs) -> Result<Exit, RunError> {
    let mut out = output::stdout();
    match &args.what {
        Generated::Schema { document } => write_json(&mut out, &schema(*document), true)?,
        Generated::Completions { shell } => out.write_all(completions(*shell).as_bytes())?,
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
            for field in fields::ALL.iter() {
                writeln!(out, "{}", field.key)?;
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

/// clap's script, with devices and columns asked of the program itself.
fn completions(shell: Shell) -> String {
    let full = Cli::command();
    let shown = full.get_subcommands().filter(|one| !one.is_hide_set());
    let mut command = clap::Command::new("zinspect")
        .version(env!("CARGO_PKG_VERSION"))
        .args(full.get_arguments())
        .subcommands(shown);
    let mut script = Vec::new();
    let generator = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    clap_complete::generate(generator, &mut command, "zinspect", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Bash => script + include_str!("generate/words.bash"),
        Shell::Fish => script + include_str!("generate/words.fish"),
        Shell::Zsh => {
            // The first line, `#compdef zinspect`, has to stay the first.
            let (first, rest) = script.split_once('\n').unwrap_or((&script, ""));
            let lines: Vec<String> = rest.lines().map(zsh_line).collect();
            format!(
                "{first}\n{}{}\n",
                include_str!("generate/words.zsh"),
                lines.join("\n")
            )
        }
    }
}

/// clap offers files where it knows nothing better.
fn zsh_line(line: &str) -> String {
    let words = match () {
        () if line.contains(":LIST:") || line.contains(":COLUMN:") => "_zinspect_columns",
        () if line.contains("::targets -- ") || line.contains("':node -- ") => "_zinspect_devices",
        () => return line.to_owned(),
    };
    line.replace(":_default'", &format!(":{words}'"))
}
