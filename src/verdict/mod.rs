//! Pure rules: from facts to what a device does with a zeroes request, and why.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::facts::kernel::Kernel;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::model::topology::Topology;

pub mod conflict;
pub mod dlfeat;
pub mod file;
pub mod judgement;
pub mod leaf;
pub mod prediction;
pub mod quirks;
pub mod reason;
pub mod stacking;

use prediction::Prediction;

/// Applies the rules to one host's devices; each device is worked out once.
pub struct Judge<'t> {
    /// The devices.
    pub topology: &'t Topology,
    /// The kernel whose rules apply.
    pub kernel: &'t Kernel,
    known: RefCell<HashMap<KName, Option<Rc<Prediction>>>>,
    depth: Cell<usize>,
}

/// Real stacks are less than ten devices deep; a made-up sysfs must not run this program's own stack over.
const DEEPEST: usize = 64;

impl<'t> Judge<'t> {
    /// A judge of these devices.
    pub fn new(topology: &'t Topology, kernel: &'t Kernel) -> Self {
        Self {
            topology,
            kernel,
            known: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// What the kernel's numbers of a device must be. A device that is not among the read ones, or that stands on
    /// itself, has no prediction.
    pub fn predict(&self, kname: &KName) -> Rc<Prediction> {
        if let Some(known) = self.known.borrow().get(kname) {
            return known.clone().unwrap_or_else(|| {
                let why = format!("{kname} stands on itself: a cycle in sysfs");
                Rc::new(Prediction::unknown(why, None, Vec::new()))
            });
        }
        let depth = self.depth.get();
        if depth == DEEPEST {
            let why = format!("more than {DEEPEST} devices stand on {kname}");
            return Rc::new(Prediction::unknown(why, None, Vec::new()));
        }
        self.depth.set(depth + 1);
        self.known.borrow_mut().insert(kname.clone(), None);
        let prediction = Rc::new(match self.topology.get(kname) {
            Some(device) => self.work_out(device),
            None => Prediction::unknown(format!("{kname} could not be read"), None, Vec::new()),
        });
        self.known
            .borrow_mut()
            .insert(kname.clone(), Some(prediction.clone()));
        self.depth.set(depth);
        prediction
    }

    /// A device and everything that it stands on, each once, the nearest first.
    pub fn stack_of(&self, device: &'t BlockDevice) -> Vec<&'t BlockDevice> {
        let mut stack = vec![device];
        let mut at = 0;
        while let Some(device) = stack.get(at).copied() {
            for below in self
                .topology
                .below(device)
                .filter_map(|kname| self.topology.get(kname))
            {
                if stack.iter().all(|known| known.kname != below.kname) {
                    stack.push(below);
                }
            }
            at += 1;
        }
        stack
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
