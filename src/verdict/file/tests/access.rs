//! What keeps a file from being opened for writing. The right values are those of Linux 6.18.

use super::*;
use crate::source::inode::Key;

/// The answer for every mode, which is the same one.
fn at_open(facts: &FileFacts) -> Support {
    let of = |mode| ask(facts, "7.3.4", &[unmaps()], mode).support;
    let first = of(Mode::WriteZeroes);
    for mode in Mode::ALL {
        assert_eq!(of(*mode), first, "{mode:?}");
    }
    first
}

#[test]
fn a_read_only_subvolume_of_a_mount_that_is_not_fails_at_open() {
    let frozen = |attributes| {
        let mut facts = with_attributes(BTRFS, attributes);
        facts.subvolume_readonly = Reading::Present(true);
        facts
    };
    let fails = |errno| Support::Fails(errno, Call::Open);
    assert_eq!(at_open(&frozen(Attributes::empty())), fails(Errno::ROFS));
    assert_eq!(at_open(&frozen(Attributes::IMMUTABLE)), fails(Errno::PERM));
    assert_eq!(at_open(&frozen(Attributes::APPEND)), fails(Errno::ROFS));
    let mut folder = frozen(Attributes::empty());
    folder.stat = Reading::Present(stat(NodeType::Directory, Attributes::empty()));
    assert_eq!(at_open(&folder), fails(Errno::ROFS));
}

#[test]
fn a_subvolume_that_could_not_be_asked_leaves_the_answer_open() {
    let mut facts = plain_file(BTRFS);
    facts.subvolume_readonly = Reading::Denied(Errno::ACCESS);
    let outcome = ask(&facts, "7.3.4", &[], Mode::Allocate);
    assert_eq!(outcome.supported(), None);
    assert_eq!(
        outcome.steps.first().map(|step| step.rule),
        Some("btrfs-subvolume")
    );
    facts.subvolume_readonly = Reading::NotAsked(crate::facts::file::NO_LIVE_FILE);
    assert_eq!(
        states(&ask(&facts, "7.3.4", &[], Mode::Allocate)),
        PREALLOCATED
    );
    // Other filesystems have no subvolumes.
    let mut ext4 = plain_file(EXT4);
    ext4.subvolume_readonly = Reading::Denied(Errno::ACCESS);
    assert_eq!(
        states(&ask(&ext4, "7.3.4", &[], Mode::Allocate)),
        PREALLOCATED
    );
}

#[test]
fn ext4_after_an_error_or_a_shutdown_opens_nothing_for_writing() {
    let on = |options: &str, attributes| {
        let line = format!("1 0 7:3 / /m rw - ext4 /dev/sda rw,{options}");
        at_open(&with_attributes(&line, attributes))
    };
    let fails = |errno| Support::Fails(errno, Call::Open);
    let stopped = "errors=remount-ro,emergency_ro";
    assert_eq!(on(stopped, Attributes::empty()), fails(Errno::ROFS));
    assert_eq!(on("shutdown", Attributes::empty()), fails(Errno::IO));
    // The inode's own flags come before the filesystem's open.
    assert_eq!(on(stopped, Attributes::IMMUTABLE), fails(Errno::PERM));
    assert_eq!(on("shutdown", Attributes::APPEND), fails(Errno::PERM));
}

fn folder(line: &str, nlink: u32) -> FileFacts {
    let mut facts = plain_file(line);
    let inode = stat(NodeType::Directory, Attributes::empty());
    facts.stat = Reading::Present(Stat { nlink, ..inode });
    facts
}

#[test]
fn no_file_can_be_made_in_a_pseudo_filesystem() {
    let fails = |errno| Support::Fails(errno, Call::Open);
    let proc = "1 0 0:21 / /proc rw - proc proc rw";
    assert_eq!(at_open(&folder(proc, 9)), fails(Errno::NOENT));
    let read_only = "1 0 0:21 / /p ro - proc proc rw";
    assert_eq!(at_open(&folder(read_only, 9)), fails(Errno::NOENT));
    let read_only = "1 0 0:22 / /s ro - sysfs sysfs rw";
    assert_eq!(at_open(&folder(read_only, 11)), fails(Errno::ROFS));
    let sysfs = "1 0 0:22 / /sys rw - sysfs sysfs rw";
    assert_eq!(at_open(&folder(sysfs, 11)), fails(Errno::ACCESS));
    // /sys/kernel/debug gives ENOENT and /sys/block EACCES: both have 2 links.
    assert!(matches!(at_open(&folder(sysfs, 2)), Support::Unknown(_)));
    let pts = "1 0 0:24 / /dev/pts rw - devpts devpts rw";
    assert!(matches!(at_open(&folder(pts, 2)), Support::Unknown(_)));
    // A file of it is opened as it is.
    assert_eq!(at_open(&plain_file(sysfs)), NO);
}

#[test]
fn a_removed_directory_takes_no_file() {
    let of = |facts: &FileFacts| at_open(facts);
    let gone = Support::Fails(Errno::NOENT, Call::Open);
    // It comes first: also in a mount that is read-only.
    for line in [EXT4, XFS, TMPFS, "1 0 8:0 / /m ro - ext4 /dev/sda ro"] {
        let mut facts = folder(line, 0);
        assert_eq!(of(&facts), gone, "{line}");
        facts.real = Some("/m/gone (deleted)".into());
        assert_eq!(of(&facts), gone, "{line}");
    }
    // Some filesystems count no links.
    let mut fuse = folder(XFS, 0);
    fuse.real = Some("/m/there".into());
    assert_eq!(states(&ask(&fuse, "7.3.4", &[], Mode::PunchHole)), HOLE);
}

#[test]
fn a_new_file_needs_the_key_of_its_directory() {
    let with = |key| {
        let mut facts = folder(EXT4, 2);
        let inode = stat(NodeType::Directory, Attributes::ENCRYPTED);
        facts.stat = Reading::Present(inode);
        facts.key = key;
        facts
    };
    let locked = Support::Fails(Errno::NOKEY, Call::Open);
    assert_eq!(at_open(&with(Reading::Present(Key::Missing))), locked);
    let open = with(Reading::Present(Key::Loaded));
    assert_eq!(states(&ask(&open, "7.3.4", &[], Mode::PunchHole)), HOLE);
    for key in [
        Reading::Present(Key::Elsewhere),
        Reading::Denied(Errno::ACCESS),
    ] {
        let support = ask(&with(key), "7.3.4", &[], Mode::PunchHole).support;
        assert!(matches!(support, Support::Unknown(_)));
    }
}
