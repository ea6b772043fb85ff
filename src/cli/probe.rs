//! `zinspect probe`: writes, asks for zeroes, and reads back.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use zinspect_exporters::{write_json, write_table};

mod args;

pub use args::{Methods, ProbeArgs, ProbeFormat};

use super::args::Cli;
use super::bar::Bar;
use super::{Exit, RunError, host, output, say};
use crate::facts::collect::Collector;
use crate::facts::identity;
use crate::facts::needs::Needs;
use crate::model::ids::KName;
use crate::probe::exec::Signals;
use crate::probe::outcome::{MethodResult, Outcome};
use crate::probe::plan::{Ask, Mode, Plan, Way};
use crate::probe::refusal::Refusal;
use crate::probe::run::{self, Run, Settings};
use crate::probe::safety::{self, ArmedPlan, Consent};
use crate::probe::store::{self, Record};
use crate::probe::target::Target;
use crate::probe::{carries, foresee, gather, journal, place, recover, verdict};
use crate::view::probe::{COLUMNS, ProbeReport, curve};

/// Probes, or recovers.
pub(super) fn run(cli: &Cli, args: &ProbeArgs) -> Result<Exit, RunError> {
    let source = host::open(&cli.host)?;
    let collector = Collector::new(&source, Needs::ALL);
    for (path, header) in journal::left_over() {
        if args.recover.is_some() {
            continue;
        }
        match header {
            Ok(header) => say(format!(
                "the bytes of {} ({}) from an interrupted probe are not back: zinspect probe --recover {}",
                header.kname,
                header.identity,
                path.display()
            )),
            Err(error) => say(format!(
                "an interrupted probe may have left its journal, which cannot be read: {error}; if its bytes are back, \
                 remove {}",
                path.display()
            )),
        }
    }
    let done = match (&args.recover, &args.target) {
        (Some(journal), _) => recover_it(&collector, args, journal),
        (None, Some(word)) => probe(cli, &collector, args, word),
        (None, None) => return Err(RunError::Usage("no target".to_owned())),
    };
    match done {
        Ok(exit) => Ok(exit),
        Err(Ended::Refused(refusal)) => Err(RunError::Refused(refusal)),
        Err(Ended::Failed(error)) => Err(error),
    }
}

/// Why there is no result.
enum Ended {
    Refused(Refusal),
    Failed(RunError),
}

impl From<Refusal> for Ended {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Failed(RunError::Output(error))
    }
}

impl From<rustix::io::Errno> for Ended {
    fn from(error: rustix::io::Errno) -> Self {
        Self::from(io::Error::from(error))
    }
}

fn probe(cli: &Cli, collector: &Collector, args: &ProbeArgs, word: &str) -> Result<Exit, Ended> {
    let target = gather::target(collector, word)?;
    if let Some(file) = &args.backing {
        std::fs::metadata(file).map_err(|error| {
            Ended::Failed(RunError::Usage(format!("--backing {file}: {error}")))
        })?;
    }
    let plan = Plan::new(&target, &ask(args))?;
    safety::refuse(&target)?;
    let (place, mut notes) = journal_place(collector, args, &target, &plan)?;
    let mut report = ProbeReport::planned(word, &target, &plan);
    if args.dry_run {
        notes.extend(place.map(|place| format!("the journal would be {}", place.display())));
        let foreseen = foresee::run(&plan, &target);
        notes.extend(foreseen.iter().flatten().cloned());
        report.notes = notes;
        print(cli, args, &report)?;
        // The plan is what was asked for; that it cannot be carried out is said too.
        foreseen?;
        return Ok(Exit::All);
    }
    let typed = consent(args, &target, &plan)?;
    let agreed = Consent {
        identity: typed.as_deref(),
        journal: place.as_deref(),
    };
    let armed = safety::arm(collector, plan, &target, agreed)?;
    notes.extend_from_slice(armed.notes());
    let signals = Signals::catch()?;
    let mut bar = Bar::new();
    let done = run::run(&armed, &target, &settings(args), &signals, &mut bar);
    bar.clear();
    report = report.with_results(&done.results, verdict::verdict(&target, &done.results));
    report.sweep.clone_from(&done.sweep);
    report.restored = done.restored.as_ref().map(Result::is_ok);
    report.notes = notes;
    keep(collector, &target, &report, &done.results);
    let exit = exit_of(&done, &armed, &mut report);
    delivered(exit, print(cli, args, &report))
}

