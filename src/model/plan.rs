//! Stacks that do not exist yet, as a command line describes them: names, what each stands on, and no loop.

use std::collections::BTreeMap;

use crate::model::ids::KName;
use crate::model::units::SECTOR;
use crate::wire::dm::table::{DeviceId, Target};

/// Why a description is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A table line that is none.
    #[error("--dm {line:?}: {why}; wanted [NAME=]START LENGTH TARGET ARGUMENT…, in sectors")]
    Line {
        /// As it was given.
        line: String,
        /// What is wrong.
        why: String,
    },
    /// An array that is none.
    #[error("--md {text:?}: {why}; wanted [NAME=]LEVEL[,chunk=SIZE],DEVICE,…")]
    Array {
        /// As it was given.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// A head that is none.
    #[error("--nvme-paths {text:?}: {why}; wanted [NAME=]PATH,PATH,…")]
    Head {
        /// As it was given.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// Two of a name.
    #[error("{0}: described twice; name each device, as in --dm 'top=0 8192 linear /dev/sda 0'")]
    Twice(KName),
    /// It would stand on itself.
    #[error("{}: would stand on itself; no kernel loads that", .0.join(" on "))]
    Loop(Vec<String>),
    /// Nothing was described.
    #[error(
        "nothing to build; describe it by --dm, --md or --nvme-paths, see zinspect whatif --help"
    )]
    Empty,
}

/// What a device is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Build {
    /// A mapped device with its table.
    Dm(Vec<Target>),
    /// An array.
    Md {
        /// `raid0`, `raid1`, …
        level: String,
        /// Bytes of a chunk; 0 where the level has none.
        chunk_bytes: u64,
        /// Its members, as they were given.
        members: Vec<String>,
    },
    /// A multipath head over these namespaces.
    NvmeHead(Vec<String>),
}

impl Build {
    /// The devices that it stands on, as they were given, each once.
    pub fn words(&self) -> Vec<String> {
        let all: Vec<String> = match self {
            Self::Dm(table) => table
                .iter()
                .flat_map(|target| &target.devices)
                .map(|part| part.device.to_string())
                .collect(),
            Self::Md { members, .. } => members.clone(),
            Self::NvmeHead(paths) => paths.clone(),
        };
        let mut once: Vec<String> = Vec::new();
        for word in all {
            if !once.contains(&word) {
                once.push(word);
            }
        }
        once
    }
}

/// Devices to build, each after all that it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Name and what it is to be.
    pub devices: Vec<(KName, Build)>,
}

impl Plan {
    /// Reads table lines, arrays and heads. Lines of one name are one table.
    pub fn parse(dm: &[String], md: &[String], heads: &[String]) -> Result<Self, PlanError> {
        let mut builds: BTreeMap<KName, Build> = BTreeMap::new();
        for text in dm {
            for (name, target) in table_lines(text)? {
                match builds
                    .entry(name.clone())
                    .or_insert_with(|| Build::Dm(Vec::new()))
                {
                    Build::Dm(table) => append(table, target, text)?,
                    _ => return Err(PlanError::Twice(name)),
                }
            }
        }
        for (text, array) in md
            .iter()
            .map(|text| (text, true))
            .chain(heads.iter().map(|text| (text, false)))
        {
            let (name, build) = if array {
                an_array(text)?
            } else {
                a_head(text)?
            };
            if builds.insert(name.clone(), build).is_some() {
                return Err(PlanError::Twice(name));
            }
        }
        if builds.is_empty() {
            return Err(PlanError::Empty);
        }
        ordered(&builds)
    }

    /// The planned device that a word names: by its name, or by the node it would have.
    pub fn find(&self, word: &str) -> Option<&KName> {
        self.devices
            .iter()
            .map(|(name, _)| name)
            .find(|name| is_called(word, name))
    }
}

fn is_called(word: &str, name: &KName) -> bool {
    let short = word
        .strip_prefix("/dev/mapper/")
        .or_else(|| word.strip_prefix("/dev/"))
        .unwrap_or(word);
    short == name.as_str()
}

/// `NAME=REST`; a name has no space, slash or comma before the `=`.
fn named<'t>(text: &'t str, unnamed: &str) -> Option<(KName, &'t str)> {
    let found = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty() && !name.contains([' ', '/', ',', ';']));
    let (name, rest) = found.unwrap_or((unnamed, text));
    Some((KName::new(name)?, rest))
}

fn table_lines(text: &str) -> Result<Vec<(KName, Target)>, PlanError> {
    let bad = |why: String| PlanError::Line {
        line: text.to_owned(),
        why,
    };
    let (name, lines) =
        named(text.trim(), "whatif-dm").ok_or_else(|| bad("no name for a device".into()))?;
    let lines = lines.split([';', '\n']).map(str::trim);
    lines
        .filter(|line| !line.is_empty())
        .map(|line| match line.parse::<Target>() {
            Ok(target) if target.length == 0 => Err(bad("a length of 0".into())),
            Ok(target) => Ok((name.clone(), target)),
            Err(error) => Err(bad(error.to_string())),
        })
        .collect()
}

