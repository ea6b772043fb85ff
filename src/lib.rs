//! zinspect.

pub mod source;
pub mod wire;
