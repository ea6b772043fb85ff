//! Where a value comes from, so that each reason can be checked by hand.

use std::fmt;

/// The place that a value was read from or the rule that it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file of sysfs or proc, with its full path.
    File(String),
    /// An answer of a device to a command, with the node that took it: `Identify Namespace (CNS 00h) byte 33`.
    Command {
        /// The device node.
        node: String,
        /// Command, structure and byte.
        what: String,
    },
    /// A VPD page as the kernel cached it or the device gave it.
    Vpd {
        /// The file or node it came by.
        via: String,
        /// Page and byte: `VPD B2h byte 5`.
        what: String,
    },
    /// A line of a device-mapper table.
    DmTable {
        /// The mapped device.
        kname: String,
        /// The line, secrets left out.
        line: String,
    },
    /// A property of the udev database.
    Udev(String),
    /// What the kernel's own source does.
    KernelRule(&'static str),
    /// Worked out from other values, named here.
    Inferred(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.write_str(path),
            Self::Command { node, what } => write!(f, "{node}: {what}"),
            Self::Vpd { via, what } => write!(f, "{via}: {what}"),
            Self::DmTable { kname, line } => write!(f, "table of {kname}: {line}"),
            Self::Udev(key) => write!(f, "udev property {key}"),
            Self::KernelRule(rule) => write!(f, "kernel: {rule}"),
            Self::Inferred(from) => write!(f, "inferred from {from}"),
        }
    }
}

/// A reading with the place it comes from.
#[derive(Debug, Clone)]
pub struct Fact<T> {
    /// What came of asking.
    pub reading: super::reading::Reading<T>,
    /// Where it was asked.
    pub origin: Origin,
}

impl<T> Fact<T> {
    /// A reading of a file, by its path below the root.
    pub fn file(path: &str, reading: super::reading::Reading<T>) -> Self {
        Self {
            reading,
            origin: Origin::File(format!("/{path}")),
        }
    }

    /// Something that was not asked for.
    pub fn not_asked(why: &'static str) -> Self {
        Self {
            reading: super::reading::Reading::NotAsked(why),
            origin: Origin::Inferred("nothing".into()),
        }
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        self.reading.value()
    }
}
