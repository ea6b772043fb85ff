//! The one door to writing. [`arm`] claims the target exclusively, looks at everything that could be harmed, and, where
//! bytes are to be preserved, has them in a durable journal before it gives an [`ArmedPlan`] away. Its constructor is
//! private: a write that was not armed cannot be expressed.

use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};

use super::carries;
use super::claim::{claim, fresh_number, scratch_file};
use super::journal::{self, Kept};
use super::known_bad::Bad;
use super::plan::{Mode, Plan};
use super::refusal::Refusal;
use super::span::Span;
use super::target::{Device, Target};
use super::uses::Use;
use crate::facts::collect::Collector;

/// A plan that may be carried out: the target is claimed, and nothing else will be written.
#[derive(Debug)]
pub struct ArmedPlan {
    plan: Plan,
    fd: OwnedFd,
    device: Option<Device>,
    direct: bool,
    journal: Option<Kept>,
    run: u32,
    notes: Vec<String>,
}

/// A part of an armed plan's span: what a single write may touch.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    armed: &'a ArmedPlan,
    span: Span,
}

impl<'a> Piece<'a> {
    /// Its bytes.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The claimed descriptor.
    pub fn fd(&self) -> BorrowedFd<'a> {
        self.armed.fd.as_fd()
    }

    /// A part of it; `None` for anything that reaches beyond.
    pub fn part(&self, span: Span) -> Option<Self> {
        self.span.holds(&span).then_some(Self {
            armed: self.armed,
            span,
        })
    }
}

impl ArmedPlan {
    /// A part of the span; `None` for anything that reaches beyond.
    pub fn piece(&self, span: Span) -> Option<Piece<'_>> {
        self.plan
            .span
            .holds(&span)
            .then_some(Piece { armed: self, span })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The claimed descriptor, to read from.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// The device; `None` for a scratch file.
    pub fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }

    /// Whether reads and writes go past the page cache.
    pub fn direct(&self) -> bool {
        self.direct
    }

    /// Where the former bytes are.
    pub fn journal(&self) -> Option<&Kept> {
        self.journal.as_ref()
    }

    /// A number that tells this run's patterns from others'.
    pub fn run(&self) -> u32 {
        self.run
    }

    /// What could not be made sure of.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// What the user agreed to.
#[derive(Debug, Clone, Copy)]
pub struct Consent<'a> {
    /// The identity that was typed or given; names the one device that may be overwritten.
    pub identity: Option<&'a str>,
    /// Where the journal goes.
    pub journal: Option<&'a Path>,
}

/// Everything that can be refused without opening the target.
pub fn refuse(target: &Target) -> Result<(), Refusal> {
    let device = match target {
        Target::Device(device) => device,
        // A filesystem passes requests for zeroes on.
        Target::Scratch(dir) => {
            return match (dir.bad, &dir.kname) {
                (Some(bad), Some(kname)) => Err(known_bad(kname, bad)),
                _ => Ok(()),
            };
        }
    };
    let kname = device.kname.clone();
    if device.read_only {
        return Err(Refusal::ReadOnly { kname });
    }
    if device.zoned {
        return Err(Refusal::Zoned { kname });
    }
    if let Some(used) = device.uses.iter().min_by_key(|used| used.rank()) {
        return Err(in_use(&kname, used));
    }
    if let Some(bad) = device.bad {
        return Err(known_bad(&kname, bad));
    }
    Ok(())
}

fn known_bad(kname: &str, bad: &Bad) -> Refusal {
    Refusal::KnownBad {
        kname: kname.to_owned(),
        why: bad.why,
        from: bad.from,
    }
}

fn in_use(kname: &str, used: &Use) -> Refusal {
    // What is used is the device itself, or something that stands on it.
    let at_end = |used: &str, through: &[String]| match through {
        [] => used.to_owned(),
        [only] if only == used => used.to_owned(),
        through => format!(
            "{used}, which stands on it through {},",
            through.join(" and ")
        ),
    };
    let how = match used {
        Use::Mounted { kname, at, through } => {
            let what = at_end(kname, through);
            format!(
                "{what} is mounted on {at}; unmount it, or probe the directory {at} with a scratch file"
            )
        }
        Use::Swap { kname, through } => {
            let what = at_end(kname, through);
            format!("{what} is swap space (swapoff {kname})")
        }
        Use::Held { kname, holder } => {
            format!("{kname} is held by {holder}; probe that, or take it apart")
        }
        Use::Leg { map } => {
            return Refusal::Leg {
                kname: kname.to_owned(),
                map: map.clone(),
            };
        }
        Use::Loop { kname, loop_ } => {
            format!("{loop_} reads and writes {kname} (losetup -d {loop_})")
        }
        Use::Below { what, used } => match in_use(kname, used) {
            Refusal::InUse { how, .. } => format!("{what}, and {how}"),
            other => return other,
        },
        Use::Unknown { what } => {
            return Refusal::Unknown {
                kname: kname.to_owned(),
                what: "who uses it",
                why: what.clone(),
            };
        }
    };
    Refusal::InUse {
        kname: kname.to_owned(),
        how,
    }
}

