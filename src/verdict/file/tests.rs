//! Each rule with literal facts. What real kernels answer is held against these rules in tests/vm.

use rustix::io::Errno;

use super::*;
use crate::facts::file;
use crate::facts::kernel::Kernel;
use crate::model::ids::KName;
use crate::source::inode::{Attributes, FsXattr, NodeType, Stat, XfsGeometry};

mod access;
mod filesystems;
mod properties;

const EXT4: &str = "1 0 8:0 / /m rw - ext4 /dev/sda rw";
const XFS: &str = "1 0 8:0 / /m rw - xfs /dev/sda rw";
const BTRFS: &str = "1 0 0:40 / /m rw - btrfs /dev/sda rw";
const F2FS: &str = "1 0 8:0 / /m rw - f2fs /dev/sda rw";
const TMPFS: &str = "1 0 0:9 / /m rw - tmpfs tmpfs rw";
const EXTENTS: u32 = 0x8_0000;

fn stat(node: NodeType, attributes: Attributes) -> Stat {
    Stat {
        mask: 0x17ff,
        node,
        attributes,
        nlink: if node == NodeType::Directory { 2 } else { 1 },
        ino: 12,
        dev: (8, 0),
        rdev: (0, 0),
        size_bytes: 1 << 20,
        allocated_bytes: 0,
        blksize: 4096,
        mnt_id: Some(1),
        dio_align: None,
        dio_read_offset_align: None,
        subvol: None,
        atomic_write: None,
    }
}

fn plain_file(line: &str) -> FileFacts {
    let mut facts = file::on(line);
    facts.stat = Reading::Present(stat(NodeType::Regular, Attributes::empty()));
    facts.flags = Reading::Present(EXTENTS);
    facts.xattr = Reading::Present(FsXattr::default());
    facts.swap = Reading::Present(false);
    facts.subvolume_readonly = Reading::Present(false);
    facts
}

fn with_attributes(line: &str, attributes: Attributes) -> FileFacts {
    let mut facts = plain_file(line);
    facts.stat = Reading::Present(stat(NodeType::Regular, attributes));
    facts
}

fn disk(un: Reading<u64>, zeroing: Zeroing) -> Zeroes {
    Zeroes {
        kname: KName::new("sda").expect("a name"),
        queue_path: "/sys/block/sda/queue".into(),
        wz: Reading::Present(33_553_920),
        un,
        zeroing,
    }
}

fn unmaps() -> Zeroes {
    disk(Reading::Present(33_553_920), Zeroing::Unmap)
}

fn ask(facts: &FileFacts, release: &str, devices: &[Zeroes], mode: Mode) -> Outcome {
    answer(
        &Context {
            facts,
            kernel: &Kernel::parse(release),
            devices,
        },
        mode,
    )
}

const NO: Support = Support::Fails(Errno::OPNOTSUPP, Call::Fallocate);

fn states(outcome: &Outcome) -> (Option<bool>, Option<State>, Option<State>) {
    (outcome.supported(), outcome.hole, outcome.data)
}

const WRITTEN: (Option<bool>, Option<State>, Option<State>) =
    (Some(true), Some(State::Written), Some(State::Written));
const UNWRITTEN: (Option<bool>, Option<State>, Option<State>) =
    (Some(true), Some(State::Unwritten), Some(State::Unwritten));
const HOLE: (Option<bool>, Option<State>, Option<State>) =
    (Some(true), Some(State::Hole), Some(State::Hole));
const PREALLOCATED: (Option<bool>, Option<State>, Option<State>) =
    (Some(true), Some(State::Unwritten), Some(State::Written));

#[test]
fn ext4_writes_zeroes_from_6_17_on_a_device_that_unmaps() {
    let facts = plain_file(EXT4);
    for release in ["6.17.13+deb13-amd64", "7.2.12", "7.3.4"] {
        let outcome = ask(&facts, release, &[unmaps()], Mode::WriteZeroes);
        assert_eq!(
            (states(&outcome), outcome.offloaded),
            (WRITTEN, Some(true)),
            "{release}"
        );
    }
    let shut = disk(Reading::Present(0), Zeroing::Offload);
    assert_eq!(ask(&facts, "7.3.4", &[shut], Mode::WriteZeroes).support, NO);
    let silent = disk(Reading::Absent, Zeroing::Unmap);
    assert_eq!(
        ask(&facts, "6.12.117", &[silent], Mode::WriteZeroes).support,
        NO
    );
}

#[test]
fn a_vendor_kernel_is_answered_by_a_trial_alone() {
    let facts = plain_file(EXT4);
    let outcome = ask(
        &facts,
        "5.14.0-700.el9.x86_64",
        &[unmaps()],
        Mode::WriteZeroes,
    );
    assert!(
        matches!(&outcome.support, Support::Unknown(to_know) if to_know.contains("zinspect probe"))
    );
    let xfs = ask(
        &plain_file(XFS),
        "6.18.0-1.el10",
        &[unmaps()],
        Mode::WriteZeroes,
    );
    assert_eq!(xfs.supported(), None);
    // Without the device's promise it fails, whatever was carried back.
    let shut = disk(Reading::Present(0), Zeroing::Offload);
    assert_eq!(
        ask(
            &plain_file(XFS),
            "6.18.0-1.el10",
            &[shut],
            Mode::WriteZeroes
        )
        .support,
        NO
    );
}

