//! Pure rules: from facts to what a device does with a zeroes request, and why.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::facts::kernel::Kernel;
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::model::topology::Topology;

pub mod conflict;
pub mod dlfeat;
pub mod file;
pub mod judgement;
pub mod leaf;
pub mod lint;
pub mod prediction;
pub mod quirks;
pub mod reason;
pub mod stacking;
pub mod user_limit;

use prediction::Prediction;
use reason::Conflict;

/// Applies the rules to one host's devices; each device is worked out once.
pub struct Judge<'t> {
    /// The devices.
    pub topology: &'t Topology,
    /// The kernel whose rules apply.
    pub kernel: &'t Kernel,
    known: RefCell<HashMap<KName, Option<Rc<Prediction>>>>,
    conflicts: RefCell<HashMap<KName, Rc<[Conflict]>>>,
}

impl<'t> Judge<'t> {
    /// A judge of these devices.
    pub fn new(topology: &'t Topology, kernel: &'t Kernel) -> Self {
        Self {
            topology,
            kernel,
            known: RefCell::default(),
            conflicts: RefCell::default(),
        }
    }

    /// What the kernel's numbers of a device must be. A device that is not among the read ones, or that stands on
    /// itself, has no prediction.
    ///
    /// Works from the bottom of the stack up without recursion: a made-up sysfs may be as deep as it likes.
    pub fn predict(&self, kname: &KName) -> Rc<Prediction> {
        let mut todo = vec![(kname.clone(), false)];
        while let Some((kname, ready)) = todo.pop() {
            if ready {
                let prediction = match self.topology.get(&kname) {
                    Some(device) => self.work_out(device),
                    None => {
                        Prediction::unknown(format!("{kname} could not be read"), None, Vec::new())
                    }
                };
                self.known
                    .borrow_mut()
                    .insert(kname, Some(Rc::new(prediction)));
            } else if !self.known.borrow().contains_key(&kname) {
                self.known.borrow_mut().insert(kname.clone(), None);
                let below = self
                    .topology
                    .get(&kname)
                    .map(|device| self.topology.below(device));
                let below: Vec<KName> = below.into_iter().flatten().cloned().collect();
                todo.push((kname, true));
                todo.extend(below.into_iter().map(|below| (below, false)));
            }
        }
        self.known
            .borrow()
            .get(kname)
            .cloned()
            .flatten()
            .unwrap_or_else(|| {
                let why = format!("{kname} stands on itself: a cycle in sysfs");
                Rc::new(Prediction::unknown(why, None, Vec::new()))
            })
    }

    /// What does not fit together at a device itself; each device is looked at once, however many stand on it.
    pub fn own_conflicts(&self, device: &BlockDevice) -> Rc<[Conflict]> {
        if let Some(found) = self.conflicts.borrow().get(&device.kname) {
            return Rc::clone(found);
        }
        let found: Rc<[Conflict]> = conflict::of_its_own(self, device).into();
        let mut known = self.conflicts.borrow_mut();
        known.insert(device.kname.clone(), Rc::clone(&found));
        found
    }

    /// A device and everything that it stands on, each once, the nearest first.
    pub fn stack_of(&self, device: &'t BlockDevice) -> Vec<&'t BlockDevice> {
        let mut seen = HashSet::from([&device.kname]);
        let mut stack = vec![device];
        let mut at = 0;
        while let Some(device) = stack.get(at).copied() {
            let below = self
                .topology
                .below(device)
                .filter_map(|kname| self.topology.get(kname));
            stack.extend(below.filter(|below| seen.insert(&below.kname)));
            at += 1;
        }
        stack
    }

    /// Whether this kernel has the two unmap limits (6.17): by the files of any device that was read, for a vendor may
    /// have carried them back, and by its number where there is none.
    pub fn has_unmap_limits(&self) -> bool {
        let hw = |device: &BlockDevice| {
            let read = device.queue.number(Attr::WriteZeroesMaxBytes).is_present();
            match device.queue.reading(Attr::WriteZeroesUnmapMaxHwBytes) {
                Reading::Present(_) => Some(true),
                Reading::Absent if read => Some(false),
                _ => None,
            }
        };
        self.topology
            .iter()
            .find_map(hw)
            .unwrap_or_else(|| self.kernel.at_least(6, 17) != Some(false))
    }

    fn work_out(&self, device: &BlockDevice) -> Prediction {
        match device.kind {
            Kind::Partition | Kind::Dm | Kind::Md | Kind::NvmeHead => {
                stacking::predict(self, device)
            }
            _ => leaf::predict(self, device),
        }
    }
}
