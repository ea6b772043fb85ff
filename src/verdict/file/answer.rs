//! What is concluded of a file: for each mode of fallocate(2) whether it would succeed, and what it leaves.

use rustix::io::Errno;

use crate::facts::origin::Origin;
use crate::model::words::words;
use crate::verdict::reason::Evidence;

words! {
    /// A way to call fallocate(2).
    Mode {
        WriteZeroes "write-zeroes" "`FALLOC_FL_WRITE_ZEROES` (0x80, since 6.17): zeroes in written extents.";
        ZeroRange "zero-range" "`FALLOC_FL_ZERO_RANGE` (0x10).";
        ZeroRangeKeepSize "zero-range-keep-size" "`FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE` (0x11).";
        PunchHole "punch-hole" "`FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE` (0x03).";
        Allocate "allocate" "No flag (0): preallocation.";
    }
}

impl Mode {
    /// The flags.
    pub fn bits(self) -> u32 {
        match self {
            Self::WriteZeroes => 0x80,
            Self::ZeroRange => 0x10,
            Self::ZeroRangeKeepSize => 0x11,
            Self::PunchHole => 0x03,
            Self::Allocate => 0,
        }
    }
}

words! {
    /// The state of a range of a file.
    State {
        Written "written" "Allocated and written.";
        Unwritten "unwritten" "Allocated, reads as zeroes, to be converted by the first write.";
        Hole "hole" "Nothing is allocated.";
    }
}

words! {
    /// What an overwrite with O_DSYNC has to do besides writing the data.
    Overwrite {
        InPlace "in-place" "Nothing: no metadata changes.";
        Conversion "conversion" "Mark the extent as written, and commit that to the journal.";
        Allocation "allocation" "Allocate space, then as for conversion.";
        CopyOnWrite "copy-on-write" "Allocate new space at every write, whatever the state.";
        Journal "journal" "Write the data to the journal first.";
        Memory "memory" "Nothing: it is memory.";
    }
}

impl Overwrite {
    /// In words.
    pub fn says(self) -> &'static str {
        match self {
            Self::InPlace => "the data alone",
            Self::Conversion => "the data, then a journal commit that marks it written",
            Self::Allocation => "an allocation, the data, then a journal commit",
            Self::CopyOnWrite => "new space and metadata at every write",
            Self::Journal => "the data twice, through the journal",
            Self::Memory => "nothing on a device",
        }
    }
}

words! {
    /// The system call that fails.
    Call {
        Open "open" "open(2) for writing.";
        Fallocate "fallocate" "fallocate(2).";
    }
}

/// Whether a call would succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// It would.
    Works,
    /// It would fail so.
    Fails(Errno, Call),
    /// That cannot be known by looking; the text says what to do to know.
    Unknown(String),
}

/// One step towards an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The rule's id, stable over releases: `ext4-extents`.
    pub rule: &'static str,
    /// A sentence.
    pub text: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
}

impl Step {
    /// A step without evidence yet.
    pub fn new(rule: &'static str, text: impl Into<String>) -> Self {
        Self {
            rule,
            text: text.into(),
            evidence: Vec::new(),
        }
    }

    /// With one more value that it rests on.
    #[must_use]
    pub fn because(mut self, origin: Origin, value: impl Into<String>) -> Self {
        self.evidence.push(Evidence::new(origin, value));
        self
    }

    /// With the kernel's own rule.
    #[must_use]
    pub fn by_rule(mut self, rule: &'static str, value: impl Into<String>) -> Self {
        self.evidence.push(Evidence::rule(rule, value));
        self
    }
}

/// The answer for one mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it would succeed.
    pub support: Support,
    /// Whether the device would do the zeroing by a command of its own; `None` where that is not known.
    pub offloaded: Option<bool>,
    /// What a hole becomes; `None` where that is not known, or the call fails.
    pub hole: Option<State>,
    /// What data becomes.
    pub data: Option<State>,
    /// Why, the decisive step first.
    pub steps: Vec<Step>,
}

impl Outcome {
    /// It would succeed and leave these states.
    pub fn works(step: Step, hole: State, data: State) -> Self {
        Self {
            support: Support::Works,
            offloaded: Some(false),
            hole: Some(hole),
            data: Some(data),
            steps: vec![step],
        }
    }

    /// fallocate(2) would fail.
    pub fn fails(step: Step, errno: Errno) -> Self {
        Self::refused(step, errno, Call::Fallocate)
    }

    /// A call would fail.
    pub fn refused(step: Step, errno: Errno, call: Call) -> Self {
        Self {
            support: Support::Fails(errno, call),
            offloaded: Some(false),
            hole: None,
            data: None,
            steps: vec![step],
        }
    }

    /// It cannot be known by looking.
    pub fn unknown(step: Step, to_know: impl Into<String>) -> Self {
        Self {
            support: Support::Unknown(to_know.into()),
            offloaded: None,
            hole: None,
            data: None,
            steps: vec![step],
        }
    }

    /// The same with a further step.
    #[must_use]
    pub fn and(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Whether it would succeed; `None` where that is not known.
    pub fn supported(&self) -> Option<bool> {
        match self.support {
            Support::Works => Some(true),
            Support::Fails(..) => Some(false),
            Support::Unknown(_) => None,
        }
    }
}
