//! What the device-mapper driver says: the replies of its ioctls, table lines and status lines.

mod args;
pub mod ioctl;
mod mask;
pub mod status;
pub mod table;
mod targets;
