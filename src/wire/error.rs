//! What can be wrong with the bytes of a structure.

/// Bytes that do not hold the structure that was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// Fewer bytes than the structure's smallest form.
    #[error("{what}: expected at least {need} bytes, found {have}")]
    Short {
        /// The structure, by its name in the standard.
        what: &'static str,
        /// The least that is needed.
        need: usize,
        /// What was given.
        have: usize,
    },
    /// Every byte is 0xFF: no device answered.
    #[error("{what}: expected data, found every byte 0xff (the device does not answer)")]
    AllOnes {
        /// The structure, by its name in the standard.
        what: &'static str,
    },
    /// Every byte is zero, where the standard has mandatory fields.
    #[error("{what}: expected data, found every byte zero")]
    AllZeroes {
        /// The structure, by its name in the standard.
        what: &'static str,
    },
    /// NSZE is 0: the answer for a namespace that is not active (NVM Express Base 2.1, 5.1.13.1).
    #[error("Identify Namespace: expected an active namespace, found NSZE 0 (inactive namespace)")]
    InactiveNamespace,
    /// A field holds a value that the standard does not allow.
    #[error("{what}: {field} is {found:#x}, expected {expected}")]
    Malformed {
        /// The structure, by its name in the standard.
        what: &'static str,
        /// The field, by its name in the standard.
        field: &'static str,
        /// Its value.
        found: u64,
        /// What the standard allows.
        expected: &'static str,
    },
}
