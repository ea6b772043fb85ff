//! Pure rules: from what was read of a file, its filesystem and its devices to what fallocate(2) does there.
//!
//! One file for each filesystem. Each answers for a range that is aligned to blocks and, of realtime files, to realtime
//! extents; space and quota are taken as given.

use crate::facts::file::{FileFacts, NO_LIVE_FILE};
use crate::facts::origin::Origin;
use crate::facts::reading::Reading;
use crate::source::errno::errno_name;

pub mod answer;
pub mod context;

mod access;
mod block;
mod btrfs;
mod ext4;
mod f2fs;
mod memory;
mod others;
mod overwrite;
mod pseudo;
mod xfs;

pub use answer::{Call, Commit, Mode, Outcome, Overwrite, State, Step, Support};
pub use context::{Context, Zeroes, devices};
pub use overwrite::{commit, overwrite, overwrite_of_kept};

use crate::verdict::judgement::Zeroing;

/// The answer for one mode of fallocate(2) on a file; of a directory, on a new file in it.
pub fn answer(context: &Context, mode: Mode) -> Outcome {
    if context.facts.is_block() {
        return block::answer(context, mode);
    }
    if let Some(outcome) = pseudo::in_proc(context) {
        return outcome;
    }
    if let Some(outcome) = access::refused(context, mode) {
        return outcome;
    }
    if let Some(outcome) = pseudo::answer(context) {
        return outcome;
    }
    match &context.facts.stat {
        Reading::Present(_) => of_filesystem(context, mode),
        Reading::NotAsked(NO_LIVE_FILE) => {
            let step = Step::new(
                "file-not-looked-at",
                "for an ordinary new file at this place: a capture has no files",
            );
            of_filesystem(context, mode).and(step)
        }
        other => {
            let ordinary = of_filesystem(context, mode);
            let step = Step::new(
                "file-not-looked-at",
                format!("the file could not be looked at; {}", would(&ordinary)),
            );
            let step = step.because(
                Origin::Inferred("statx(2)".into()),
                other.status().unwrap_or_default(),
            );
            let mut outcome = Outcome::unknown(step, "run as root");
            outcome.steps.extend(ordinary.steps);
            outcome
        }
    }
}

fn would(ordinary: &Outcome) -> String {
    match &ordinary.support {
        Support::Works => "for an ordinary file there it would work".into(),
        Support::Fails(errno, call) => {
            format!(
                "for an ordinary file there {} would fail with {}",
                call.word(),
                errno_name(*errno)
            )
        }
        Support::Unknown(_) => "of an ordinary file there it is not known either".into(),
    }
}

fn of_filesystem(context: &Context, mode: Mode) -> Outcome {
    match context.facts.filesystem() {
        Some("ext4" | "ext3" | "ext2") => ext4::answer(context, mode),
        Some("xfs") => xfs::answer(context, mode),
        Some("btrfs") => btrfs::answer(context, mode),
        Some("f2fs") => f2fs::answer(context, mode),
        Some("tmpfs" | "devtmpfs") => memory::answer(context, mode),
        // The initial root is a tmpfs unless the kernel was told of another root (init/do_mounts.c); ramfs has no size.
        Some("rootfs") if has_option(context, "size") => memory::answer(context, mode),
        Some("overlay") => overlay(context, mode),
        _ => others::answer(context, mode),
    }
}

fn has_option(context: &Context, name: &str) -> bool {
    let mount = context.facts.mount.value();
    mount.is_some_and(|mount| mount.super_options.contains_key(name))
}

/// Mirrors `ovl_fallocate` (fs/overlayfs/file.c), which hands the call to the upper layer's file as it is; opening for
/// writing copied it up.
fn overlay(context: &Context, mode: Mode) -> Outcome {
    let Some(under) = context.facts.under.as_deref() else {
        let why = context.facts.no_upper.as_ref();
        let text = "the file in the upper layer could not be looked at";
        let text = why.map_or(text.to_owned(), |why| format!("{text}: {}", why.text));
        return Outcome::unknown(
            Step::new("overlay-upper", text),
            why.map_or(context::TRIAL, |why| why.to_know),
        );
    };
    let below = answer(
        &Context {
            facts: under,
            ..*context
        },
        mode,
    );
    let copied = !context.facts.is_directory() && under.is_directory();
    let text = if copied {
        format!(
            "a file of a lower layer: opening it for writing copies it into {}",
            under.path
        )
    } else {
        format!("overlayfs hands the call to {}", under.path)
    };
    below.and(Step::new("overlay-upper", text).by_rule(
        "ovl_fallocate, fs/overlayfs/file.c",
        "the upper file's answer",
    ))
}

/// Zeroes in written extents, made by the device.
fn zeroed_by_device(
    context: &Context,
    gate: Step,
    rule: &'static str,
    mirrors: &'static str,
) -> Outcome {
    let zeroing = context
        .device()
        .map_or(Zeroing::Unknown, |device| device.zeroing);
    let text = match zeroing {
        Zeroing::Unmap => {
            "the device zeroes the range and deallocates it, and the extents become written"
        }
        Zeroing::Unknown => "the range is zeroed, and the extents become written",
        _ => {
            "the range is zeroed, and the extents become written; the device will not deallocate it"
        }
    };
    let step = Step::new(rule, text).by_rule(mirrors, "0");
    let offloaded = match zeroing {
        Zeroing::Unknown => None,
        zeroing => Some(zeroing >= Zeroing::Offload),
    };
    let works = Outcome::works(step, State::Written, State::Written);
    Outcome { offloaded, ..works }.and(gate)
}

/// Whether zeroes by `FALLOC_FL_WRITE_ZEROES` are the device's work, with deallocation; `None` where that is not known.
pub fn is_fast(context: &Context, outcome: &Outcome) -> Option<bool> {
    match (&outcome.support, outcome.offloaded) {
        (Support::Fails(..), _) | (_, Some(false)) => Some(false),
        (Support::Works, Some(true)) => {
            let zeroing = context.device()?.zeroing;
            (zeroing != Zeroing::Unknown).then_some(zeroing == Zeroing::Unmap)
        }
        _ => None,
    }
}

/// The file whose layer takes the writes.
pub fn innermost(facts: &FileFacts) -> &FileFacts {
    facts.under.as_deref().map_or(facts, innermost)
}

#[cfg(test)]
mod tests;
