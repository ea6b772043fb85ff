//! Filesystems other than ext4, and devices' nodes.

use super::*;
use crate::facts::file::{Journal, Layout};
use crate::source::inode::{Extent, ExtentFlags};

pub(super) fn geometry(rtblocks: u64, rtextsize: u32, flags: u32) -> Reading<XfsGeometry> {
    Reading::Present(XfsGeometry {
        blocksize: 4096,
        rtextsize,
        rtblocks,
        flags,
        ..XfsGeometry::default()
    })
}

#[test]
fn xfs_writes_zeroes_from_7_3() {
    let mut facts = plain_file(XFS);
    facts.geometry = geometry(0, 1, XfsGeometry::REFLINK);
    assert_eq!(
        states(&ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes)),
        WRITTEN
    );
    assert_eq!(
        ask(&facts, "7.2.12", &[unmaps()], Mode::WriteZeroes).support,
        NO
    );
    assert_eq!(
        states(&ask(&facts, "7.2.12", &[unmaps()], Mode::ZeroRange)),
        UNWRITTEN
    );
    assert_eq!(
        states(&ask(&facts, "7.2.12", &[unmaps()], Mode::Allocate)),
        PREALLOCATED
    );
}

#[test]
fn xfs_realtime_files_need_extents_of_one_block() {
    let mut facts = plain_file(XFS);
    facts.xattr = Reading::Present(FsXattr::with_xflags(FsXattr::REALTIME));
    facts.geometry = geometry(1024, 4, 0);
    assert_eq!(
        ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes).support,
        NO
    );
    facts.geometry = geometry(1024, 1, 0);
    assert_eq!(
        states(&ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes)),
        WRITTEN
    );
    facts.xattr = Reading::Denied(Errno::ACCESS);
    assert_eq!(
        ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes).supported(),
        None
    );
    assert_eq!(
        states(&ask(&facts, "7.3.4", &[], Mode::ZeroRange)),
        UNWRITTEN
    );
}

#[test]
fn zoned_xfs_leaves_holes() {
    let mut facts = plain_file(XFS);
    facts.xattr = Reading::Present(FsXattr::with_xflags(FsXattr::REALTIME));
    facts.geometry = geometry(1024, 1, XfsGeometry::ZONED);
    let of = |mode| ask(&facts, "7.3.4", &[unmaps()], mode);
    assert_eq!(of(Mode::WriteZeroes).support, NO);
    assert_eq!(of(Mode::Allocate).support, NO);
    assert_eq!(states(&of(Mode::ZeroRange)), HOLE);
    assert_eq!(overwrite(&facts, State::Hole), Some(Overwrite::CopyOnWrite));
}

#[test]
fn btrfs_f2fs_and_tmpfs_have_no_code_for_it() {
    for line in [BTRFS, F2FS, TMPFS] {
        let facts = plain_file(line);
        assert_eq!(
            ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes).support,
            NO,
            "{line}"
        );
        assert_eq!(
            states(&ask(&facts, "7.3.4", &[], Mode::PunchHole)),
            HOLE,
            "{line}"
        );
        assert_eq!(
            states(&ask(&facts, "7.3.4", &[], Mode::Allocate)),
            PREALLOCATED,
            "{line}"
        );
    }
    assert_eq!(
        ask(&plain_file(TMPFS), "7.3.4", &[], Mode::ZeroRange).support,
        NO
    );
    assert_eq!(
        states(&ask(&plain_file(BTRFS), "7.3.4", &[], Mode::ZeroRange)),
        UNWRITTEN
    );
    let mut compressed = plain_file(F2FS);
    compressed.flags = Reading::Present(0x4);
    assert_eq!(ask(&compressed, "7.3.4", &[], Mode::PunchHole).support, NO);
    let mut zoned = plain_file(BTRFS);
    zoned.features.push("zoned".into());
    assert_eq!(ask(&zoned, "7.3.4", &[], Mode::PunchHole).support, NO);
}

#[test]
fn network_filesystems_are_answered_by_their_server() {
    let nfs = plain_file("1 0 0:60 / /m rw - nfs4 srv:/x rw,vers=4.2");
    assert_eq!(ask(&nfs, "7.3.4", &[], Mode::WriteZeroes).support, NO);
    assert_eq!(ask(&nfs, "7.3.4", &[], Mode::Allocate).supported(), None);
    let older = plain_file("1 0 0:60 / /m rw - nfs4 srv:/x rw,vers=4.1");
    assert_eq!(ask(&older, "7.3.4", &[], Mode::Allocate).support, NO);
    let fuse = plain_file("1 0 0:61 / /m rw - fuse.sshfs host: rw");
    assert_eq!(ask(&fuse, "7.3.4", &[], Mode::WriteZeroes).support, NO);
    assert_eq!(
        ask(
            &plain_file("1 0 0:62 / /m rw - newfs x rw"),
            "7.3.4",
            &[],
            Mode::Allocate
        )
        .supported(),
        None
    );
}

