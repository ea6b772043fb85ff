//! The devices that one stands on, with what each hands up.

use std::rc::Rc;

use crate::facts::origin::Origin;
use crate::model::ids::KName;
use crate::model::units::{UNLIMITED, in_words};
use crate::verdict::Judge;
use crate::verdict::prediction::{Passed, Prediction};
use crate::verdict::reason::Reason;

/// One device below.
#[derive(Clone)]
pub(in crate::verdict) struct Leg {
    pub(super) kname: KName,
    pub(super) prediction: Rc<Prediction>,
    /// What its own files alone tell of it, where that is what it hands up.
    state: Option<Reason>,
}

impl Leg {
    /// A device with what it hands up.
    pub(in crate::verdict) fn of(judge: &Judge, kname: &KName) -> Self {
        let prediction = judge.predict(kname);
        let state = state(kname, &prediction);
        Self {
            kname: kname.clone(),
            prediction,
            state,
        }
    }

    /// What it hands up.
    pub(in crate::verdict) fn passed(&self) -> Option<Passed> {
        self.prediction.passed
    }

    /// The chain of reasons for what it hands up.
    fn reasons(&self) -> impl Iterator<Item = &Reason> {
        self.state.iter().chain(&self.prediction.reasons)
    }

    /// The reason that lies at the bottom of the chain: behind all rules that only hand on.
    pub(super) fn decisive(&self) -> Option<&Reason> {
        self.reasons()
            .find(|reason| !PASSES_ON.contains(&reason.rule))
    }
}

/// A leaf hands up less than its rule gives where a command failed or a user wrote a limit. A partition hands up what
/// its disk does, where the same was said already.
fn state(kname: &KName, prediction: &Prediction) -> Option<Reason> {
    let (limits, passed) = (prediction.limits.as_ref().ok()?, prediction.passed?);
    if prediction
        .reasons
        .first()
        .is_some_and(|reason| PASSES_ON.contains(&reason.rule))
    {
        return None;
    }
    if passed.wz == 0 && limits.write_zeroes_max_bytes > 0 {
        let text = "its zeroes command is switched off: wz is 0 although its facts give more";
        let reason = Reason::new("runtime-disabled", kname, text);
        return Some(reason.by_rule(
            "blk_queue_disable_write_zeroes (include/linux/blkdev.h)",
            "wz = 0",
        ));
    }
    if passed.user < limits.write_zeroes_unmap_max_bytes {
        let text = format!("the user's limit is {}", in_words(passed.user));
        let reason = Reason::new("user-limit", kname, text);
        return Some(reason.by_rule(
            "blk_stack_limits (block/blk-settings.c, since 6.17)",
            "un = min(hw, user)",
        ));
    }
    None
}

/// Rules that hand on what a device below decides; the reason behind the last of them is the decisive one.
pub const PASSES_ON: &[&str] = &[
    "dm-min",
    "loop-block",
    "md-linear-min",
    "md-raid0-min",
    "nvme-head-min",
    "partition-queue",
];

/// What each device hands up, each device once.
pub(super) fn legs<'n>(judge: &Judge, names: impl IntoIterator<Item = &'n KName>) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    for kname in names {
        if legs.iter().all(|leg| leg.kname != *kname) {
            legs.push(Leg::of(judge, kname));
        }
    }
    legs
}

/// The first device without a zeroes command: whatever the others have, the result has none.
pub(super) fn without_command(legs: &[Leg]) -> Option<&Leg> {
    legs.iter()
        .find(|leg| leg.passed().is_some_and(|passed| passed.wz == 0))
}

/// The first device that is not worked out.
pub(super) fn not_known(legs: &[Leg]) -> Option<&Leg> {
    legs.iter().find(|leg| leg.passed().is_none())
}

/// The smallest of each limit; a device that is not worked out is passed over.
pub(super) fn minimum(start: Passed, legs: &[Leg]) -> Passed {
    legs.iter().filter_map(Leg::passed).fold(start, Passed::min)
}

