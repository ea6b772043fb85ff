//! What arming would refuse, as far as it can be seen without a claim. A plan that cannot be carried out says so.

use rustix::fs::Access;

use super::carries;
use super::openers::{self, Openers};
use super::plan::Plan;
use super::refusal::Refusal;
use super::target::{Device, Target};
use crate::source::errno;

/// What a run by this user would ask for now, or the first refusal that it would meet beyond those that a plan meets
/// ([`super::safety::refuse`], [`super::journal::unfinished`]).
pub fn run(plan: &Plan, target: &Target) -> Result<Option<String>, Refusal> {
    let Target::Device(device) = target else {
        return Ok(None);
    };
    writable(device)?;
    let asked = carries::foreseen(plan.mode, device)?;
    match openers::search(device) {
        Openers::Found { pid, name, what } => Err(openers::in_use(device, pid, &name, &what)),
        Openers::None | Openers::NotSearched(_) => Ok(asked),
    }
}

/// Asked of the node's permissions alone: who opens it for writing makes udev look at it anew.
fn writable(device: &Device) -> Result<(), Refusal> {
    rustix::fs::access(&device.node, Access::READ_OK | Access::WRITE_OK).map_err(|error| {
        Refusal::Open {
            node: device.node.clone(),
            why: errno::describe(error),
        }
    })
}
