//! I/O: everything that is read from a host comes through here.

pub mod command;
pub mod errno;
pub mod ioctl;
pub mod scripted;
pub mod transcript;