/// The device that makes the result what it is: by having no command, no unmap limit, a user's limit, or else the
/// smallest command.
pub(super) fn deciding(legs: &[Leg], result: Passed) -> Option<&Leg> {
    let at = |wanted: fn(&Passed) -> u64, value: u64| {
        legs.iter()
            .find(|leg| leg.passed().is_some_and(|p| wanted(&p) == value))
    };
    match result {
        Passed { wz: 0, .. } => at(|passed| passed.wz, 0),
        Passed { hw: 0, .. } => at(|passed| passed.hw, 0),
        Passed { user, hw, .. } if user < hw => at(|passed| passed.user, user),
        Passed { wz, .. } => at(|passed| passed.wz, wz),
    }
}

/// What becomes of a minimum, as one clause: whose limits they are, or what the device and layer below says that
/// takes the command or its unmap away.
pub(in crate::verdict) fn clause(legs: &[Leg], result: Passed, decides: &Leg) -> String {
    let effect = match result {
        Passed { wz: 0, .. } => "no zeroes command",
        Passed { hw: 0, .. } => "no unmap limit",
        Passed { user: 0, .. } => {
            let at = decides.decisive().map_or(&decides.kname, |cause| &cause.at);
            return format!("the user's limit of {at} below is 0, and stacking takes it over");
        }
        _ => {
            return match legs {
                [_] => format!("takes over the limits of {}", decides.kname),
                several => {
                    let count = several.len();
                    format!(
                        "takes the smallest limits of {count} devices, those of {}",
                        decides.kname
                    )
                }
            };
        }
    };
    match decides.decisive() {
        Some(cause) => format!("{effect}, since {} below decides: {}", cause.at, cause.text),
        None => format!("{effect}, since {} below has none", decides.kname),
    }
}

/// What a device hands up, as a value that a reason rests on.
pub(super) fn values(passed: Passed) -> String {
    let user = match passed.user {
        UNLIMITED => String::new(),
        user => format!(", user's limit {user}"),
    };
    format!("wz {}, hw {}{user}", passed.wz, passed.hw)
}

/// A reason with what the devices below hand up as its evidence.
pub(super) fn resting_on(reason: Reason, legs: &[Leg]) -> Reason {
    const SHOWN: usize = 8;
    let mut reason = reason;
    for leg in legs.iter().take(SHOWN) {
        let value = leg.passed().map_or_else(|| "not known".to_owned(), values);
        reason = reason.because(
            Origin::Inferred(format!("what {} hands up", leg.kname)),
            value,
        );
    }
    if legs.len() > SHOWN {
        let rest = format!("{} devices more", legs.len() - SHOWN);
        reason = reason.because(
            Origin::Inferred(rest),
            "none of them smaller, or shown below",
        );
    }
    reason
}

/// Real stacks are less than ten devices deep; of a made-up one the top and the bottom are told.
const LONGEST_CHAIN: usize = 64;

/// A device's own reason, then the whole chain of the device below that decides.
pub(in crate::verdict) fn chain(own: Reason, decides: Option<&Leg>) -> Vec<Reason> {
    let below: Vec<&Reason> = decides.into_iter().flat_map(Leg::reasons).collect();
    let over = (below.len() + 1).saturating_sub(LONGEST_CHAIN);
    std::iter::once(own)
        .chain(below.into_iter().skip(over).cloned())
        .collect()
}

/// There is no prediction, because there is none of a device below.
pub(in crate::verdict) fn unknown_below(own: Reason, leg: &Leg) -> Prediction {
    let (why, to_know) = match &leg.prediction.limits {
        Err(unpredicted) => (unpredicted.why.clone(), unpredicted.to_know.as_deref()),
        Ok(_) => ("it hands up nothing that is known".to_owned(), None),
    };
    // The name stands before the sentence once, however many layers hand it up.
    let named = leg
        .prediction
        .reasons
        .first()
        .is_some_and(|reason| PASSES_ON.contains(&reason.rule));
    let why = if named {
        why
    } else {
        format!("{} below is not known: {why}", leg.kname)
    };
    Prediction::unknown(why, to_know, chain(own, Some(leg)))
}
