//! What holds for every rule, whatever the facts.

use proptest::prelude::*;

use super::*;

const LINES: &[&str] = &[
    EXT4,
    XFS,
    BTRFS,
    F2FS,
    TMPFS,
    "1 0 8:0 / /m rw - ext3 /dev/sda rw,data=journal",
    "1 0 8:0 / /m ro - ext4 /dev/sda rw",
    "1 0 8:0 / /m rw - xfs /dev/sda rw,rtdev=/dev/sdb",
    "1 0 0:60 / /m rw - nfs4 srv:/x rw,vers=4.2",
    "1 0 0:50 / /m rw - overlay none rw,upperdir=/up",
    "1 0 0:2 / / rw - rootfs rootfs rw,size=1k",
    "1 0 0:62 / /m rw - newfs x rw",
];
const RELEASES: &[&str] = &[
    "6.1.0",
    "6.12.117",
    "6.17.13",
    "7.2.12",
    "7.3.4",
    "7.9.0",
    "5.14.0-700.el9",
    "",
    "odd",
];

fn device() -> impl Strategy<Value = Vec<Zeroes>> {
    let un = prop_oneof![
        Just(Reading::Present(0)),
        Just(Reading::Present(33_553_920)),
        Just(Reading::Absent),
        Just(Reading::Denied(Errno::ACCESS)),
    ];
    let zeroing = prop::sample::select(Zeroing::ALL.to_vec());
    prop::collection::vec(
        (un, zeroing).prop_map(|(un, zeroing)| disk(un, zeroing)),
        0..3,
    )
}

fn facts() -> impl Strategy<Value = FileFacts> {
    let node = prop_oneof![
        Just(NodeType::Regular),
        Just(NodeType::Directory),
        Just(NodeType::Block)
    ];
    let geometry = prop::option::of((
        0..2u64,
        1..5u32,
        prop_oneof![Just(0), Just(XfsGeometry::ZONED)],
    ));
    let inode = (node, any::<u64>(), any::<u32>(), any::<u32>());
    (prop::sample::select(LINES), inode, geometry, any::<bool>()).prop_map(
        |(line, inode, geometry, swap)| {
            let (node, attributes, flags, xflags) = inode;
            let mut facts = plain_file(line);
            facts.stat = Reading::Present(stat(node, Attributes::from_bits_retain(attributes)));
            facts.flags = Reading::Present(flags);
            facts.xattr = Reading::Present(FsXattr::with_xflags(xflags));
            facts.swap = Reading::Present(swap);
            facts.geometry = match geometry {
                Some((blocks, extent, flags)) => {
                    super::filesystems::geometry(blocks, extent, flags)
                }
                None => Reading::Absent,
            };
            facts
        },
    )
}

fn denied(mut facts: FileFacts) -> FileFacts {
    facts.flags = Reading::Denied(Errno::ACCESS);
    facts.xattr = Reading::Denied(Errno::ACCESS);
    facts
}

proptest! {
    #[test]
    fn an_answer_is_whole(
        facts in facts(),
        release in prop::sample::select(RELEASES),
        devices in device(),
        mode in prop::sample::select(Mode::ALL),
    ) {
        let kernel = Kernel::parse(release);
        let context = Context { facts: &facts, kernel: &kernel, devices: &devices };
        let outcome = answer(&context, mode);
        prop_assert!(!outcome.steps.is_empty());
        prop_assert!(outcome.steps.iter().all(|step| !step.text.is_empty()));
        if outcome.supported() != Some(true) {
            prop_assert_eq!((outcome.hole, outcome.data), (None, None));
        }
        if is_fast(&context, &outcome) == Some(true) {
            prop_assert_eq!(outcome.supported(), Some(true));
            prop_assert_eq!(context.device().map(|device| device.zeroing), Some(Zeroing::Unmap));
        }
    }

    /// Less to read makes an answer unknown, and never another one.
    #[test]
    fn what_was_not_read_is_never_guessed(
        facts in facts(),
        release in prop::sample::select(RELEASES),
        devices in device(),
        mode in prop::sample::select(Mode::ALL),
    ) {
        let whole = ask(&facts, release, &devices, mode);
        let costs = |facts: &FileFacts| State::ALL.iter().map(|state| overwrite(facts, *state)).collect::<Vec<_>>();
        let known = costs(&facts);
        let facts = denied(facts);
        for (less, whole) in costs(&facts).into_iter().zip(known) {
            if less.is_some() {
                prop_assert_eq!(less, whole);
            }
        }
        let less = ask(&facts, release, &devices, mode);
        if less.supported().is_some() {
            prop_assert_eq!(less.supported(), whole.supported());
        }
        for (known, all) in [(less.hole, whole.hole), (less.data, whole.data)] {
            if known.is_some() {
                prop_assert_eq!(known, all);
            }
        }
    }
}
