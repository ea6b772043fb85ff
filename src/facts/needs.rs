//! Which facts a command needs, so that nothing else is opened.

use crate::facts::queue::{Attr, AttrSet};

bitflags::bitflags! {
    /// Groups of facts beyond those that a verdict rests on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Sections: u16 {
        /// Holders and partitions of each device.
        const EDGES = 1;
        /// What names a device to people: removable, diskseq, model, serial, wwid.
        const IDENTITY = 1 << 1;
        /// The udev database.
        const UDEV = 1 << 2;
        /// Where devices are mounted.
        const MOUNTS = 1 << 3;
        /// Every NVMe fact.
        const NVME = 1 << 4;
        /// Every SCSI fact.
        const SCSI = 1 << 5;
        /// Status and target versions of device-mapper.
        const DM = 1 << 6;
        /// Every MD and loop fact.
        const MD = 1 << 7;
        /// Device directories of stacked devices, loop's backing file and its filesystem.
        const LOOP = 1 << 8;
    }
}

/// The facts that one run reads of each device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Queue limits.
    pub queue: AttrSet,
    /// Everything else.
    pub sections: Sections,
}

impl Needs {
    /// What a verdict rests on.
    pub const VERDICT: Self = Self {
        queue: AttrSet::NONE
            .with(Attr::WriteZeroesMaxBytes)
            .with(Attr::WriteZeroesUnmapMaxHwBytes)
            .with(Attr::WriteZeroesUnmapMaxBytes)
            .with(Attr::LogicalBlockSize),
        sections: Sections::empty(),
    };

    /// All there is.
    pub const ALL: Self = Self {
        queue: AttrSet::ALL,
        sections: Sections::all(),
    };

    /// What either needs.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            queue: self.queue.union(other.queue),
            sections: self.sections.union(other.sections),
        }
    }

    /// With one queue limit more.
    #[must_use]
    pub fn with_attr(self, attr: Attr) -> Self {
        Self {
            queue: self.queue.with(attr),
            ..self
        }
    }

    /// With a group of facts more.
    #[must_use]
    pub fn with(self, sections: Sections) -> Self {
        Self {
            sections: self.sections.union(sections),
            ..self
        }
    }

    /// Whether a group is wanted.
    pub fn wants(&self, sections: Sections) -> bool {
        self.sections.contains(sections)
    }
}
