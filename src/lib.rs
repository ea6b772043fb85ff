//! zinspect.
