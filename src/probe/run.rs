//! Carries an armed plan out: one child for each method, then the bytes go back.

use std::time::Duration;

use super::evidence::{self, Places};
use super::exec::{self, Signals};
use super::methods::{self, Options};
use super::outcome::{MethodResult, Outcome};
use super::plan::{Method, Way};
use super::safety::ArmedPlan;
use super::supervise::{Watched, watch};
use super::sweep::{self, Point};
use super::target::{Leg, Target};
use super::worker::{self, Job, Message};
use crate::say::say;

/// How a run goes.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long a method may show no progress.
    pub timeout: Duration,
    /// See [`Options::force_async`].
    pub force_async: bool,
    /// See [`Options::despite_quirks`].
    pub despite_quirks: bool,
    /// A file whose blocks tell what became of the space.
    pub backing: Option<String>,
    /// Whether to measure by size and alignment as well.
    pub sweep: bool,
}

/// What came of a run.
#[derive(Debug)]
pub struct Run {
    /// A result for each method, and for each leg.
    pub results: Vec<MethodResult>,
    /// The points of the sweep that was asked for.
    pub sweep: Vec<Point>,
    /// Whether the bytes are back; `None` where none were kept.
    pub restored: Option<Result<(), String>>,
    /// Whether a signal ended it early.
    pub interrupted: bool,
}

/// What a run shows while it goes.
pub trait Watcher {
    /// How far it is with what.
    fn progress(&mut self, what: &str, stage: &str, done: u64, total: u64);
}

/// One method through one leg, or through the target itself.
struct Step {
    method: Method,
    leg: Option<Leg>,
}

fn steps(armed: &ArmedPlan) -> Vec<Step> {
    let legs = armed
        .device()
        .map(|device| device.legs.clone())
        .unwrap_or_default();
    let mut steps = Vec::new();
    for method in &armed.plan().methods {
        if method.way() == Way::Passthrough && !legs.is_empty() {
            steps.extend(legs.iter().map(|leg| Step {
                method: *method,
                leg: Some(leg.clone()),
            }));
        } else {
            steps.push(Step {
                method: *method,
                leg: None,
            });
        }
    }
    steps
}

/// Tries every method, then puts the bytes back. Once something hangs, nothing more is sent to the device.
pub fn run(
    armed: &ArmedPlan,
    target: &Target,
    settings: &Settings,
    signals: &Signals,
    watcher: &mut dyn Watcher,
) -> Run {
    let places = places(target, settings);
    let mut results: Vec<MethodResult> = Vec::new();
    let mut interrupted = false;
    let mut hung: Option<(i32, bool)> = None;
    for (turn, step) in (0..).zip(steps(armed)) {
        let leg = step.leg.as_ref().map(|leg| leg.kname.clone());
        let options = Options {
            force_async: settings.force_async,
            despite_quirks: settings.despite_quirks,
            timeout_ms: kernels_timeout(settings.timeout),
            leg: step.leg,
        };
        interrupted |= signals.came();
        let skip = match hung {
            Some((pid, _)) => Some(format!(
                "an earlier method hung (process {pid}): nothing more is sent to the device"
            )),
            None if interrupted => Some("interrupted".to_owned()),
            None => methods::requires(step.method, target, &options),
        };
        if let Some(why) = skip {
            results.push(MethodResult::skipped(step.method, leg, why));
            continue;
        }
        let job = Job {
            armed,
            method: step.method,
            options: &options,
            places: &places,
            turn,
        };
        let (result, ended) = one(&job, settings.timeout, signals, watcher, &mut interrupted);
        hung = hung.or(ended);
        results.push(MethodResult { leg, ..result });
    }
    let mut points = Vec::new();
    if settings.sweep && hung.is_none() && !interrupted {
        let came;
        (points, hung, came) = sweep(armed, settings, &results, signals, watcher);
        interrupted |= came;
    }
    let restored = armed.journal().map(|_| match hung {
        Some((pid, true)) => Err(format!(
            "process {pid} still waits for the device, and what it asked for may yet happen; once it is gone, recover"
        )),
        _ => restore(armed, settings.timeout, signals, watcher),
    });
    Run {
        results,
        sweep: points,
        restored,
        interrupted,
    }
}

/// How long the kernel waits for a passthrough command: longer than the parent, so that it is always the parent who finds
/// that it hangs, and the kernel that lets go of it later.
fn kernels_timeout(timeout: Duration) -> u32 {
    u32::try_from(timeout.as_millis().saturating_mul(2)).unwrap_or(u32::MAX)
}