#[test]
fn an_overlay_answers_as_its_upper_layer() {
    let mut facts = plain_file("1 0 0:50 / /m rw - overlay none rw,upperdir=/up");
    assert_eq!(
        ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes).supported(),
        None
    );
    facts.under = Some(Box::new(plain_file(EXT4)));
    let outcome = ask(&facts, "7.3.4", &[unmaps()], Mode::WriteZeroes);
    assert_eq!(states(&outcome), WRITTEN);
    assert_eq!(
        outcome.steps.last().map(|step| step.rule),
        Some("overlay-upper")
    );
}

#[test]
fn a_node_answers_as_the_block_layer() {
    let mut facts = plain_file("1 0 0:6 / /dev rw - devtmpfs dev rw");
    facts.stat = Reading::Present(stat(NodeType::Block, Attributes::empty()));
    let of = |device: Zeroes, mode| ask(&facts, "7.3.4", &[device], mode);
    assert_eq!(of(unmaps(), Mode::WriteZeroes).supported(), Some(true));
    assert_eq!(of(unmaps(), Mode::Allocate).support, NO);
    let writes = || Zeroes {
        wz: Reading::Present(0),
        ..disk(Reading::Present(0), Zeroing::Software)
    };
    assert_eq!(of(writes(), Mode::PunchHole).support, NO);
    let zero_range = of(writes(), Mode::ZeroRange);
    assert_eq!(
        (zero_range.supported(), zero_range.offloaded),
        (Some(true), Some(false))
    );
}

#[test]
fn a_read_only_node_is_refused_by_mode_and_limit_first() {
    let mut facts = plain_file("1 0 0:6 / /dev rw - devtmpfs dev rw");
    facts.stat = Reading::Present(stat(NodeType::Block, Attributes::empty()));
    let of = |un, mode| {
        let device = disk(Reading::Present(un), Zeroing::Unsupported);
        ask(&facts, "6.18.44", &[device], mode).support
    };
    let denied = Support::Fails(Errno::PERM, Call::Fallocate);
    // As a loop device made with `losetup -r` answers.
    assert_eq!(of(0, Mode::WriteZeroes), NO);
    assert_eq!(of(0, Mode::Allocate), NO);
    for mode in [Mode::ZeroRange, Mode::ZeroRangeKeepSize, Mode::PunchHole] {
        assert_eq!(of(0, mode), denied, "{mode:?}");
    }
    assert_eq!(of(33_553_920, Mode::WriteZeroes), denied);
}

#[test]
fn an_overwrite_costs_what_the_state_and_the_filesystem_make_of_it() {
    let ext4 = plain_file(EXT4);
    assert_eq!(overwrite(&ext4, State::Written), Some(Overwrite::InPlace));
    assert_eq!(
        overwrite(&ext4, State::Unwritten),
        Some(Overwrite::Conversion)
    );
    assert_eq!(overwrite(&ext4, State::Hole), Some(Overwrite::Allocation));
    let journalled = plain_file("1 0 8:0 / /m rw - ext4 /dev/sda rw,data=journal");
    assert_eq!(
        overwrite(&journalled, State::Written),
        Some(Overwrite::Journal)
    );
    let mut btrfs = plain_file(BTRFS);
    assert_eq!(
        overwrite(&btrfs, State::Written),
        Some(Overwrite::CopyOnWrite)
    );
    btrfs.flags = Reading::Present(0x80_0000);
    assert_eq!(overwrite(&btrfs, State::Written), Some(Overwrite::InPlace));
    assert_eq!(
        overwrite(&plain_file(TMPFS), State::Unwritten),
        Some(Overwrite::Memory)
    );
    assert_eq!(
        overwrite(&plain_file("1 0 0:62 / /m rw - newfs x rw"), State::Written),
        None
    );
}

