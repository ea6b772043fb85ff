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
        Conversion "conversion" "Mark the extent as written, and make that metadata durable.";
        Allocation "allocation" "Allocate space, then as for conversion.";
        CopyOnWrite "copy-on-write" "Allocate new space at every write, whatever the state; of an extent that is shared, at the first.";
        Journal "journal" "Write the data to the journal first.";
        Memory "memory" "Nothing: it is memory.";
    }
}

words! {
    /// Where metadata goes to that an overwrite changes.
    Commit {
        Journal "journal" "The journal, or log, within the filesystem.";
        ExternalJournal "external-journal" "The journal, or log, on a device of its own.";
        LogTree "log-tree" "The log tree of btrfs.";
        NodeBlock "node-block" "The inode's node block, from which f2fs rolls forward.";
        InPlace "in-place" "The place of the metadata itself: there is no journal.";
    }
}

impl Commit {
    /// In words, after "the data, then".
    fn says(self) -> &'static str {
        match self {
            Self::Journal => "a journal commit",
            Self::ExternalJournal => "a commit to the external journal",
            Self::LogTree => "the log tree",
            Self::NodeBlock => "the inode's node block",
            Self::InPlace => "the metadata in its place (there is no journal)",
        }
    }
}

impl Overwrite {
    /// In words; `commit` is where metadata goes to, `None` where that is not known.
    pub fn says(self, commit: Option<Commit>) -> String {
        let then = commit.map_or("metadata (not known whether to a journal)", Commit::says);
        match self {
            Self::InPlace => "the data alone".into(),
            Self::Conversion => format!("the data, then {then}: the extent is marked as written"),
            Self::Allocation => format!("an allocation, the data, then {then}"),
            Self::CopyOnWrite => {
                "new space and metadata at every write (of shared extents, at the first)".into()
            }
            Self::Journal => "the data twice, through the journal".into(),
            Self::Memory => "nothing on a device".into(),
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
