//! Directories of pseudo filesystems, in which no file can be made.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::verdict::file::answer::{Call, Outcome, Step};
use crate::verdict::file::context::Context;

/// Filesystems whose files are made by the kernel alone, or by a request of their own.
const OTHERS: &[&str] = &[
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "efivarfs",
    "fusectl",
    "mqueue",
    "nsfs",
    "pstore",
    "securityfs",
    "selinuxfs",
    "smackfs",
    "tracefs",
    "zonefs",
];

/// The answer for a new file in a directory of proc; `None` for any other. It comes before the check for a read-only
/// mount: a name that is not there is an error already, not one that could be made.
pub(super) fn in_proc(context: &Context) -> Option<Outcome> {
    let facts = context.facts;
    if !facts.is_directory() || facts.filesystem() != Some("proc") {
        return None;
    }
    let step = step(context, "no file can be made in proc".into());
    let step = step.by_rule("proc_lookup_de, fs/proc/generic.c", "ENOENT");
    Some(Outcome::refused(step, Errno::NOENT, Call::Open))
}

fn step(context: &Context, text: String) -> Step {
    let facts = context.facts;
    let name = facts.filesystem().unwrap_or_default();
    Step::new("directory-pseudo", text)
        .because(Origin::File(facts.mounts_file.clone()), name.to_owned())
}

/// The answer for a new file in such a directory; `None` for any other.
pub(super) fn answer(context: &Context) -> Option<Outcome> {
    let facts = context.facts;
    let stat = facts.stat.value()?;
    if !facts.is_directory() {
        return None;
    }
    let name = facts.filesystem()?;
    let no = || format!("no file can be made in {name}");
    match name {
        // A place for a mount is an empty directory of another kind (`make_empty_dir_inode`, fs/libfs.c), whose link
        // count is always 2.
        "sysfs" if stat.nlink > 2 => {
            let step =
                step(context, no()).by_rule("lookup_open, fs/namei.c: no ->create", "EACCES");
            Some(Outcome::refused(step, Errno::ACCESS, Call::Open))
        }
        "sysfs" => Some(Outcome::unknown(
            step(context, no()),
            "a place for a mount, such as /sys/kernel/debug, answers ENOENT at open, other directories EACCES",
        )),
        _ if OTHERS.contains(&name) => Some(Outcome::unknown(
            step(
                context,
                format!("{name} makes files by rules of its own, if any"),
            ),
            "name a file of it, or a directory of another filesystem",
        )),
        _ => None,
    }
}
