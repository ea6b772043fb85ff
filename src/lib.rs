//! zinspect.

pub mod wire;
