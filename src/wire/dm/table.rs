//! Table lines, as `dmsetup table` prints them: what a target maps, and how.

use std::fmt;
use std::str::FromStr;

use super::args::{Args, number};
pub use super::mask::mask;
use super::mask::mask_words;
use super::targets;

/// One line of a table. Keys are hidden from the moment it is parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// First sector of the dm device, in 512-byte sectors.
    pub start: u64,
    /// Length in 512-byte sectors.
    pub length: u64,
    /// Target type: "linear", "crypt".
    pub name: String,
    /// The devices it maps, in the order of the line. None for a type that is not known here.
    pub devices: Vec<DeviceRef>,
    /// Feature words: "allow_discards", "queue_if_no_path", "ignore_discard".
    pub options: Vec<String>,
    /// What is special to the type.
    pub details: Details,
    /// Every word behind the target type, keys hidden.
    pub args: Vec<String>,
}

/// A device that a target maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceRef {
    /// Which one.
    pub device: DeviceId,
    /// What it is to the target.
    pub role: Role,
    /// Where the target begins on it, in 512-byte sectors, if the line says.
    pub offset: Option<u64>,
}

/// How a table line names a device: the kernel by number, people by path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceId {
    /// Major and minor number.
    Number(u32, u32),
    /// A path under /dev.
    Path(String),
}

impl fmt::Display for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(major, minor) => write!(f, "{major}:{minor}"),
            Self::Path(path) => f.write_str(path),
        }
    }
}

impl DeviceId {
    /// The device that a word names.
    pub fn parse(word: &str) -> Option<Self> {
        if word.starts_with('/') {
            return Some(Self::Path(word.to_owned()));
        }
        let (major, minor) = word.split_once(':')?;
        Some(Self::Number(number(major)?, number(minor)?))
    }
}

/// What a device is to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Holds the data.
    Data,
    /// One of several ways to the same data.
    Path,
    /// Holds the target's own records.
    Metadata,
    /// Data of a thin-provisioning pool, reached through the pool's device.
    Pool,
    /// What a snapshot, thin device or cache stands before.
    Origin,
    /// Copy-on-write store of a snapshot.
    Cow,
    /// The fast device of a cache.
    Cache,
    /// Hash tree of verity.
    Hash,
    /// Error-correcting data of verity.
    Fec,
    /// Log of a mirror, log-writes, or the journal of raid.
    Log,
    /// Where clone copies from.
    Source,
}

/// What is special to a target type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Details {
    /// Nothing beyond devices and options, or an unknown type.
    Plain,
    /// `striped`.
    Striped {
        /// How many stripes.
        stripes: u64,
        /// Sectors that go to one stripe before the next has its turn.
        chunk_sectors: u64,
    },
    /// `unstriped`.
    Unstriped {
        /// How many stripes the device underneath has.
        stripes: u64,
        /// Sectors of one chunk.
        chunk_sectors: u64,
        /// The stripe that is shown.
        stripe: u64,
    },
    /// `multipath`. The options are its features.
    Multipath {
        /// Hardware handler and its arguments.
        handler: Vec<String>,
        /// Groups of paths, best first.
        groups: Vec<PathGroup>,
    },
    /// `crypt`, `inlinecrypt`, `default-key`.
    Crypt {
        /// Cipher specification.
        cipher: String,
        /// Added to the sector number for the IV.
        iv_offset: u64,
    },
    /// `thin`.
    Thin {
        /// Number of the thin device in its pool.
        device_id: u64,
    },
    /// `thin-pool`.
    ThinPool {
        /// Sectors of one data block.
        block_sectors: u64,
        /// Free blocks below which an event is raised.
        low_water_blocks: u64,
    },
    /// `snapshot`, `snapshot-merge`.
    Snapshot {
        /// "P", "PO" or "N".
        persistence: String,
        /// Sectors of one chunk.
        chunk_sectors: u64,
    },
    /// `cache`.
    Cache {
        /// Sectors of one cache block.
        block_sectors: u64,
        /// The policy.
        policy: String,
    },
    /// `writecache`.
    Writecache {
        /// "p" for persistent memory, "s" for an SSD.
        kind: String,
        /// Bytes of one block.
        block_bytes: u64,
    },
    /// `mirror`.
    Mirror {
        /// Log type and its arguments.
        log: Vec<String>,
    },
    /// `raid`. The options are its parameters behind the chunk size.
    Raid {
        /// "raid1", "raid5_ls", "raid10".
        level: String,
        /// Sectors of one chunk; 0 for raid1.
        chunk_sectors: u64,
        /// How many members the table has, missing ones too.
        members: u64,
    },
    /// `integrity`.
    Integrity {
        /// Bytes of one tag; `None` where the hash tells ("-").
        tag_bytes: Option<u64>,
        /// "J", "B", "D", "R" or "I".
        mode: String,
    },
    /// `verity`.
    Verity {
        /// Bytes of one data block.
        data_block_bytes: u64,
        /// How many data blocks.
        data_blocks: u64,
        /// The hash.
        algorithm: String,
    },
    /// `era`.
    Era {
        /// Sectors of one block.
        block_sectors: u64,
    },
    /// `clone`.
    Clone {
        /// Sectors of one region.
        region_sectors: u64,
    },
}