#[test]
fn a_kernel_newer_than_the_rules_may_have_learned_it() {
    assert_eq!(
        ask(&plain_file(BTRFS), "7.3.4", &[unmaps()], Mode::WriteZeroes).support,
        NO
    );
    assert_eq!(
        ask(&plain_file(BTRFS), "7.4.0", &[unmaps()], Mode::WriteZeroes).supported(),
        None
    );
}

#[test]
fn ext4_modes_leave_their_states() {
    let facts = plain_file(EXT4);
    let of = |mode| states(&ask(&facts, "7.3.4", &[unmaps()], mode));
    assert_eq!(of(Mode::ZeroRange), UNWRITTEN);
    assert_eq!(of(Mode::ZeroRangeKeepSize), UNWRITTEN);
    assert_eq!(of(Mode::PunchHole), HOLE);
    assert_eq!(of(Mode::Allocate), PREALLOCATED);
}

#[test]
fn ext4_without_extents_only_punches() {
    let mut facts = plain_file(EXT4);
    facts.flags = Reading::Present(0);
    let of = |mode| ask(&facts, "7.3.4", &[unmaps()], mode);
    for mode in [
        Mode::WriteZeroes,
        Mode::ZeroRange,
        Mode::ZeroRangeKeepSize,
        Mode::Allocate,
    ] {
        assert_eq!(of(mode).support, NO, "{mode:?}");
    }
    assert_eq!(states(&of(Mode::PunchHole)), HOLE);
    facts.flags = Reading::Present(0x1000_0000);
    assert_eq!(
        states(&ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes)),
        WRITTEN
    );
}

#[test]
fn what_may_not_be_read_is_not_guessed() {
    let mut facts = plain_file(EXT4);
    facts.flags = Reading::Denied(Errno::ACCESS);
    facts.xattr = Reading::Denied(Errno::ACCESS);
    facts.closed = Some(Errno::ACCESS);
    assert_eq!(
        ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes).supported(),
        None
    );
    assert_eq!(
        ask(&facts, "7.3.4", &[unmaps()], Mode::ZeroRange).supported(),
        None
    );
    // The device's limit decides before the inode does.
    let shut = disk(Reading::Present(0), Zeroing::Offload);
    assert_eq!(ask(&facts, "7.3.4", &[shut], Mode::WriteZeroes).support, NO);
    facts.stat = Reading::Denied(Errno::ACCESS);
    let shut = disk(Reading::Present(0), Zeroing::Offload);
    assert_eq!(
        ask(&facts, "7.3.4", &[shut], Mode::WriteZeroes).supported(),
        None
    );
}

#[test]
fn encrypted_ext4_zeroes_in_software() {
    let facts = with_attributes(EXT4, Attributes::ENCRYPTED);
    let outcome = ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes);
    assert_eq!(
        (states(&outcome), outcome.offloaded),
        (WRITTEN, Some(false))
    );
    let context = Context {
        facts: &facts,
        kernel: &Kernel::parse("7.3.4"),
        devices: &[unmaps()],
    };
    assert_eq!(is_fast(&context, &outcome), Some(false));
}

#[test]
fn success_on_a_device_that_writes_is_not_fast() {
    let facts = plain_file(EXT4);
    let devices = [disk(Reading::Present(33_553_920), Zeroing::Software)];
    let context = Context {
        facts: &facts,
        kernel: &Kernel::parse("7.3.4"),
        devices: &devices,
    };
    let outcome = answer(&context, Mode::WriteZeroes);
    assert_eq!(
        (outcome.supported(), is_fast(&context, &outcome)),
        (Some(true), Some(false))
    );
}

#[test]
fn a_file_that_cannot_be_written_fails_at_open() {
    let of = |facts: &FileFacts, mode| ask(facts, "7.3.4", &[unmaps()], mode).support;
    for attributes in [
        Attributes::IMMUTABLE,
        Attributes::APPEND,
        Attributes::VERITY,
    ] {
        let facts = with_attributes(EXT4, attributes);
        for mode in Mode::ALL {
            assert_eq!(
                of(&facts, *mode),
                Support::Fails(Errno::PERM, Call::Open),
                "{attributes:?}"
            );
        }
    }
    for line in [
        "1 0 8:0 / /m rw - ext4 /dev/sda ro",
        "1 0 8:0 / /m ro - ext4 /dev/sda rw",
    ] {
        assert_eq!(
            of(&plain_file(line), Mode::Allocate),
            Support::Fails(Errno::ROFS, Call::Open)
        );
    }
    let mut locked = with_attributes(EXT4, Attributes::ENCRYPTED);
    locked.closed = Some(Errno::NOKEY);
    assert_eq!(
        of(&locked, Mode::PunchHole),
        Support::Fails(Errno::NOKEY, Call::Open)
    );
}

#[test]
fn a_swap_file_is_busy_once_the_kernel_knows_the_mode() {
    let mut facts = plain_file(XFS);
    facts.swap = Reading::Present(true);
    let busy = Support::Fails(Errno::TXTBSY, Call::Fallocate);
    assert_eq!(
        ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes).support,
        busy
    );
    let silent = [disk(Reading::Absent, Zeroing::Unmap)];
    assert_eq!(
        ask(&facts, "6.12.117", &silent, Mode::WriteZeroes).support,
        NO
    );
    assert_eq!(
        ask(&facts, "6.12.117", &silent, Mode::PunchHole).support,
        busy
    );
}
