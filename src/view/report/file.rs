//! The answer for a file: `files[]` of the report.

use crate::facts::file::FileFacts;
use crate::facts::reading::Reading;
use crate::source::errno::errno_name;
use crate::verdict::Judge;
use crate::verdict::file::{self, Call, Commit, Context, Mode, Outcome, Overwrite, State, Support};
use crate::view::report::inode::{self, Extents, InodeView, MountView, Statx};
use crate::view::report::unread::{Status, Taker, Unread};
use crate::view::report::{Evidence, Reason};

/// The answer for a file; of a directory, for a new file in it.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct FileAnswer {
    /// The path as it was given.
    pub path: String,
    /// The path without links; null where they could not be followed.
    pub real_path: Option<String>,
    /// regular file, directory, block device; null where it could not be looked at.
    pub kind: Option<String>,
    /// Filesystem type; null where the mount could not be found.
    pub filesystem: Option<String>,
    /// What can be said of the filesystem: reflink, extent sizes, where the journal lies.
    pub features: Vec<String>,
    /// Kernel names of the devices that zeroes go to; null where they could not be found out.
    pub devices: Option<Vec<String>>,
    /// Further devices of the filesystem.
    pub other_devices: Vec<OtherDevice>,
    /// Whether FALLOC_FL_WRITE_ZEROES would succeed, and be the device's work.
    pub write_zeroes: WriteZeroes,
    /// Where metadata goes to that an overwrite changes; null where that is not known, and where no device has it.
    pub commit: Option<Commit>,
    /// Each mode of fallocate.
    pub modes: Vec<ModeAnswer>,
    /// The mount; null where it could not be found.
    pub mount: Option<MountView>,
    /// The inode; null where it could not be looked at.
    pub inode: Option<InodeView>,
    /// The extents that it has now; null for a directory and where it may not be read.
    pub extents: Option<Extents>,
    /// statx; null where it could not be looked at.
    pub statx: Option<Statx>,
    /// overlayfs: where the upper layer has, or would have, the file.
    pub upper_path: Option<String>,
    /// Why each null is null.
    pub unread: Vec<Unread>,
}

/// A device of the filesystem that receives none of the file's data.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct OtherDevice {
    /// log, journal, data, realtime.
    pub role: String,
    /// Its node, as the mount's options name it.
    pub path: String,
}

/// Whether FALLOC_FL_WRITE_ZEROES would succeed, and be the device's work.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct WriteZeroes {
    /// Null where looking does not tell.
    pub supported: Option<bool>,
    /// Name of the error.
    pub errno: Option<String>,
    /// The call that fails.
    pub call: Option<Call>,
    /// The device zeroes by a command that deallocates.
    pub fast: Option<bool>,
    /// One line.
    pub summary: String,
    /// The chain of reasons, the decisive one first.
    pub reasons: Vec<Reason>,
}

/// The answer for one mode, for a range aligned to blocks.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
pub struct ModeAnswer {
    /// The mode.
    pub mode: Mode,
    /// The flags of fallocate.
    pub flags: u32,
    /// Null where looking does not tell.
    pub supported: Option<bool>,
    /// Name of the error.
    pub errno: Option<String>,
    /// The call that fails.
    pub call: Option<Call>,
    /// A command of the device makes the zeroes; null where that is not known.
    pub offloaded: Option<bool>,
    /// What a hole becomes; null where the call fails or that is not known, and for a device's node.
    pub hole_becomes: Option<State>,
    /// What data becomes.
    pub data_becomes: Option<State>,
    /// What a later overwrite with O_DSYNC costs where there was a hole.
    pub overwrite_after_hole: Option<Overwrite>,
    /// What it costs where there was data.
    pub overwrite_after_data: Option<Overwrite>,
    /// Why, the decisive reason first.
    pub reasons: Vec<Reason>,
}

impl FileAnswer {
    /// The answer for one file.
    pub fn new(judge: &Judge, facts: &FileFacts) -> Self {
        let devices = file::devices(judge, facts);
        let context = Context {
            facts,
            kernel: judge.kernel,
            devices: &devices,
        };
        let mut taker = Taker::default();
        let outcome = file::answer(&context, Mode::WriteZeroes);
        let write_zeroes = write_zeroes(&context, &outcome, &mut taker);
        Self {
            path: facts.path.clone(),
            real_path: facts.real.clone(),
            kind: taker.take(
                "kind",
                &facts.stat.as_ref().map(|stat| stat.node.word().to_owned()),
            ),
            filesystem: facts.filesystem().map(str::to_owned),
            features: file::innermost(facts).features.clone(),
            devices: taker.part("devices", &facts.devices, |_, names| {
                names.iter().map(ToString::to_string).collect()
            }),
            other_devices: other_devices(file::innermost(facts)),
            write_zeroes,
            commit: taker.take("commit", &commit(facts)),
            modes: Mode::ALL
                .iter()
                .map(|mode| mode_answer(&context, *mode))
                .collect(),
            mount: taker.part("mount", &facts.mount, |_, mount| inode::mount_view(mount)),
            inode: taker.part("inode", &facts.stat, |taker, stat| {
                inode::inode(facts, stat, taker)
            }),
            extents: taker.part("extents", &facts.layout, |_, layout| inode::extents(layout)),
            statx: taker.part("statx", &facts.stat, |taker, stat| {
                inode::statx(stat, taker)
            }),
            upper_path: facts.under.as_deref().map(|under| under.path.clone()),
            unread: taker.unread,
        }
    }

