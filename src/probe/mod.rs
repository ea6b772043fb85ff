//! The probe: shows what a device does with a request for zeroes, without costing anyone data.
//!
//! ```text
//! target + plan (pure) ─▶ safety::arm ─▶ ArmedPlan ─▶ worker (a process of its own) ─▶ outcome
//! ```
//!
//! Only [`safety`] makes an [`safety::ArmedPlan`], and everything in [`exec`] that writes wants one, together with a
//! piece of the range that it was armed for: a write that was not armed cannot be expressed.

mod below;
pub mod carries;
mod claim;
pub mod evidence;
pub mod exec;
pub mod foresee;
pub mod gather;
mod hardware;
pub mod journal;
pub mod known_bad;
pub mod methods;
mod openers;
pub mod outcome;
pub mod pattern;
pub mod place;
pub mod plan;
pub mod printed;
mod read_ahead;
pub mod recover;
pub mod refusal;
pub mod run;
pub mod safety;
pub mod signature;
pub mod span;
pub mod store;
pub mod supervise;
pub mod sweep;
pub mod target;
pub mod uses;
pub mod verdict;
pub mod verify;
pub mod worker;
