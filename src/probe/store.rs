//! The last result of each disk, kept under the state directory for whoever wants to know later: metrics, doctor.
//!
//! One file for each identity (`facts::identity`), JSON with a version, written whole. A partition's and a file's result
//! is kept as its disk's, whose queue they share.

use std::collections::{BTreeMap, HashMap};
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::journal;
use super::outcome::{MethodResult, Outcome};
use super::plan::{Method, Mode, Way};
use super::verdict::Verdict;
use crate::facts::collect::Collector;
use crate::facts::identity::{self, Identity};
use crate::model::device::Kind;
use crate::model::ids::KName;
use crate::model::topology::Topology;
use crate::source::whole_file::{self, WriteError};
use crate::source::{Source, regular};

/// What this program writes, and all that it reads.
const VERSION: u32 = 1;
/// Folder below the state directory.
const FOLDER: &str = "results";
/// No result is longer: some 150 bytes for each method and leg.
const FILE_CAP: u64 = 64 << 10;
/// A clock that was set in between may be off by hours.
const DAY: u64 = 24 * 60 * 60;
/// A command that only unmaps takes microseconds for gigabytes, against a disk that writes some megabytes a second.
const MOST_TIMES: f64 = 1e9;
/// More disks than any host has.
const MOST_FILES: usize = 16_384;

/// What is wrong, the worst first.
pub const FAULTS: &[Outcome] = &[
    Outcome::CollateralDamage,
    Outcome::NotStored,
    Outcome::NotZeroed,
    Outcome::PartlyZeroed,
    Outcome::TimedOut,
];

/// A result as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Of the layout.
    pub version: u32,
    /// The disk.
    pub identity: String,
    /// Whether that outlasts the disk's removal.
    pub identity_lasts: bool,
    /// The boot in which it was so, which alone counts where the identity does not last.
    pub boot_id: String,
    /// The disk's kernel name then.
    pub kname: String,
    /// What was probed, as it was given.
    pub target: String,
    /// What became of the bytes there.
    pub mode: Mode,
    /// When, in seconds since 1970.
    pub time: u64,
    /// What came of each method that was tried.
    pub results: Vec<Tried>,
    /// The fastest way that zeroes, against writing; `None` where either is not known.
    pub times_faster_than_writing: Option<f64>,
    /// The verdict in a line.
    pub summary: String,
    /// Where it was read.
    #[serde(skip)]
    pub path: PathBuf,
}

/// One method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The method.
    pub method: Method,
    /// The leg that it went through.
    pub leg: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Bytes a second.
    pub bytes_per_second: Option<f64>,
}

/// Why a kept result tells nothing.
#[derive(Debug, thiserror::Error)]
#[error("{} gives no result of a probe: {why}", path.display())]
pub struct StoreError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
    /// Whether it is this user who may not read it.
    pub denied: bool,
}

/// What is kept, and what could not be read of it.
#[derive(Debug, Default)]
pub struct Store {
    /// The latest of each identity.
    pub records: HashMap<String, Record>,
    /// What is there and tells nothing.
    pub bad: Vec<StoreError>,
}

/// Kept results of devices that are there.
#[derive(Debug, Default)]
pub struct Probed {
    /// By kernel name.
    pub of: BTreeMap<KName, Record>,
    /// What is there and tells nothing.
    pub bad: Vec<StoreError>,
}

impl Record {
    /// Of a run on a disk; `None` where nothing was tried.
    pub fn new(
        disk: (&str, Identity),
        target: &str,
        mode: Mode,
        results: &[MethodResult],
        verdict: &Verdict,
    ) -> Option<Self> {
        let tried = |result: &MethodResult| Tried {
            method: result.method,
            leg: result.leg.clone(),
            outcome: result.outcome,
            bytes_per_second: result.bytes_per_second,
        };
        let results: Vec<Tried> = results
            .iter()
            .filter(|result| result.outcome != Outcome::Skipped)
            .map(tried)
            .collect();
        let (kname, Identity { name, lasts }) = disk;
        (!results.is_empty()).then(|| Self {
            version: VERSION,
            identity: name,
            identity_lasts: lasts,
            boot_id: journal::boot_id(),
            kname: kname.to_owned(),
            target: target.to_owned(),
            mode,
            time: now(),
            results,
            times_faster_than_writing: verdict.times_faster,
            summary: verdict.summary.clone(),
            path: PathBuf::new(),
        })
    }

    /// What is worst of what is wrong. That something was refused is no fault, nor what reads back after a discard.
    pub fn fault(&self) -> Option<&Tried> {
        let is_fault = |tried: &Tried, outcome: Outcome| {
            let discarded = tried.method.way() == Way::Discard
                && matches!(outcome, Outcome::NotZeroed | Outcome::PartlyZeroed);
            tried.outcome == outcome && !discarded
        };
        let found = |outcome: &Outcome| self.results.iter().find(|t| is_fault(t, *outcome));
        FAULTS.iter().find_map(found)
    }

    /// Reads one.
    fn parse(text: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Layout {
            version: u32,
        }
        let of = |error: serde_json::Error| error.to_string();
        let Layout { version } = serde_json::from_slice(text).map_err(of)?;
        if version != VERSION {
            return Err(format!(
                "its version is {version}, and this zinspect reads version {VERSION}"
            ));
        }
        let record: Self = serde_json::from_slice(text).map_err(of)?;
        record.check()?;
        Ok(record)
    }

