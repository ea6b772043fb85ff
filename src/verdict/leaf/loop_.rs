//! Loop devices (`loop_update_limits` and `loop_get_discard_config`, drivers/block/loop.c; `loop_config_discard` in 6.1).
//!
//! hw is 0 always. wz is, at the time of attaching and of LOOP_SET_BLOCK_SIZE:
//! * over a block device, the device's own wz;
//! * over a file, `UINT_MAX >> 9` sectors where the filesystem has `->fallocate`, else 0. Whether the filesystem can
//!   zero a range or punch a hole is found out by the first request: since 6.12 a refused one makes wz 0 for good.

use crate::facts::loop_::LoopFacts;
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::model::ids::KName;
use crate::model::units::SECTOR;
use crate::verdict::Judge;
use crate::verdict::leaf::simple::driver_limit;
use crate::verdict::prediction::{Limits, Prediction};
use crate::verdict::reason::{Conflict, Level, Reason};
use crate::verdict::stacking::{Leg, chain, clause, stale, unknown_below};

const RULE: &str = "loop_get_discard_config (drivers/block/loop.c)";

/// `UINT_MAX >> 9` sectors.
pub const FILE_LIMIT: u64 = (0xffff_ffff >> 9) * SECTOR;

/// What a filesystem does for a loop device on one of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fallocate {
    /// It has `->fallocate`, with the modes that loop uses.
    Yes,
    /// It has it, and refuses the mode that is named here.
    Partly(&'static str),
    /// It has none.
    No,
}

use Fallocate::{No, Partly, Yes};

/// `file_operations.fallocate` of regular files, read in fs/ of Linux 7.3. Left out is what differs by version or build:
/// exfat (lately), ext2 (by its own driver none, by ext4's it has), 9p, and what is not in the kernel's tree.
const FILESYSTEMS: &[(&str, Fallocate)] = &[
    ("btrfs", Yes),
    ("ceph", Partly("ZERO_RANGE")),
    ("cifs", Yes),
    ("devtmpfs", Partly("ZERO_RANGE")),
    ("ext3", Yes),
    ("ext4", Yes),
    ("f2fs", Yes),
    ("fuse", Yes),
    ("fuseblk", Yes),
    ("gfs2", Partly("ZERO_RANGE")),
    ("hugetlbfs", Partly("ZERO_RANGE")),
    ("nfs4", Yes),
    ("ocfs2", Partly("ZERO_RANGE")),
    ("overlay", Yes),
    ("smb3", Yes),
    ("tmpfs", Partly("ZERO_RANGE")),
    ("vfat", Partly("ZERO_RANGE and PUNCH_HOLE")),
    ("virtiofs", Yes),
    ("xfs", Yes),
    ("cramfs", No),
    ("erofs", No),
    ("hfs", No),
    ("hfsplus", No),
    ("iso9660", No),
    ("jffs2", No),
    ("jfs", No),
    ("minix", No),
    ("nfs", No),
    ("nilfs2", No),
    ("ramfs", No),
    ("romfs", No),
    ("squashfs", No),
    ("ubifs", No),
    ("udf", No),
    ("zonefs", No),
];

fn fallocate(filesystem: &str) -> Option<Fallocate> {
    let kind = if filesystem.starts_with("fuse.") {
        "fuse"
    } else {
        filesystem
    };
    FILESYSTEMS
        .iter()
        .find(|(name, _)| *name == kind)
        .map(|(_, fallocate)| *fallocate)
}

/// By what is attached.
pub fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let Some(facts) = device.loop_.as_deref() else {
        return Prediction::unknown("no facts of the loop device were read", None, Vec::new());
    };
    match (&facts.backing_device, &facts.backing_file) {
        (Some(below), _) => on_device(judge, device, below),
        (None, Reading::Present(path)) => on_file(device, facts, path),
        (None, Reading::Absent) => {
            let why = "nothing is attached; its numbers are those of what was attached last";
            Prediction::unknown(why, Some("attach a file (losetup)"), Vec::new())
        }
        (None, other) => {
            let status = other.status().unwrap_or_default();
            let why = format!("what is attached could not be read ({status})");
            Prediction::unknown(why, None, Vec::new())
        }
    }
}

fn on_device(judge: &Judge, device: &BlockDevice, below: &KName) -> Prediction {
    let leg = Leg::of(judge, below);
    let text = match leg.passed() {
        Some(passed) if passed.wz == 0 => clause(std::slice::from_ref(&leg), passed, &leg),
        _ => format!("takes over the zeroes command of {below}, and never its unmap limit"),
    };
    let own = Reason::new("loop-block", &device.kname, text)
        .because(file(device), below.node())
        .by_rule(
            RULE,
            "wz of the block device as it is attached; hw is not set",
        );
    match leg.passed() {
        Some(passed) => Prediction::known(Limits::new(passed.wz, 0), chain(own, Some(&leg))),
        None => unknown_below(own, &leg),
    }
}

