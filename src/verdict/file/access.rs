//! What keeps a file from being opened for writing, or fallocate(2) from reaching the filesystem.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::facts::reading::Reading;
use crate::source::errno;
use crate::source::inode::{Attributes, Key};
use crate::verdict::file::answer::{Call, Mode, Outcome, Step};
use crate::verdict::file::btrfs;
use crate::verdict::file::context::Context;

fn is_set(options: &std::collections::BTreeMap<String, Option<String>>, name: &str) -> bool {
    options.contains_key(name)
}

/// The answer where the call never reaches the filesystem. The order is the kernel's: a
/// removed directory (`lookup_open`), a read-only filesystem
/// (`sb_permission`), an immutable inode, the filesystem's own permissions (`inode_permission`), an append-only inode
/// (`may_open`, fs/namei.c), a read-only mount (`mnt_get_write_access`), then the filesystem's own open; fallocate looks for swap files (`vfs_fallocate`,
/// fs/open.c) after the flags.
pub(super) fn refused(context: &Context, mode: Mode) -> Option<Outcome> {
    let open = |step: Step, errno: Errno| Some(Outcome::refused(step, errno, Call::Open));
    if context.facts.is_removed_directory() {
        return open(removed(), Errno::NOENT);
    }
    if let Some(step) = read_only_filesystem(context) {
        return open(step, Errno::ROFS);
    }
    if let Some(step) = immutable(context) {
        return open(step, Errno::PERM);
    }
    if let Some(outcome) = btrfs::read_only_subvolume(context) {
        return Some(outcome);
    }
    if let Some(step) = append_only(context) {
        return open(step, Errno::PERM);
    }
    if let Some(step) = read_only_mount(context) {
        return open(step, Errno::ROFS);
    }
    if let Some((step, errno)) = ext4_emergency(context) {
        return open(step, errno);
    }
    if let Some(step) = verity(context) {
        return open(step, Errno::PERM);
    }
    if let Some((step, errno)) = fails_for_all(context) {
        return open(step, errno);
    }
    if let Some(outcome) = locked(context) {
        return Some(outcome);
    }
    swapped_to(context, mode)
}

/// A new file takes its directory's policy, and needs the key of it.
fn locked(context: &Context) -> Option<Outcome> {
    let facts = context.facts;
    if !facts.is_directory() || facts.attribute(Attributes::ENCRYPTED) != Some(true) {
        return None;
    }
    let step = |text: &str, value: &str| {
        let asked = Origin::Inferred("FS_IOC_GET_ENCRYPTION_KEY_STATUS".into());
        Step::new("file-key", text)
            .because(asked, value)
            .by_rule("fscrypt_prepare_new_inode, fs/crypto/keysetup.c", "ENOKEY")
    };
    let unknown = |value: &str| {
        let text = "the directory is encrypted, and whether its key is loaded is not known";
        Some(Outcome::unknown(
            step(text, value),
            "try to make a file in it",
        ))
    };
    match &facts.key {
        Reading::Present(Key::Loaded) | Reading::NotAsked(_) => None,
        Reading::Present(Key::Missing) => {
            let step = step(
                "the directory is encrypted and its key is not loaded",
                "absent",
            );
            Some(Outcome::refused(step, Errno::NOKEY, Call::Open))
        }
        Reading::Present(Key::Elsewhere) => unknown("not in the filesystem's keyring"),
        other => unknown(other.status().unwrap_or_default()),
    }
}

fn removed() -> Step {
    Step::new(
        "directory-removed",
        "the directory was removed: no file can be made in it",
    )
    .because(Origin::Inferred("statx(2), stx_nlink".into()), "0")
    .by_rule("lookup_open, fs/namei.c", "ENOENT")
}

fn read_only_filesystem(context: &Context) -> Option<Step> {
    let mount = context.facts.mount.value()?;
    is_set(&mount.super_options, "ro").then(|| {
        Step::new(
            "file-read-only",
            format!("the filesystem on {} is read-only", mount.point),
        )
        .because(Origin::File(context.facts.mounts_file.clone()), "ro")
    })
}

fn read_only_mount(context: &Context) -> Option<Step> {
    let mount = context.facts.mount.value()?;
    is_set(&mount.options, "ro").then(|| {
        Step::new(
            "file-read-only",
            format!("the mount on {} is read-only", mount.point),
        )
        .because(Origin::File(context.facts.mounts_file.clone()), "ro")
    })
}