/// What was found counts more than that it could not be printed: data may be missing, or a device lie.
fn delivered(exit: Exit, printed: Result<(), Ended>) -> Result<Exit, Ended> {
    match (exit, printed) {
        (exit, Ok(())) => Ok(exit),
        (Exit::All, Err(error)) => Err(error),
        (exit, Err(Ended::Failed(error))) => {
            if let Err(error) = super::delivered(Err(error)) {
                say(error);
            }
            Ok(exit)
        }
        (_, Err(refused)) => Err(refused),
    }
}

/// Keeps the result for metrics and doctor. That it cannot be kept makes it no worse. Nothing is sent to the device, which
/// may hang by now.
fn keep(collector: &Collector, target: &Target, report: &ProbeReport, results: &[MethodResult]) {
    let disk = match target {
        Target::Device(device) => Some((device.disk.clone(), device.disk_syspath.clone())),
        Target::Scratch(dir) => dir
            .kname
            .as_deref()
            .and_then(KName::new)
            .and_then(|kname| identity::disk_of(collector, &kname)),
    };
    let Some((kname, place)) = disk else {
        return;
    };
    let identity = identity::at(collector, &kname, &place);
    let verdict = verdict::verdict(target, results);
    let record = Record::new(
        (&kname, identity),
        &report.target,
        report.mode,
        results,
        &verdict,
    );
    if let Some(Err(error)) = record.map(|record| store::keep(&record)) {
        say(format!("the result is not kept for metrics: {error}"));
    }
}

fn ask(args: &ProbeArgs) -> Ask {
    let all = args.method.contains(&Methods::All);
    let one = |methods: &Methods| match methods {
        Methods::One(method) => Some(*method),
        Methods::All => None,
    };
    Ask {
        methods: if all {
            Vec::new()
        } else {
            args.method.iter().filter_map(one).collect()
        },
        range: args.range,
        mode: match (args.preserve, args.destroy) {
            (true, _) => Some(Mode::Preserve),
            (_, true) => Some(Mode::Destroy),
            _ => None,
        },
    }
}

fn settings(args: &ProbeArgs) -> Settings {
    Settings {
        timeout: Duration::from_secs(args.timeout),
        force_async: args.force_async,
        despite_quirks: args.despite_quirks,
        backing: args.backing.clone(),
        sweep: args.sweep,
    }
}

fn journal_place(
    collector: &Collector,
    args: &ProbeArgs,
    target: &Target,
    plan: &Plan,
) -> Result<(Option<PathBuf>, Vec<String>), Refusal> {
    let Target::Device(device) = target else {
        return Ok((None, Vec::new()));
    };
    journal::unfinished(device)?;
    if plan.mode != Mode::Preserve {
        return Ok((None, Vec::new()));
    }
    let path = args
        .journal
        .clone()
        .unwrap_or_else(|| journal::default_path(&device.identity));
    let note = place::check_place(collector, device, &path)?;
    Ok((Some(path), note.into_iter().collect()))
}

/// The identity that the user agrees to: given, or typed at a terminal where it is needed.
fn consent(args: &ProbeArgs, target: &Target, plan: &Plan) -> Result<Option<String>, Ended> {
    let Target::Device(device) = target else {
        return Ok(None);
    };
    if args.yes_destroy.is_some() {
        return Ok(args.yes_destroy.clone());
    }
    let what = match plan.mode {
        Mode::Scratch => return Ok(None),
        Mode::Destroy => format!(
            "{} bytes of {} will be lost.",
            plan.span.length, device.node
        ),
        Mode::Preserve => match carries::unclaimed(device)? {
            None => return Ok(None),
            Some(carries) => format!(
                "{} carries {carries}. {} of its bytes will be written over, kept in a journal meanwhile, and put back.",
                device.node, plan.span.length
            ),
        },
    };
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return match plan.mode {
            // Arming says what it carries.
            Mode::Preserve => Ok(None),
            _ => Err(Refusal::Unconfirmed {
                identity: device.identity.clone(),
            }
            .into()),
        };
    }
    // Who cannot read the question will not type the answer.
    let _ = write!(
        io::stderr(),
        "{what}\nType its identity, {}, to go on: ",
        device.identity
    );
    let mut line = String::new();
    stdin.lock().read_line(&mut line)?;
    let typed = line.trim().to_owned();
    if typed == device.identity {
        return Ok(Some(typed));
    }
    Err(Refusal::Unconfirmed {
        identity: device.identity.clone(),
    }
    .into())
}

