//! zinspect.
fn main() {}
