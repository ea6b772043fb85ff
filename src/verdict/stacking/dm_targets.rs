//! Device-mapper targets: which pass a zeroes command (`num_write_zeroes_bios`), and why the others do not.
//!
//! Read in drivers/md of Linux 7.3; the same in every kernel from 6.1 on that has the target. Only four types set
//! `num_write_zeroes_bios` (`linear_ctr`, `stripe_ctr`, `multipath_ctr`, `dmz_ctr`); ebs sets it to 0 in so many words.

/// What a target does with a zeroes command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passes {
    /// It hands it to the devices it maps.
    On,
    /// It hands it on, at most a zone at a time.
    Zone,
    /// It takes none; says why.
    Never(&'static str),
}

use Passes::{Never, On, Zone};

const ENCRYPTS: &str = "zeroes have to be encrypted before they are written";
const CHECKS: &str = "every block has a checksum that must be written with it";
const MAPS: &str = "it maps blocks by metadata of its own";
const COPIES: &str = "every write goes to more than one place";
const CACHES: &str = "what it keeps on the fast device must stay in step";
const TESTS: &str = "a target for tests handles reads and writes alone";
const NOTHING: &str = "there is no device below that could do it";

const TARGETS: &[(&str, Passes)] = &[
    ("linear", On),
    ("striped", On),
    ("multipath", On),
    ("zoned", Zone),
    ("crypt", Never(ENCRYPTS)),
    ("inlinecrypt", Never(ENCRYPTS)),
    ("default-key", Never(ENCRYPTS)),
    ("integrity", Never(CHECKS)),
    ("verity", Never("it is read-only")),
    ("thin", Never(MAPS)),
    ("thin-pool", Never(MAPS)),
    ("snapshot", Never(MAPS)),
    (
        "snapshot-origin",
        Never("old blocks must be copied away before they change"),
    ),
    ("snapshot-merge", Never(MAPS)),
    ("clone", Never(MAPS)),
    ("era", Never(MAPS)),
    ("vdo", Never(MAPS)),
    ("mirror", Never(COPIES)),
    ("raid", Never(COPIES)),
    ("log-writes", Never(COPIES)),
    ("cache", Never(CACHES)),
    ("writecache", Never(CACHES)),
    ("pcache", Never(CACHES)),
    ("delay", Never(TESTS)),
    ("dust", Never(TESTS)),
    ("flakey", Never(TESTS)),
    (
        "ebs",
        Never("smaller blocks are emulated by reading and writing"),
    ),
    ("switch", Never("it sets no num_write_zeroes_bios")),
    ("unstriped", Never("it sets no num_write_zeroes_bios")),
    ("error", Never(NOTHING)),
    ("zero", Never(NOTHING)),
];

/// What is known of a target type; `None` for one that Linux 7.3 does not have.
pub(super) fn passes(target: &str) -> Option<Passes> {
    TARGETS
        .iter()
        .find(|(name, _)| *name == target)
        .map(|(_, passes)| *passes)
}

#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = (&'static str, Passes)> {
    TARGETS.iter().copied()
}