    /// The answer for a mode.
    pub fn mode(&self, mode: Mode) -> Option<&ModeAnswer> {
        self.modes.iter().find(|answer| answer.mode == mode)
    }
}

fn reasons(facts: &FileFacts, outcome: &Outcome) -> Vec<Reason> {
    let view = |step: &file::Step| Reason {
        rule: step.rule.to_owned(),
        at: facts.path.clone(),
        text: step.text.clone(),
        evidence: Evidence::all(&step.evidence),
    };
    outcome.steps.iter().map(view).collect()
}

fn error_of(outcome: &Outcome) -> (Option<String>, Option<Call>) {
    match outcome.support {
        Support::Fails(errno, call) => (Some(errno_name(errno).to_owned()), Some(call)),
        _ => (None, None),
    }
}

fn write_zeroes(context: &Context, outcome: &Outcome, taker: &mut Taker) -> WriteZeroes {
    let (errno, call) = error_of(outcome);
    let fast = file::is_fast(context, outcome);
    let because = outcome
        .steps
        .first()
        .map(|step| step.text.as_str())
        .unwrap_or_default();
    let place = if context.facts.is_directory() {
        "for a new file in it, "
    } else {
        ""
    };
    let summary = match (&outcome.support, fast) {
        (Support::Fails(..), _) => {
            let (errno, call) = (
                errno.as_deref().unwrap_or_default(),
                call.map_or("", Call::word),
            );
            format!("{place}FALLOC_FL_WRITE_ZEROES fails with {errno} at {call}: {because}")
        }
        (Support::Works, Some(true)) => {
            format!("{place}FALLOC_FL_WRITE_ZEROES works and is fast: {because}")
        }
        (Support::Works, Some(false)) => {
            format!("{place}FALLOC_FL_WRITE_ZEROES works, but slowly: {because}")
        }
        (Support::Works, None) => format!("{place}FALLOC_FL_WRITE_ZEROES works: {because}"),
        (Support::Unknown(to_know), _) => {
            format!(
                "{place}whether FALLOC_FL_WRITE_ZEROES works is not known: {because}; {to_know}"
            )
        }
    };
    if let Support::Unknown(to_know) = &outcome.support {
        let detail = Some(format!("{because}; {to_know}"));
        let status = Status::of(&context.facts.flags).filter(|_| context.facts.closed.is_some());
        let status = status.unwrap_or(Status::NotAsked);
        taker.unread.push(Unread {
            field: "write_zeroes.supported".into(),
            status,
            detail,
        });
    }
    let supported = outcome.supported();
    WriteZeroes {
        supported,
        errno,
        call,
        fast,
        summary,
        reasons: reasons(context.facts, outcome),
    }
}

fn mode_answer(context: &Context, mode: Mode) -> ModeAnswer {
    let outcome = file::answer(context, mode);
    let (errno, call) = error_of(&outcome);
    let cost = |state: Option<State>| state.and_then(|state| file::overwrite(context.facts, state));
    let cost_after_data = match mode {
        Mode::Allocate => outcome
            .data
            .and_then(|state| file::overwrite_of_kept(context.facts, state)),
        _ => cost(outcome.data),
    };
    ModeAnswer {
        mode,
        flags: mode.bits(),
        supported: outcome.supported(),
        errno,
        call,
        offloaded: outcome.offloaded,
        hole_becomes: outcome.hole,
        data_becomes: outcome.data,
        overwrite_after_hole: cost(outcome.hole),
        overwrite_after_data: cost_after_data,
        reasons: reasons(context.facts, &outcome),
    }
}

/// Of a device's node there is no metadata.
fn commit(facts: &FileFacts) -> Reading<Commit> {
    if facts.is_block() {
        return Reading::Absent;
    }
    file::commit(facts)
}

fn other_devices(facts: &FileFacts) -> Vec<OtherDevice> {
    let view = |beside: &crate::facts::file::Beside| OtherDevice {
        role: beside.role.to_owned(),
        path: beside.node.clone(),
    };
    facts.beside.iter().map(view).collect()
}