fn exit_of(done: &Run, armed: &ArmedPlan, report: &mut ProbeReport) -> Exit {
    if let Some(Err(why)) = &done.restored {
        let journal = armed
            .journal()
            .map(|kept| kept.path().display().to_string())
            .unwrap_or_default();
        say(format!(
            "the former bytes are not back: {why}. They are in {journal}: zinspect probe --recover {journal}"
        ));
        report.journal = Some(journal);
        return Exit::NotRestored;
    }
    let bad = |result: &MethodResult| match result.method.way() {
        // What reads back after a discard is information, but a neighbour must not change.
        Way::Discard => matches!(
            result.outcome,
            Outcome::CollateralDamage | Outcome::TimedOut | Outcome::NotStored
        ),
        // What the kernel does not know did not run.
        _ => result.outcome != Outcome::Skipped && !result.outcome.zeroed() && !is_unknown(result),
    };
    let asked = done
        .results
        .iter()
        .any(|result| result.method.way() != Way::Discard);
    let zeroed = done.results.iter().any(|result| result.outcome.zeroed());
    match () {
        () if done.results.iter().any(bad) || (asked && !zeroed) => Exit::NotMet,
        () if done.interrupted => Exit::Usage,
        () => Exit::All,
    }
}

/// EOPNOTSUPP: no such call here, rather than a command that failed.
fn is_unknown(result: &MethodResult) -> bool {
    let name = result
        .error
        .as_ref()
        .and_then(|error| error.errno.as_deref());
    result.outcome == Outcome::Rejected && name == Some("EOPNOTSUPP")
}

fn recover_it(collector: &Collector, args: &ProbeArgs, path: &Path) -> Result<Exit, Ended> {
    let kept = journal::Kept::open(path).map_err(|error| Refusal::Journal(error.to_string()))?;
    let shown = kept.path().display().to_string();
    let armed = recover::arm(collector, kept, args.yes_destroy.as_deref())?;
    let signals = Signals::catch()?;
    let mut bar = Bar::new();
    let restored = run::restore(
        &armed,
        Duration::from_secs(args.timeout),
        &signals,
        &mut bar,
    );
    bar.clear();
    let device = armed
        .device()
        .map(|device| device.kname.clone())
        .unwrap_or_default();
    match restored {
        Ok(()) => {
            let length = armed.plan().span.length;
            let mut out = output::stdout();
            writeln!(
                out,
                "{length} bytes of {device} are back and read back as they were; {shown} is removed"
            )?;
            output::finish(out)?;
            Ok(Exit::All)
        }
        Err(why) => {
            say(format!(
                "the bytes of {device} are not back: {why}. They are still in {shown}"
            ));
            Ok(Exit::NotRestored)
        }
    }
}

fn print(cli: &Cli, args: &ProbeArgs, report: &ProbeReport) -> Result<(), Ended> {
    let mut out = output::stdout();
    match args.output {
        ProbeFormat::Json => write_json(&mut out, report, true)?,
        ProbeFormat::Table => {
            writeln!(out, "{}", report.heading())?;
            if report.verdict.is_some() {
                let columns: Vec<_> = COLUMNS.iter().collect();
                write_table(
                    &mut out,
                    &columns,
                    &report.results,
                    &output::options(&cli.out),
                )?;
            } else {
                let words: Vec<&str> = report.methods.iter().map(|method| method.word()).collect();
                writeln!(out, "would try {}", words.join(", "))?;
            }
            out.write_all(curve(&report.sweep).as_bytes())?;
            if let Some(verdict) = &report.verdict {
                writeln!(out, "{}", verdict.summary)?;
                if let Some(advice) = &verdict.advice {
                    writeln!(out, "    {advice}")?;
                }
            }
            if report.restored == Some(true) {
                writeln!(out, "the former bytes are back and read back as they were")?;
            }
            for note in &report.notes {
                writeln!(out, "note: {note}")?;
            }
        }
    }
    output::finish(out)?;
    Ok(())
}