/// Claims the target, and gives it away to be written to within the plan.
pub fn arm(
    collector: &Collector,
    plan: Plan,
    target: &Target,
    consent: Consent<'_>,
) -> Result<ArmedPlan, Refusal> {
    refuse(target)?;
    let run = fresh_number();
    match target {
        Target::Scratch(dir) => {
            let (fd, direct) = scratch_file(dir)?;
            let mut notes = Vec::new();
            if !direct {
                notes.push(
                    "this filesystem has no direct I/O: what is read back may come from memory"
                        .to_owned(),
                );
            }
            Ok(ArmedPlan {
                plan,
                fd,
                device: None,
                direct,
                journal: None,
                run,
                notes,
            })
        }
        Target::Device(device) => {
            journal::unfinished(device)?;
            // Who names a device means no other, whatever becomes of its bytes.
            if plan.mode != Mode::Preserve || consent.identity.is_some() {
                agreed(device, consent)?;
            }
            let (fd, mut notes) = claim(collector, device)?;
            carries::check(plan.mode, device, fd.as_fd(), consent.identity.is_some())?;
            let journal = match plan.mode {
                Mode::Preserve => {
                    let place = consent
                        .journal
                        .ok_or_else(|| Refusal::Journal("no place for it was named".to_owned()))?;
                    let own = journal::default_path(&device.identity);
                    Some(journal::keep(&plan, device, fd.as_fd(), run, place, &own)?)
                }
                Mode::Scratch | Mode::Destroy => None,
            };
            let note = journal.as_ref().and_then(Kept::note);
            notes.extend(note.map(str::to_owned));
            let device = Some(device.as_ref().clone());
            Ok(ArmedPlan {
                plan,
                fd,
                device,
                direct: true,
                journal,
                run,
                notes,
            })
        }
    }
}

/// Claims the device of a journal, so that its bytes can be put back. What it carries by now does not matter: the
/// journal's bytes belong there.
pub fn arm_recovery(
    collector: &Collector,
    plan: Plan,
    device: &Device,
    kept: Kept,
) -> Result<ArmedPlan, Refusal> {
    let (fd, notes) = claim(collector, device)?;
    let run = kept.header().run;
    Ok(ArmedPlan {
        plan,
        fd,
        device: Some(device.clone()),
        direct: true,
        journal: Some(kept),
        run,
        notes,
    })
}

fn agreed(device: &Device, consent: Consent<'_>) -> Result<(), Refusal> {
    let identity = device.identity.clone();
    match consent.identity {
        Some(given) if given == identity => Ok(()),
        Some(given) => Err(Refusal::OtherIdentity {
            given: given.to_owned(),
            identity,
        }),
        None => Err(Refusal::Unconfirmed { identity }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::fixtures::disk;
    use super::*;

    fn refused(change: impl Fn(&mut Device)) -> Option<Refusal> {
        let mut device = disk(1 << 30);
        change(&mut device);
        refuse(&Target::Device(Box::new(device))).err()
    }

    #[test]
    fn each_use_is_refused_and_named() {
        assert_eq!(refused(|_| ()), None);
        assert!(matches!(
            refused(|d| d.read_only = true),
            Some(Refusal::ReadOnly { .. })
        ));
        assert!(matches!(
            refused(|d| d.zoned = true),
            Some(Refusal::Zoned { .. })
        ));
        let leg = Use::Leg {
            map: "mpatha".to_owned(),
        };
        let held = Use::Held {
            kname: "sdz".to_owned(),
            holder: "dm-0 (x)".to_owned(),
        };
        let both = refused(|d| d.uses = vec![held.clone(), leg.clone()]).expect("refused");
        assert!(both.to_string().contains("/dev/mapper/mpatha"), "{both}");
        let alone = refused(|d| d.uses = vec![held.clone()]).expect("refused");
        assert!(alone.to_string().contains("dm-0 (x)"), "{alone}");
        let mounted = Use::Mounted {
            kname: "dm-1".to_owned(),
            at: "/mnt/x".to_owned(),
            through: vec!["dm-0 (x)".to_owned(), "dm-1 (y)".to_owned()],
        };
        let above = refused(|d| d.uses = vec![held.clone(), mounted.clone()]).expect("refused");
        assert_eq!(
            above.to_string(),
            "sdz is in use: dm-1, which stands on it through dm-0 (x) and dm-1 (y), is mounted on /mnt/x; \
             unmount it, or probe the directory /mnt/x with a scratch file"
        );
        let bad = refused(|d| d.bad = super::super::known_bad::LIST.first()).expect("refused");
        assert!(matches!(bad, Refusal::KnownBad { .. }));
        let dir = super::super::target::ScratchDir {
            path: "/mnt".into(),
            kname: Some("sdz1".to_owned()),
            free_bytes: 1 << 30,
            block: 4096,
            bad: super::super::known_bad::LIST.first(),
        };
        let bad = refuse(&Target::Scratch(Box::new(dir))).expect_err("a file on it");
        assert!(
            bad.to_string()
                .starts_with("sdz1 is a device known to hang"),
            "{bad}"
        );
        let below = Use::Below {
            what: "sdz stands on sdy".to_owned(),
            used: Box::new(held),
        };
        let shared = refused(|d| d.uses = vec![below.clone()]).expect("refused");
        assert!(
            shared
                .to_string()
                .contains("sdz stands on sdy, and sdz is held by"),
            "{shared}"
        );
    }

    #[test]
    fn consent_names_one_device() {
        let device = disk(1 << 30);
        let say = |identity| {
            agreed(
                &device,
                Consent {
                    identity,
                    journal: None,
                },
            )
        };
        assert_eq!(say(Some("sdz.diskseq-9")), Ok(()));
        assert!(matches!(
            say(Some("sdz.diskseq-8")),
            Err(Refusal::OtherIdentity { .. })
        ));
        assert!(matches!(say(None), Err(Refusal::Unconfirmed { .. })));
    }
}