/// One priority group of `multipath`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathGroup {
    /// Path selector.
    pub selector: String,
    /// Its paths.
    pub paths: Vec<DeviceId>,
}

/// What is wrong with a table line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The line ends too early.
    #[error("{target}: the {argument} is missing")]
    Missing {
        /// Target type, or "table line".
        target: String,
        /// What should be there.
        argument: String,
    },
    /// A word is not what should be there.
    #[error("{target}: the {argument} {word:?} is not {wanted}")]
    Invalid {
        /// Target type, or "table line".
        target: String,
        /// What should be there.
        argument: String,
        /// What is there.
        word: String,
        /// The form it should have.
        wanted: &'static str,
    },
    /// Words behind the last argument.
    #[error("{target}: nothing may follow the {after}, but {word:?} does")]
    Surplus {
        /// Target type.
        target: String,
        /// The last argument.
        after: String,
        /// The first word too many.
        word: String,
    },
}

impl Target {
    /// A target from its parts, as the driver reports them.
    pub fn new(start: u64, length: u64, name: &str, params: &str) -> Result<Self, TableError> {
        let words: Vec<&str> = params.split_ascii_whitespace().collect();
        Self::from_words(start, length, name, &words)
    }

    fn from_words<S: AsRef<str>>(
        start: u64,
        length: u64,
        name: &str,
        words: &[S],
    ) -> Result<Self, TableError> {
        let args = mask_words(name, words);
        let mut cursor = Args::new(name, &args);
        let parsed = targets::parse(name, &mut cursor)?;
        let (devices, options, details) = (parsed.devices, parsed.options, parsed.details);
        Ok(Self {
            start,
            length,
            name: name.to_owned(),
            devices,
            options,
            details,
            args,
        })
    }

    /// The devices of one role.
    pub fn devices_as(&self, role: Role) -> impl Iterator<Item = &DeviceRef> {
        self.devices
            .iter()
            .filter(move |device| device.role == role)
    }

    /// Whether a feature word is there.
    pub fn has_option(&self, option: &str) -> bool {
        self.options.iter().any(|word| word == option)
    }
}

impl FromStr for Target {
    type Err = TableError;

    /// Parses "0 65536 linear 8:16 0". A backslash takes the next character as it is, as in the
    /// kernel's `dm_split_args`.
    fn from_str(line: &str) -> Result<Self, TableError> {
        let words = split(line);
        let mut head = Args::new("table line", &words);
        let start = head.number("first sector")?;
        let length = head.number("length in sectors")?;
        let name = head.word("target type")?.to_owned();
        Self::from_words(start, length, &name, words.get(3..).unwrap_or_default())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.start, self.length, self.name)?;
        self.args.iter().try_for_each(|word| write!(f, " {word}"))
    }
}

fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.get_or_insert_default().extend(characters.next()),
            space if space.is_ascii_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests;
