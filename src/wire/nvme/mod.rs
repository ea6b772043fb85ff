//! NVM Express: Identify data, the commands that fetch it, and completion status.

mod bits;
pub mod command;
#[cfg(test)]
mod command_tests;
mod controller;
mod namespace;
#[cfg(test)]
mod namespace_tests;
pub mod status;
#[cfg(test)]
mod tests;

/// Identify data structures and the types of their fields.
pub mod identify {
    pub use super::bits::{Cmic, Dlfeat, Nsfeat, NvmeVersion, Oncs, ReadBehavior};
    pub use super::controller::{IdentifyController, IdentifyNvmController};
    pub use super::namespace::{Granularity, IdentifyNamespace, LbaFormat};
}
