//! Why a probe is not armed. Nothing was written.

use super::span::Span;

/// Every reason, each with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A capture cannot be written to.
    #[error("a captured host has no devices to write to; probe on the host itself")]
    Captured,
    /// Nothing was said about the device's data.
    #[error(
        "{kname} is a device: say --preserve (its bytes are kept in a journal and put back) or --destroy; \
             a directory as target uses a scratch file and needs neither"
    )]
    NoMode {
        /// The device.
        kname: String,
    },
    /// A scratch file has nothing to preserve.
    #[error(
        "a directory is probed by a scratch file of its own: leave out --preserve and --destroy"
    )]
    ScratchNeedsNoMode,
    /// An existing file.
    #[error("{path} is a {what}; a probe never writes to an existing file: name its directory")]
    ExistingFile {
        /// The file.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// No such device or directory.
    #[error("{0}")]
    NoTarget(String),
    /// More than one device.
    #[error("{word} stands for {count} devices: name one")]
    Several {
        /// As it was given.
        word: String,
        /// How many.
        count: usize,
    },
    /// The device has no node.
    #[error("{kname} has no node: {why}")]
    NoNode {
        /// The device.
        kname: String,
        /// Why, and what to name.
        why: String,
    },
    /// Something about it could not be read.
    #[error(
        "{kname}: cannot tell {what}: {why}; nothing is written to a device that is not known well enough"
    )]
    Unknown {
        /// The device.
        kname: String,
        /// Which fact.
        what: &'static str,
        /// Why.
        why: String,
    },
    /// Nothing is in it.
    #[error("{kname} has no bytes: nothing is set up or put into it")]
    Empty {
        /// The device.
        kname: String,
    },
    /// Past the end.
    #[error("the range {range} is not within {kname}, which has {size} bytes")]
    OutsideDevice {
        /// The device.
        kname: String,
        /// The range.
        range: Span,
        /// Its size.
        size: u64,
    },
    /// Too little room for a scratch file.
    #[error(
        "a scratch file of {wanted} bytes in {dir} would take more than half of what is free ({free} bytes may be used); name a smaller one (probe: --range, bench: --size)"
    )]
    NoRoom {
        /// The directory.
        dir: String,
        /// Bytes wanted.
        wanted: u64,
        /// Bytes that may be used.
        free: u64,
    },
    /// Not on block boundaries.
    #[error("the range {range} is not in whole blocks of {block} bytes")]
    Unaligned {
        /// The range.
        range: Span,
        /// The block size.
        block: u64,
    },
    /// The kernel refuses writes.
    #[error("{kname} is read-only")]
    ReadOnly {
        /// The device.
        kname: String,
    },
    /// Sequential zones.
    #[error("{kname} is zoned: its zones must be written in order, so bytes cannot be put back")]
    Zoned {
        /// The device.
        kname: String,
    },
    /// Somebody uses it.
    #[error("{kname} is in use: {how}")]
    InUse {
        /// The device.
        kname: String,
        /// By whom, in which way, and what to do.
        how: String,
    },
    /// A leg of a multipath map.
    #[error(
        "{kname} is a leg of the multipath map {map}: probe /dev/mapper/{map}, which tries each leg"
    )]
    Leg {
        /// The device.
        kname: String,
        /// The map's name.
        map: String,
    },
    /// O_EXCL was refused.
    #[error(
        "{node} is open exclusively elsewhere (O_EXCL: EBUSY): a mount, device-mapper, MD, or another program holds it"
    )]
    Exclusive {
        /// The node.
        node: String,
    },
    /// The node cannot be opened for writing.
    #[error("cannot open {node} for direct, exclusive writing: {why}")]
    Open {
        /// The node.
        node: String,
        /// The error.
        why: String,
    },
    /// The node is another device than the plan's.
    #[error("{node} is not the device of the plan any more: {why}")]
    Replaced {
        /// The node.
        node: String,
        /// What differs.
        why: String,
    },
    /// It carries data that somebody may want.
    #[error("{kname} carries {what}: {advice}")]
    Signature {
        /// The device.
        kname: String,
        /// Which signatures.
        what: String,
        /// What to do.
        advice: String,
    },
    /// On the list.
    #[error("{kname} is a device known to hang: {why} (source: {from})")]
    KnownBad {
        /// The device.
        kname: String,
        /// What happens.
        why: &'static str,
        /// Where that stands.
        from: &'static str,
    },
    /// No word of agreement.
    #[error(
        "not confirmed: type the identity {identity} when asked, or give --yes-destroy={identity}"
    )]
    Unconfirmed {
        /// What must be named.
        identity: String,
    },
    /// The agreement named another device.
    #[error("--yes-destroy={given} names another device; this one is {identity}")]
    OtherIdentity {
        /// As given.
        given: String,
        /// What it is.
        identity: String,
    },
    /// The journal cannot be kept.
    #[error("no journal: {0}")]
    Journal(String),
    /// An earlier run was not finished.
    #[error(
        "an earlier probe of {identity} was interrupted and its bytes are not back: first run \
             zinspect probe --recover {journal}"
    )]
    Interrupted {
        /// The device.
        identity: String,
        /// The journal.
        journal: String,
    },
}