fn on_file(device: &BlockDevice, facts: &LoopFacts, path: &str) -> Prediction {
    let filesystem = facts.backing_filesystem.value().map(String::as_str);
    let known = filesystem.and_then(fallocate);
    let Some(known) = known else {
        let why = match filesystem {
            Some(filesystem) => format!("whether {filesystem} can zero a range is not known here"),
            None => "the filesystem of the attached file is not known".to_owned(),
        };
        return driver_limit(device, &why, RULE);
    };
    let filesystem = filesystem.unwrap_or_default();
    let wz = if known == No { 0 } else { FILE_LIMIT };
    let text = match known {
        Yes => {
            format!("zeroes a range of a file on {filesystem}; a loop device has no unmap limit")
        }
        Partly(refused) => {
            format!("offers zeroes in a file on {filesystem}, which refuses {refused}")
        }
        No => format!("{filesystem} has no fallocate: no zeroes command"),
    };
    let own = Reason::new("loop-file", &device.kname, text)
        .because(file(device), path)
        .because(Origin::File("/proc/self/mountinfo".into()), filesystem)
        .by_rule(
            RULE,
            "UINT_MAX >> 9 sectors where the filesystem has ->fallocate, else 0; hw is not set",
        );
    Prediction::known(Limits::new(wz, 0), vec![own])
}

fn file(device: &BlockDevice) -> Origin {
    Origin::File(format!("/{}/loop/backing_file", device.syspath))
}

/// Where a loop device's numbers mislead: they promise before anything was tried, and are kept.
pub fn conflicts(judge: &Judge, device: &BlockDevice) -> Vec<Conflict> {
    let Some(facts) = device.loop_.as_deref() else {
        return Vec::new();
    };
    if facts.backing_device.is_some() {
        let prediction = judge.predict(&device.kname);
        let found = stale(
            device,
            &prediction,
            "detach it and attach it anew (losetup)",
        );
        return found.into_iter().chain(discard_off(device)).collect();
    }
    if let Some(off) = discard_off(device) {
        return vec![off];
    }
    let filesystem = facts
        .backing_filesystem
        .value()
        .map(String::as_str)
        .unwrap_or_default();
    let known = fallocate(filesystem);
    let wz = device.queue.number(Attr::WriteZeroesMaxBytes).get();
    let (rule, level, text) = match (known, wz) {
        (Some(Yes | Partly(_)), Some(0)) => (
            "loop-refused",
            Level::Warning,
            format!(
                "{filesystem} refused to zero a range, and the loop device gave its zeroes command up"
            ),
        ),
        (Some(Partly(refused)), Some(_)) => (
            "loop-optimistic",
            Level::Info,
            format!(
                "the limit is offered before it was tried: {filesystem} refuses {refused}, so that such a request \
                 fails and its caller writes"
            ),
        ),
        _ => return Vec::new(),
    };
    let path = device.queue_path();
    let evidence = Reason::new(rule, &device.kname, "")
        .because(
            Origin::File(format!("{path}/{}", Attr::WriteZeroesMaxBytes.name())),
            wz.unwrap_or_default().to_string(),
        )
        .by_rule(
            "lo_fallocate (drivers/block/loop.c, since 6.12)",
            "EOPNOTSUPP makes wz 0 until it is attached anew",
        )
        .evidence;
    vec![Conflict {
        rule,
        level,
        at: device.kname.clone(),
        text,
        evidence,
        advice: None,
    }]
}

/// T10: `lo_fallocate` looks at the discard limit first, for zeroes too.
fn discard_off(device: &BlockDevice) -> Option<Conflict> {
    let discard = device.queue.number(Attr::DiscardMaxBytes).get()?;
    let wz = device.queue.number(Attr::WriteZeroesMaxBytes).get()?;
    if discard != 0 || wz == 0 {
        return None;
    }
    let file = |attr: Attr| Origin::File(format!("{}/{}", device.queue_path(), attr.name()));
    let text = "without discard a loop device fails every zeroes request too, although its limit offers them: callers \
                write, and punching a hole fails with EOPNOTSUPP";
    let evidence = Reason::new("loop-discard-off", &device.kname, "")
        .because(file(Attr::DiscardMaxBytes), "0")
        .because(file(Attr::WriteZeroesMaxBytes), wz.to_string())
        .by_rule(
            "lo_fallocate (drivers/block/loop.c)",
            "a queue without discard: EOPNOTSUPP, whatever the request",
        )
        .evidence;
    Some(Conflict {
        rule: "loop-discard-off",
        level: Level::Warning,
        at: device.kname.clone(),
        text: text.to_owned(),
        evidence,
        advice: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_over_a_file_is_that_of_the_kernel() {
        assert_eq!(FILE_LIMIT, 4_294_966_784);
    }

    #[test]
    fn filesystems_are_known_by_the_name_that_mountinfo_has() {
        assert_eq!(fallocate("ext4"), Some(Yes));
        assert_eq!(fallocate("fuse.sshfs"), Some(Yes));
        assert_eq!(fallocate("tmpfs"), Some(Partly("ZERO_RANGE")));
        assert_eq!(fallocate("nfs"), Some(No));
        assert_eq!(fallocate("nfs4"), Some(Yes));
        for unknown in ["zfs", "ext2", "exfat", "9p", "", "rootfs"] {
            assert_eq!(fallocate(unknown), None, "{unknown}");
        }
    }
}