fn statx(word: &str) -> (Origin, String) {
    (Origin::Inferred("statx(2)".into()), word.to_owned())
}

fn immutable(context: &Context) -> Option<Step> {
    let facts = context.facts;
    if facts.attribute(Attributes::IMMUTABLE) == Some(true) {
        let what = if facts.is_directory() {
            "no file can be made in an immutable directory"
        } else {
            "the file is immutable"
        };
        let (origin, value) = statx("immutable");
        return Some(Step::new("file-immutable", what).because(origin, value));
    }
    None
}

fn append_only(context: &Context) -> Option<Step> {
    let facts = context.facts;
    if facts.attribute(Attributes::APPEND) == Some(true) && !facts.is_directory() {
        let text = "the file is append-only: it opens with O_APPEND alone, and then fallocate takes mode 0 alone";
        let (origin, value) = statx("append");
        return Some(Step::new("file-append-only", text).because(origin, value));
    }
    None
}

/// ext4 after an error (`errors=remount-ro`, since 6.15) or a shutdown: the mount's and the filesystem's options stay `rw`.
fn ext4_emergency(context: &Context) -> Option<(Step, Errno)> {
    const RULE: &str = "ext4_emergency_state, fs/ext4/ext4.h";
    let facts = context.facts;
    if !matches!(facts.filesystem(), Some("ext4" | "ext3" | "ext2")) {
        return None;
    }
    let mount = facts.mount.value()?;
    let found = |option: &str, text: String, errno| {
        is_set(&mount.super_options, option).then(|| {
            let step = Step::new("file-emergency", text)
                .because(Origin::File(facts.mounts_file.clone()), option)
                .by_rule(RULE, errno::errno_name(errno));
            (step, errno)
        })
    };
    // In the order in which the kernel looks.
    let point = &mount.point;
    let shut = format!("the filesystem on {point} was shut down");
    let stopped = format!("the filesystem on {point} has met an error and takes no more writes");
    found("shutdown", shut, Errno::IO).or_else(|| found("emergency_ro", stopped, Errno::ROFS))
}

fn verity(context: &Context) -> Option<Step> {
    let facts = context.facts;
    (facts.attribute(Attributes::VERITY) == Some(true) && !facts.is_directory()).then(|| {
        Step::new(
            "file-verity",
            "the file is protected by fs-verity, and stays read-only",
        )
        .because(Origin::Inferred("statx(2)".into()), "verity")
        .by_rule("fsverity_file_open, fs/verity/open.c", "EPERM")
    })
}

/// Opening it to look at it failed, and not for lack of rights: opening it for writing fails likewise.
fn fails_for_all(context: &Context) -> Option<(Step, Errno)> {
    let errno = context.facts.closed?;
    let (rule, text) = match errno {
        Errno::NOKEY => (
            "file-key",
            "the file is encrypted and its key is not loaded",
        ),
        Errno::IO | Errno::NODEV | Errno::NXIO | Errno::UCLEAN => (
            "file-dead",
            "the filesystem was shut down, or its device is gone: no file of it can be opened any more",
        ),
        Errno::STALE | Errno::NOTCONN => (
            "file-dead",
            "the filesystem's server no longer knows the file",
        ),
        _ => return None,
    };
    let step = Step::new(rule, text);
    let origin = Origin::Inferred("open(2)".into());
    Some((step.because(origin, errno::describe(errno)), errno))
}

fn swapped_to(context: &Context, mode: Mode) -> Option<Outcome> {
    if context.facts.swap.get() != Some(true) {
        return None;
    }
    let step = Step::new("file-swap", "the kernel swaps to this file")
        .because(Origin::File("/proc/swaps".into()), "listed")
        .by_rule("vfs_fallocate, fs/open.c", "ETXTBSY");
    match (mode, context.knows_write_zeroes()) {
        // A kernel that does not know the flag says so before it looks at the file.
        (Mode::WriteZeroes, Some(false)) => None,
        (Mode::WriteZeroes, None) => Some(Outcome::unknown(
            step,
            "the kernel may not know FALLOC_FL_WRITE_ZEROES: then EOPNOTSUPP, else ETXTBSY",
        )),
        _ => Some(Outcome::fails(step, Errno::TXTBSY)),
    }
}
