//! Stacks that do not exist yet, as a command line describes them: names, what each stands on, and no loop.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::ids::KName;
use crate::model::units::SECTOR;
use crate::wire::dm::table::{DeviceId, Target, mask};

mod array;
mod loadable;

use array::an_array;

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
    /// The devices that it stands on, as they were given.
    pub fn each(&self) -> Vec<String> {
        match self {
            Self::Dm(table) => table
                .iter()
                .flat_map(|target| &target.devices)
                .map(|part| part.device.to_string())
                .collect(),
            Self::Md { members, .. } => members.clone(),
            Self::NvmeHead(paths) => paths.clone(),
        }
    }

    /// The same, each word once.
    pub fn words(&self) -> Vec<String> {
        let mut words = self.each();
        let mut seen = BTreeSet::new();
        words.retain(|word| seen.insert(word.clone()));
        words
    }
}

/// Devices to build, each after all that it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Name and what it is to be.
    pub devices: Vec<(KName, Build)>,
    names: BTreeSet<KName>,
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
        ordered(builds)
    }

    /// The planned device that a word names: by its name, or by the node it would have.
    pub fn find(&self, word: &str) -> Option<&KName> {
        self.names.get(&KName::new(short(word))?)
    }
}

fn short(word: &str) -> &str {
    word.strip_prefix("/dev/mapper/")
        .or_else(|| word.strip_prefix("/dev/"))
        .unwrap_or(word)
}

/// `NAME=REST`; a name has no space, slash or comma before the `=`.
fn named<'t>(text: &'t str, unnamed: &str) -> Option<(KName, &'t str)> {
    let found = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty() && !name.contains([' ', '/', ',', ';']));
    let (name, rest) = found.unwrap_or((unnamed, text));
    Some((KName::new(name)?, rest))
}

/// A line for a message: of a key nothing goes to a terminal or a log that keeps what it shows.
fn without_keys(text: &str) -> String {
    let lines = text.split(';').map(|line| {
        let mut words = line.split_ascii_whitespace();
        let head: Vec<&str> = words.by_ref().take(3).collect();
        let rest: Vec<&str> = words.collect();
        let target = head.last().copied().unwrap_or_default();
        let masked = mask(target, &rest.join(" "));
        format!("{} {masked}", head.join(" ")).trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("; ")
}

fn table_lines(text: &str) -> Result<Vec<(KName, Target)>, PlanError> {
    let bad = |why: String| PlanError::Line {
        line: without_keys(text),
        why,
    };
    let (name, lines) =
        named(text.trim(), "whatif-dm").ok_or_else(|| bad("no name for a device".into()))?;
    let lines = lines.split([';', '\n']).map(str::trim);
    lines
        .filter(|line| !line.is_empty())
        .map(|line| match line.parse::<Target>() {
            Ok(target) if target.length == 0 => Err(bad("a length of 0".into())),
            Ok(target) => match loadable::refusal(&target) {
                Some(why) => Err(bad(why)),
                None => Ok((name.clone(), target)),
            },
            Err(error) => Err(bad(error.to_string())),
        })
        .collect()
}

/// As `dm_table_add_target` has it: no gap, no overlap.
fn append(table: &mut Vec<Target>, mut target: Target, text: &str) -> Result<(), PlanError> {
    let bad = |why: String| PlanError::Line {
        line: without_keys(text),
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

/// Each after all that it stands on. Without recursion: a description may be as deep as it likes.
fn ordered(builds: BTreeMap<KName, Build>) -> Result<Plan, PlanError> {
    let below: BTreeMap<&KName, Vec<&KName>> = builds
        .iter()
        .map(|(name, build)| {
            let words = build.words();
            let planned = words.iter().filter_map(|word| called(&builds, word));
            (name, planned.collect())
        })
        .collect();
    let mut order: Vec<&KName> = Vec::new();
    let mut placed: BTreeSet<&KName> = BTreeSet::new();
    for top in builds.keys() {
        // Each device on the way down, with what of its own is still to be placed.
        let mut way: Vec<(&KName, &[&KName])> = vec![(top, of(&below, top))];
        let mut on_way = BTreeSet::from([top]);
        while let Some((name, rest)) = way.last_mut() {
            let name = *name;
            let Some((next, others)) = rest.split_first() else {
                way.pop();
                on_way.remove(name);
                if placed.insert(name) {
                    order.push(name);
                }
                continue;
            };
            *rest = others;
            if placed.contains(next) {
                continue;
            }
            if !on_way.insert(next) {
                let circle = way.iter().map(|(name, _)| *name);
                let circle = circle.skip_while(|name| name != next).chain([*next]);
                return Err(PlanError::Loop(circle.map(ToString::to_string).collect()));
            }
            way.push((next, of(&below, next)));
        }
    }
    let order: Vec<KName> = order.into_iter().cloned().collect();
    let mut builds = builds;
    let devices = order
        .into_iter()
        .filter_map(|name| builds.remove_entry(&name))
        .collect::<Vec<_>>();
    let names = devices.iter().map(|(name, _)| name.clone()).collect();
    Ok(Plan { devices, names })
}

fn of<'b, 'n>(below: &'b BTreeMap<&'n KName, Vec<&'n KName>>, name: &KName) -> &'b [&'n KName] {
    below.get(name).map(Vec::as_slice).unwrap_or_default()
}

/// The planned device that a word names.
fn called<'b>(builds: &'b BTreeMap<KName, Build>, word: &str) -> Option<&'b KName> {
    let name = KName::new(short(word))?;
    builds.get_key_value(&name).map(|(name, _)| name)
}

#[cfg(test)]
mod tests;
