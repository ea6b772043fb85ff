//! XFS.
//!
//! Mirrors `__xfs_file_fallocate` and the functions it calls (fs/xfs/xfs_file.c), 6.1 to 7.3;
//! `FALLOC_FL_WRITE_ZEROES` since 7.3, not in 7.2.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::source::inode::XfsGeometry;
use crate::verdict::file::answer::{Mode, Outcome, State, Step};
use crate::verdict::file::context::{Context, Gate, TRIAL};
use crate::verdict::file::zeroed_by_device;

/// What the rules ask of the inode; `None` where it could not be read.
struct Inode {
    realtime: Option<bool>,
    always_cow: Option<bool>,
    big_extents: Option<bool>,
}

impl Inode {
    fn of(context: &Context) -> Self {
        let facts = context.facts;
        let geometry = facts.geometry.get();
        let realtime = facts.realtime();
        let and_realtime = |is: Option<bool>| match (is, realtime) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        let zoned = and_realtime(geometry.map(|geometry| geometry.has(XfsGeometry::ZONED)));
        let debug =
            facts.always_cow && geometry.is_none_or(|geometry| geometry.has(XfsGeometry::REFLINK));
        Self {
            realtime,
            always_cow: if debug { Some(true) } else { zoned },
            big_extents: and_realtime(geometry.map(|geometry| geometry.rtextsize > 1)),
        }
    }
}

const UNREAD: &str = "run as root, or as a user who may read the file";

/// The answer for one mode.
pub(super) fn answer(context: &Context, mode: Mode) -> Outcome {
    let inode = Inode::of(context);
    match mode {
        Mode::WriteZeroes => write_zeroes(context, &inode),
        Mode::PunchHole => {
            let step = Step::new("xfs-punch", "XFS gives the blocks back");
            let step = step.by_rule(
                "xfs_free_file_space, fs/xfs/xfs_bmap_util.c",
                "unmaps the range",
            );
            Outcome::works(step, State::Hole, State::Hole)
        }
        Mode::ZeroRange | Mode::ZeroRangeKeepSize => zero_range(&inode),
        Mode::Allocate => allocate(&inode),
    }
}

fn cow(text: &str) -> Step {
    Step::new("xfs-always-cow", text)
        .because(Origin::Inferred("XFS_IOC_FSGEOMETRY".into()), "zoned")
}

fn unread(what: &str) -> Outcome {
    let step = Step::new(
        "xfs-inode",
        format!("whether the file {what} could not be read"),
    );
    let step = step.because(Origin::Inferred("FS_IOC_FSGETXATTR".into()), "not read");
    Outcome::unknown(step, UNREAD)
}

fn zero_range(inode: &Inode) -> Outcome {
    const RULE: &str = "xfs_falloc_zero_range, fs/xfs/xfs_file.c";
    match inode.always_cow {
        Some(true) => {
            let step = cow(
                "XFS gives the blocks back and allocates none: this file is always written to new space",
            );
            Outcome::works(
                step.by_rule(RULE, "no xfs_alloc_file_space"),
                State::Hole,
                State::Hole,
            )
        }
        Some(false) => {
            let text = "XFS gives the blocks back and allocates the range anew, unwritten";
            let step = Step::new("xfs-zero-range", text)
                .by_rule(RULE, "xfs_free_file_space, xfs_alloc_file_space");
            Outcome::works(step, State::Unwritten, State::Unwritten)
        }
        None => {
            // It succeeds either way; only what is left differs.
            let unknown = unread("is always written to new space");
            let text = "it succeeds; whether the range is unwritten or a hole after it depends on the inode";
            let step = Step::new("xfs-zero-range", text).by_rule(RULE, "0");
            let mut outcome = Outcome::works(step, State::Unwritten, State::Unwritten);
            (outcome.hole, outcome.data) = (None, None);
            outcome.steps.extend(unknown.steps);
            outcome
        }
    }
}

fn allocate(inode: &Inode) -> Outcome {
    const RULE: &str = "xfs_falloc_allocate_range, fs/xfs/xfs_file.c";
    match inode.always_cow {
        Some(true) => {
            let step =
                cow("no space can be set aside for a file that is always written to new space");
            Outcome::fails(step.by_rule(RULE, "EOPNOTSUPP"), Errno::OPNOTSUPP)
        }
        Some(false) => {
            let text = "XFS allocates what is not there, unwritten, and leaves data as it is";
            Outcome::works(
                Step::new("xfs-allocate", text).by_rule(RULE, "xfs_alloc_file_space"),
                State::Unwritten,
                State::Written,
            )
        }
        None => unread("is always written to new space"),
    }
}

fn write_zeroes(context: &Context, inode: &Inode) -> Outcome {
    const RULE: &str = "xfs_falloc_write_zeroes, fs/xfs/xfs_file.c (since 7.3)";
    let (origin, release) = context.release();
    let no = |step: Step| Outcome::fails(step.by_rule(RULE, "EOPNOTSUPP"), Errno::OPNOTSUPP);
    if context.since(7, 3) == Some(false) {
        let text = "XFS has no code for FALLOC_FL_WRITE_ZEROES before 7.3";
        return Outcome::fails(
            Step::new("xfs-write-zeroes", text).because(origin, release),
            Errno::OPNOTSUPP,
        );
    }
    if inode.always_cow == Some(true) {
        return no(cow(
            "no zeroes can be written in place to a file that is always written to new space",
        ));
    }
    if inode.big_extents == Some(true) {
        let blocks = context
            .facts
            .geometry
            .get()
            .map_or(0, |geometry| geometry.rtextsize);
        let step = Step::new(
            "xfs-realtime-extents",
            format!("a realtime file, and a realtime extent is {blocks} blocks"),
        );
        return no(step.because(
            Origin::Inferred("XFS_IOC_FSGEOMETRY, rtextsize".into()),
            blocks.to_string(),
        ));
    }
    if inode.realtime.is_none() && !context.facts.geometry.is_absent() && context.devices.len() != 1
    {
        return unread("lies on the realtime device");
    }
    let gate = match context.gate() {
        Gate::Shut(step) => return no(step),
        Gate::Unknown(step, to_know) => return Outcome::unknown(step, to_know),
        Gate::Open(step) => step,
    };
    if context.since(7, 3) != Some(true) {
        let text = "XFS writes zeroes since 7.3, and a vendor may have carried that back";
        return Outcome::unknown(
            Step::new("xfs-write-zeroes", text).because(origin, release),
            TRIAL,
        );
    }
    match (inode.realtime, inode.always_cow, inode.big_extents) {
        (None, ..) => unread("lies on the realtime device"),
        (_, None, _) | (_, _, None) => unread("is always written to new space"),
        _ => zeroed_by_device(context, gate, "xfs-write-zeroes", RULE).and(larger()),
    }
}

fn larger() -> Step {
    Step::new(
        "xfs-size-first",
        "XFS extends the size before it allocates: a failure may leave a larger file with holes",
    )
}