/// Every way that zeroed as it should, by size and alignment, in one child.
fn sweep(
    armed: &ArmedPlan,
    settings: &Settings,
    results: &[MethodResult],
    signals: &Signals,
    watcher: &mut dyn Watcher,
) -> (Vec<Point>, Option<(i32, bool)>, bool) {
    let fits = |result: &&MethodResult| {
        result.outcome.zeroed() && result.leg.is_none() && result.method.way() != Way::Discard
    };
    let methods: Vec<Method> = results
        .iter()
        .filter(fits)
        .map(|result| result.method)
        .collect();
    let options = Options {
        timeout_ms: kernels_timeout(settings.timeout),
        ..Options::default()
    };
    let Ok(child) = exec::fork(|reporter| sweep::run(armed, &methods, &options, reporter)) else {
        return (Vec::new(), None, false);
    };
    let (seen, came) = watch(&child, settings.timeout, signals, |stage, done, total| {
        watcher.progress("sweep", stage, done, total);
    });
    match seen {
        Watched::Done(Message::Sweep(points)) => (points, None, came),
        Watched::TimedOut { pid, stuck } => (Vec::new(), Some((pid, stuck)), came),
        _ => (Vec::new(), None, came),
    }
}

fn places(target: &Target, settings: &Settings) -> Places {
    match target {
        Target::Device(device) => Places::of(device, settings.backing.as_deref()),
        Target::Scratch(dir) => Places {
            stat: dir
                .kname
                .as_ref()
                .map(|kname| format!("/sys/class/block/{kname}/stat")),
            files: settings.backing.iter().cloned().collect(),
            ..Places::default()
        },
    }
}

fn one(
    job: &Job<'_>,
    timeout: Duration,
    signals: &Signals,
    watcher: &mut dyn Watcher,
    interrupted: &mut bool,
) -> (MethodResult, Option<(i32, bool)>) {
    let method = job.method;
    let nothing = |outcome, detail: String| MethodResult {
        detail: Some(detail),
        ..MethodResult::new(method, outcome)
    };
    let child = match exec::fork(|reporter| job.run(reporter)) {
        Ok(child) => child,
        Err(error) => {
            return (
                MethodResult::skipped(method, None, format!("fork: {error}")),
                None,
            );
        }
    };
    let (seen, came) = watch(&child, timeout, signals, |stage, done, total| {
        watcher.progress(method.word(), stage, done, total);
    });
    *interrupted |= came;
    match seen {
        Watched::Done(Message::Result(result)) => (*result, None),
        Watched::Done(_) => (
            nothing(
                Outcome::NotStored,
                "the child said something else".to_owned(),
            ),
            None,
        ),
        Watched::Died(how) => (
            nothing(
                Outcome::NotStored,
                format!("the child of this method: {how}"),
            ),
            None,
        ),
        Watched::TimedOut { pid, stuck } => {
            // A ring's requests outlive its process, so its end says nothing of theirs.
            let unsure = stuck || method == Method::UringDiscard;
            evidence::remove_trace(pid.unsigned_abs());
            let what = if stuck {
                format!(
                    "process {pid} still waits for the device in the kernel, where no signal reaches it, and keeps the device claimed"
                )
            } else {
                format!("process {pid} was ended")
            };
            let detail = format!("no progress for {} s; {what}", timeout.as_secs());
            let result = MethodResult {
                stuck_pid: stuck.then_some(pid),
                ..nothing(Outcome::TimedOut, detail)
            };
            (result, Some((pid, unsure)))
        }
    }
}

/// Puts a journal's bytes back in a child, compares them, and removes the journal.
pub fn restore(
    armed: &ArmedPlan,
    timeout: Duration,
    signals: &Signals,
    watcher: &mut dyn Watcher,
) -> Result<(), String> {
    let child = exec::fork(|reporter| worker::restore(armed, reporter))
        .map_err(|error| format!("fork: {error}"))?;
    let (seen, _) = watch(&child, timeout, signals, |stage, done, total| {
        watcher.progress("restore", stage, done, total);
    });
    match seen {
        Watched::Done(Message::Restored(None)) => {}
        Watched::Done(Message::Restored(Some(why))) => return Err(why),
        Watched::Done(_) => return Err("the child said something else".to_owned()),
        Watched::Died(how) => return Err(format!("the child that put the bytes back: {how}")),
        Watched::TimedOut { pid, .. } => {
            return Err(format!("process {pid} did not come back from writing"));
        }
    }
    let kept = armed
        .journal()
        .ok_or_else(|| "there is no journal".to_owned())?;
    if let Err(error) = kept.remove() {
        say(format!(
            "the bytes are back, but {} could not be removed: {error}",
            kept.path().display()
        ));
    }
    Ok(())
}