    /// Whether a probe can have found that. A wrong number would be a metric, and an alert.
    fn check(&self) -> Result<(), String> {
        let Self { time, .. } = self;
        if *time == 0 || *time > now().saturating_add(DAY) {
            return Err(format!(
                "its time, {time} s after 1970, is none of the past; is the clock right?"
            ));
        }
        if let Some(times) = self.times_faster_than_writing
            && !(times > 0.0 && times <= MOST_TIMES)
        {
            return Err(format!("{times:e} times faster than writing cannot be"));
        }
        let mut speeds = self.results.iter().filter_map(|t| t.bytes_per_second);
        if let Some(speed) = speeds.find(|speed| *speed < 0.0 || !speed.is_finite()) {
            return Err(format!("{speed:e} bytes a second cannot be"));
        }
        Ok(())
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

/// A file name that no other identity has.
fn name_of(identity: &str) -> String {
    let safe = |c: char| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') => c,
        _ => '_',
    };
    let word: String = identity.chars().take(100).map(safe).collect();
    let mut crc = flate2::Crc::new();
    crc.update(identity.as_bytes());
    // Not hidden, whatever it begins with: hidden files are those that are being written.
    format!("id-{word}-{:08x}.json", crc.sum())
}

/// Keeps a result in the state directory, instead of an earlier one of the same disk.
pub fn keep(record: &Record) -> Result<PathBuf, WriteError> {
    let state = journal::state_dir();
    let folder = state.join(FOLDER);
    // That it cannot be made is said by the writing. Others may go through to the results; a journal is its owner's by
    // its own mode, 0600. A folder with more rights than these was made so by somebody.
    let make = |mode| {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(mode);
        builder
    };
    let _ = make(0o711).create(&state);
    let _ = make(0o755).create(&folder);
    pass_through(&state, 0o711);
    pass_through(&folder, 0o755);
    let path = folder.join(name_of(&record.identity));
    let mut text = serde_json::to_vec_pretty(record).unwrap_or_default();
    text.push(b'\n');
    whole_file::write(&path, &text)?;
    Ok(path)
}

/// Adds what others need to read the results to a folder's mode, and takes nothing away.
fn pass_through(folder: &Path, wanted: u32) {
    let Ok(meta) = std::fs::metadata(folder) else {
        return;
    };
    let mode = meta.permissions().mode();
    if mode & wanted != wanted {
        let _ = std::fs::set_permissions(folder, Permissions::from_mode(mode | wanted));
    }
}

/// Where results may lie: one's own, and root's, who probes devices.
fn folders() -> Vec<PathBuf> {
    let own = std::env::var_os("STATE_DIRECTORY")
        .filter(|value| !value.is_empty())
        .map_or_else(journal::state_dir, PathBuf::from);
    let mut folders = vec![own];
    if std::env::var_os("STATE_DIRECTORY").is_none() {
        folders.push("/var/lib/zinspect".into());
        folders.dedup();
    }
    folders.iter().map(|state| state.join(FOLDER)).collect()
}

impl Store {
    /// Reads a folder. That there is none says that nothing was probed.
    pub fn read(folders: &[PathBuf]) -> Self {
        let mut store = Self::default();
        for folder in folders {
            store.add(folder);
        }
        store
    }

    fn add(&mut self, folder: &Path) {
        let listed = match std::fs::read_dir(folder) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.unread(folder, &error),
        };
        let mut paths: Vec<PathBuf> = listed
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .take(MOST_FILES + 1)
            .collect();
        if paths.len() > MOST_FILES {
            self.bad(folder, format!("more than {MOST_FILES} files are in it"));
        }
        paths.sort();
        for path in paths {
            match regular::read(&path, FILE_CAP) {
                Ok(text) => match Record::parse(&text) {
                    Ok(record) => self.take(Record { path, ..record }),
                    Err(why) => self.bad(&path, why),
                },
                // Replaced or removed since it was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.unread(&path, &error),
            }
        }
    }

    fn bad(&mut self, path: &Path, why: String) {
        self.bad.push(StoreError {
            path: path.to_owned(),
            why,
            denied: false,
        });
    }

    fn unread(&mut self, path: &Path, error: &io::Error) {
        self.bad.push(StoreError {
            path: path.to_owned(),
            why: error.to_string(),
            denied: error.kind() == io::ErrorKind::PermissionDenied,
        });
    }

    fn take(&mut self, record: Record) {
        let known = self.records.get(&record.identity);
        if known.is_none_or(|known| known.time <= record.time) {
            self.records.insert(record.identity.clone(), record);
        }
    }

    /// The results of devices that are there. Of an identity that does not last, those of this boot alone.
    pub fn of(self, collector: &Collector, topology: &Topology) -> Probed {
        let mut of = BTreeMap::new();
        if !self.records.is_empty() {
            let boot_id = journal::boot_id();
            let disks = topology
                .iter()
                .filter(|device| !matches!(device.kind, Kind::Partition | Kind::NvmePath));
            for disk in disks {
                let record = self.records.get(&identity::of(collector, disk).name);
                let same = |record: &&Record| record.identity_lasts || record.boot_id == boot_id;
                if let Some(record) = record.filter(same) {
                    of.insert(disk.kname.clone(), record.clone());
                }
            }
        }
        Probed { of, bad: self.bad }
    }
}

/// What is kept of a host's devices. Of a captured host nothing is, unless `STATE_DIRECTORY` says where it is.
pub fn probed(collector: &Collector, topology: &Topology) -> Probed {
    let told = std::env::var_os("STATE_DIRECTORY").is_some();
    if collector.host.source != Source::Live && !told {
        return Probed::default();
    }
    Store::read(&folders()).of(collector, topology)
}

#[cfg(test)]
#[path = "store/tests.rs"]
mod tests;
