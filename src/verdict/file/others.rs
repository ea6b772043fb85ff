//! Filesystems whose rule is a line: which modes they take, and what those leave.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::verdict::file::answer::{Mode, Outcome, State, Step};
use crate::verdict::file::context::{Context, TRIAL};

/// What a filesystem does with one mode.
#[derive(Clone, Copy)]
enum Does {
    /// EOPNOTSUPP.
    No,
    /// A hole and data become these.
    Leaves(State, State),
    /// Another program or machine decides.
    Elsewhere,
}

use Does::{Elsewhere, Leaves, No};
use State::{Hole, Unwritten, Written};

struct Filesystem {
    names: &'static [&'static str],
    rule: &'static str,
    zero_range: Does,
    punch_hole: Does,
    allocate: Does,
}

const KNOWN: &[Filesystem] = &[
    Filesystem {
        names: &["vfat", "msdos"],
        rule: "fat_fallocate, fs/fat/file.c: FAT has no holes; mode 0 writes zeroes past the end",
        zero_range: No,
        punch_hole: No,
        allocate: Leaves(Written, Written),
    },
    Filesystem {
        names: &["gfs2"],
        rule: "gfs2_fallocate, fs/gfs2/file.c: no unwritten extents, so mode 0 writes zeroes",
        zero_range: No,
        punch_hole: Leaves(Hole, Hole),
        allocate: Leaves(Written, Written),
    },
    Filesystem {
        names: &["ocfs2"],
        rule: "ocfs2_fallocate, fs/ocfs2/file.c",
        zero_range: No,
        punch_hole: Leaves(Hole, Hole),
        allocate: Leaves(Unwritten, Written),
    },
    Filesystem {
        names: &["ceph"],
        rule: "ceph_fallocate, fs/ceph/file.c: punching alone",
        zero_range: No,
        punch_hole: Leaves(Hole, Hole),
        allocate: No,
    },
    Filesystem {
        names: &["hugetlbfs"],
        rule: "hugetlbfs_fallocate, fs/hugetlbfs/inode.c",
        zero_range: No,
        punch_hole: Leaves(Hole, Hole),
        allocate: Leaves(Written, Written),
    },
    Filesystem {
        names: &[
            "nfs4", "cifs", "smb3", "fuse", "fuseblk", "virtiofs", "afs", "orangefs",
        ],
        rule: "the flag is refused before anything is sent; of the other modes the server decides",
        zero_range: Elsewhere,
        punch_hole: Elsewhere,
        allocate: Elsewhere,
    },
    Filesystem {
        names: &[
            "nfs",
            "9p",
            "ramfs",
            "rootfs",
            "jfs",
            "reiserfs",
            "nilfs2",
            "udf",
            "hfs",
            "hfsplus",
            "minix",
            "ufs",
            "affs",
            "ecryptfs",
            "proc",
            "sysfs",
            "cgroup",
            "cgroup2",
            "configfs",
            "debugfs",
            "tracefs",
            "securityfs",
            "efivarfs",
            "zonefs",
        ],
        rule: "vfs_fallocate, fs/open.c: the filesystem has no ->fallocate",
        zero_range: No,
        punch_hole: No,
        allocate: No,
    },
];

fn known(name: &str) -> Option<&'static Filesystem> {
    let base = name.split('.').next().unwrap_or(name);
    KNOWN
        .iter()
        .find(|filesystem| filesystem.names.contains(&base))
}

/// The answer for one mode.
pub(super) fn answer(context: &Context, mode: Mode) -> Outcome {
    let name = context.facts.filesystem().unwrap_or("");
    let evidence = Origin::File(context.facts.mounts_file.clone());
    let step = |text: String| Step::new("filesystem", text).because(evidence.clone(), name);
    let Some(filesystem) = filesystem_of(context, name) else {
        let mount = &context.facts.mount;
        return match mount.status() {
            None => Outcome::unknown(step(format!("there is no rule for {name}")), TRIAL),
            Some(status) => {
                let why = mount
                    .detail()
                    .map_or(String::new(), |why| format!(": {why}"));
                let step = Step::new(
                    "filesystem",
                    format!("its filesystem could not be found out{why}"),
                );
                Outcome::unknown(step.because(evidence.clone(), status), TRIAL)
            }
        };
    };
    let rule = |step: Step| step.by_rule(filesystem.rule, mode.word());
    let does = match mode {
        Mode::WriteZeroes => {
            let step = rule(step(format!(
                "{name} has no code for FALLOC_FL_WRITE_ZEROES"
            )));
            return context.no_write_zeroes(step);
        }
        Mode::ZeroRange | Mode::ZeroRangeKeepSize => filesystem.zero_range,
        Mode::PunchHole => filesystem.punch_hole,
        Mode::Allocate => filesystem.allocate,
    };
    match does {
        No => Outcome::fails(
            rule(step(format!("{name} has no code for this mode"))),
            Errno::OPNOTSUPP,
        ),
        Leaves(hole, data) => {
            Outcome::works(rule(step(format!("{name} has this mode"))), hole, data)
        }
        Elsewhere => Outcome::unknown(rule(step(format!("the server of {name} decides"))), TRIAL),
    }
}

/// NFS has fallocate since version 4.2 alone.
fn filesystem_of(context: &Context, name: &str) -> Option<&'static Filesystem> {
    let version = || {
        let options = &context.facts.mount.value()?.super_options;
        options.get("vers").cloned().flatten()
    };
    match name {
        "nfs4" if version().is_some_and(|version| version != "4.2") => known("nfs"),
        other => known(other),
    }
}