/// As Linux 6.18 has it: of a reflinked file of XFS, and of a nodatacow file of btrfs after a snapshot, FIEMAP shows the
/// extents as shared after mode 0 too, and no longer after the modes that zero.
#[test]
fn data_that_is_shared_is_copied_when_it_is_overwritten() {
    let shared = |flags| {
        let extent = Extent {
            logical: 0,
            physical: 1 << 20,
            length: 1 << 16,
            flags,
        };
        Reading::Present(Layout::of_extents(&[extent], 1 << 16))
    };
    let mut xfs = plain_file(XFS);
    xfs.geometry = geometry(0, 1, XfsGeometry::REFLINK);
    let mut btrfs = plain_file(BTRFS);
    btrfs.flags = Reading::Present(0x80_0000);
    for mut facts in [xfs, btrfs] {
        let kept = |facts: &FileFacts| overwrite_of_kept(facts, State::Written);
        facts.layout = shared(ExtentFlags::SHARED | ExtentFlags::LAST);
        assert_eq!(kept(&facts), Some(Overwrite::CopyOnWrite));
        // Extents that a mode has put in their place.
        let anew = overwrite(&facts, State::Written);
        assert_eq!(anew, Some(Overwrite::InPlace));
        facts.layout = shared(ExtentFlags::LAST);
        assert_eq!(kept(&facts), Some(Overwrite::InPlace));
        facts.layout = Reading::Denied(Errno::ACCESS);
        assert_eq!(kept(&facts), None);
        facts.layout = Reading::Present(Layout::of_segments(&[]));
        assert_eq!(kept(&facts), None, "lseek(2) shows no sharing");
    }
    let mut plain = plain_file(XFS);
    plain.geometry = geometry(0, 1, 0);
    plain.layout = Reading::Denied(Errno::ACCESS);
    let cost = overwrite_of_kept(&plain, State::Written);
    assert_eq!(cost, Some(Overwrite::InPlace), "no reflink");
}

#[test]
fn metadata_goes_where_the_filesystem_commits_it() {
    let to = |line: &str| commit(&plain_file(line));
    assert_eq!(to(XFS), Reading::Present(Commit::Journal));
    let external = "1 0 8:0 / /m rw - xfs /dev/sda rw,logdev=/dev/sdb";
    assert_eq!(to(external), Reading::Present(Commit::ExternalJournal));
    assert_eq!(to(BTRFS), Reading::Present(Commit::LogTree));
    assert_eq!(to(TMPFS), Reading::Absent);
    let mut facts = plain_file(EXT4);
    assert_eq!(commit(&facts), Reading::Absent, "not read");
    for (journal, place) in [
        (Journal::None, Commit::InPlace),
        (Journal::Internal, Commit::Journal),
        (Journal::External(None), Commit::ExternalJournal),
    ] {
        facts.journal = Reading::Present(journal);
        assert_eq!(commit(&facts), Reading::Present(place));
    }
    let says = |commit| Overwrite::Conversion.says(commit);
    assert!(says(Some(Commit::InPlace)).contains("there is no journal"));
    assert!(says(None).contains("not known whether to a journal"));
}

#[test]
fn journalled_data_needs_a_journal() {
    let mut facts = plain_file(EXT4);
    facts.flags = Reading::Present(0x4000 | 0x0008_0000);
    let cost = |facts: &FileFacts| overwrite(facts, State::Written);
    assert_eq!(cost(&facts), None, "whether there is one is not known");
    facts.journal = Reading::Present(Journal::Internal);
    assert_eq!(cost(&facts), Some(Overwrite::Journal));
    facts.journal = Reading::Present(Journal::None);
    assert_eq!(cost(&facts), Some(Overwrite::InPlace));
}

#[test]
fn f2fs_as_a_log_writes_nothing_in_place() {
    let log = plain_file("1 0 8:0 / /m rw - f2fs /dev/sda rw,mode=lfs");
    let cost = overwrite(&log, State::Unwritten);
    assert_eq!(cost, Some(Overwrite::CopyOnWrite));
    let cost = overwrite(&plain_file(F2FS), State::Unwritten);
    assert_eq!(cost, Some(Overwrite::Conversion));
}

#[test]
fn a_filesystem_that_is_dead_fails_at_open() {
    for (error, outcome) in [
        (Errno::IO, Some(Errno::IO)),
        (Errno::STALE, Some(Errno::STALE)),
        (Errno::NOTCONN, Some(Errno::NOTCONN)),
        // For want of rights: whoever has them may succeed.
        (Errno::ACCESS, None),
    ] {
        let mut facts = plain_file(EXT4);
        facts.closed = Some(error);
        for mode in Mode::ALL {
            let support = ask(&facts, "7.3.4", &[unmaps()], *mode).support;
            match outcome {
                Some(errno) => assert_eq!(support, Support::Fails(errno, Call::Open)),
                None => assert!(!matches!(support, Support::Fails(_, Call::Open))),
            }
        }
    }
}
