//! Facts: what was read, decoded, each with the place it comes from.

pub mod collect;
pub mod dm;
pub mod file;
pub mod identity;
pub mod kernel;
pub mod loop_;
pub mod md;
pub mod mount;
pub mod needs;
pub mod nodes;
pub mod nvme;
pub mod origin;
pub mod queue;
pub mod reading;
pub mod scsi;
pub mod target;
pub mod timed;
pub mod udev;
pub mod virtio;
pub mod walk;
pub mod whatif;