/// As `dm_table_add_target` has it: no gap, no overlap.
fn append(table: &mut Vec<Target>, mut target: Target, text: &str) -> Result<(), PlanError> {
    let bad = |why: String| PlanError::Line {
        line: text.to_owned(),
        why,
    };
    let end = table
        .last()
        .map_or(0, |last| last.start.saturating_add(last.length));
    if target.start != end {
        let why = format!(
            "begins at sector {}, the table so far ends at {end}",
            target.start
        );
        return Err(bad(why));
    }
    // As the kernel counts bytes: `loff_t`, of 63 bits.
    let longest = i64::MAX.unsigned_abs() / SECTOR;
    if end
        .checked_add(target.length)
        .is_none_or(|end| end > longest)
    {
        return Err(bad("ends past the last byte that a device can have".into()));
    }
    for part in &mut target.devices {
        // The word as it was given: the same text finds the device again.
        if let DeviceId::Path(path) = &mut part.device {
            *path = path.trim().to_owned();
        }
    }
    table.push(target);
    Ok(())
}

/// mdadm's chunk where none is given.
const CHUNK: u64 = 512 << 10;
const LEAST_CHUNK: u64 = 4 << 10;

fn an_array(text: &str) -> Result<(KName, Build), PlanError> {
    let bad = |why: String| PlanError::Array {
        text: text.to_owned(),
        why,
    };
    // `chunk=` is no name: a name ends before the first comma.
    let (name, rest) = match text.split_once(',') {
        Some((head, _)) if head.contains('=') => named(text, "whatif-md"),
        _ => KName::new("whatif-md").map(|name| (name, text)),
    }
    .ok_or_else(|| bad("no name for a device".into()))?;
    let mut words = rest
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    let level = words.next().ok_or_else(|| bad("no level".into()))?;
    let level = match level.strip_prefix("raid").unwrap_or(level) {
        digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("raid{digits}")
        }
        other => other.to_owned(),
    };
    // mdadm makes linear arrays with a rounding of 0.
    let mut chunk_bytes = if matches!(level.as_str(), "raid1" | "linear") {
        0
    } else {
        CHUNK
    };
    let mut members = Vec::new();
    for word in words {
        match word.split_once('=') {
            Some(("chunk", size)) => {
                chunk_bytes = bytes(size).ok_or_else(|| bad(format!("{size:?} is no size")))?;
            }
            Some((option, _)) if !word.starts_with('/') => {
                return Err(bad(format!("option {option:?} is not known")));
            }
            _ => members.push(word.to_owned()),
        }
    }
    if members.is_empty() {
        return Err(bad("no member".into()));
    }
    // What mdadm takes: 8 sectors and more, in steps of 2.
    if !matches!(level.as_str(), "raid1" | "linear")
        && (chunk_bytes < LEAST_CHUNK || chunk_bytes % 1024 != 0)
    {
        return Err(bad(format!(
            "a chunk of {chunk_bytes} bytes; it is 4 KiB and more, in steps of 1 KiB"
        )));
    }
    let build = Build::Md {
        level,
        chunk_bytes,
        members,
    };
    Ok((name, build))
}

fn a_head(text: &str) -> Result<(KName, Build), PlanError> {
    let bad = |why: &str| PlanError::Head {
        text: text.to_owned(),
        why: why.to_owned(),
    };
    let (name, rest) = named(text, "whatif-head").ok_or_else(|| bad("no name for a device"))?;
    let paths: Vec<String> = rest
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    if paths.is_empty() {
        return Err(bad("no path"));
    }
    Ok((name, Build::NvmeHead(paths)))
}

/// A size with a binary suffix; a plain number is KiB, as mdadm's `--chunk` has it.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text.get(digits.len()..)?.to_ascii_lowercase().as_str() {
        "b" => 0,
        "" | "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        _ => return None,
    };
    let number: u64 = digits.parse().ok()?;
    number.checked_mul(1 << shift)
}

/// Each after all that it stands on.
fn ordered(builds: &BTreeMap<KName, Build>) -> Result<Plan, PlanError> {
    let mut plan = Plan {
        devices: Vec::new(),
    };
    let mut way = Vec::new();
    for name in builds.keys() {
        place(name, builds, &mut plan, &mut way)?;
    }
    Ok(plan)
}

fn place(
    name: &KName,
    builds: &BTreeMap<KName, Build>,
    plan: &mut Plan,
    way: &mut Vec<KName>,
) -> Result<(), PlanError> {
    if plan.devices.iter().any(|(placed, _)| placed == name) {
        return Ok(());
    }
    let round = way.iter().position(|on_way| on_way == name);
    way.push(name.clone());
    if let Some(first) = round {
        let circle = way.iter().skip(first).map(ToString::to_string).collect();
        return Err(PlanError::Loop(circle));
    }
    let Some(build) = builds.get(name) else {
        return Ok(());
    };
    for word in build.words() {
        if let Some(below) = builds.keys().find(|other| is_called(&word, other)) {
            place(below, builds, plan, way)?;
        }
    }
    way.pop();
    plan.devices.push((name.clone(), build.clone()));
    Ok(())
}

#[cfg(test)]
mod tests;
