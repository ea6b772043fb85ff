//! A result that `zinspect probe -o json` printed, read again as the proof of something.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::outcome::Outcome;
use super::plan::Method;
use super::store::{Record, Tried};
use crate::source::regular;

/// No result is longer, a sweep's curve with it.
const FILE_CAP: u64 = 16 << 20;

/// What it says of the disk. Other fields of the file do not matter here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Printed {
    /// What named the disk; null of a scratch file, which proves nothing of a disk's commands.
    pub identity: Option<String>,
    /// What came of each method.
    pub results: Vec<Line>,
    /// Where it was read.
    #[serde(skip)]
    pub path: PathBuf,
}

/// One method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Line {
    /// The method.
    pub method: Method,
    /// What came of it.
    pub outcome: Outcome,
}

/// Why a file is no such result.
#[derive(Debug, thiserror::Error)]
#[error("--probe-result {}: {why}; wanted what `zinspect probe -o json` printed", path.display())]
pub struct PrintedError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl From<&Record> for Printed {
    fn from(record: &Record) -> Self {
        let line = |tried: &Tried| Line {
            method: tried.method,
            outcome: tried.outcome,
        };
        Self {
            identity: Some(record.identity.clone()),
            results: record.results.iter().map(line).collect(),
            path: record.path.clone(),
        }
    }
}

impl Printed {
    /// Reads one.
    pub fn read(path: &Path) -> Result<Self, PrintedError> {
        let bad = |why: String| PrintedError {
            path: path.to_owned(),
            why,
        };
        let text = regular::read(path, FILE_CAP).map_err(|error| bad(error.to_string()))?;
        let printed: Self =
            serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
        let path = path.to_owned();
        Ok(Self { path, ..printed })
    }

    /// The outcome of a method, the worst where several legs were tried.
    pub fn outcome(&self, method: Method) -> Option<Outcome> {
        let of = self.results.iter().filter(|line| line.method == method);
        let tried = of.map(|line| line.outcome);
        tried
            .filter(|outcome| *outcome != Outcome::Skipped)
            .reduce(|a, b| if a == Outcome::ZeroedUnmapped { b } else { a })
    }

    /// What harmed data, or lied.
    pub fn harm(&self) -> Option<Line> {
        let bad = |line: &&Line| {
            matches!(
                line.outcome,
                Outcome::CollateralDamage | Outcome::NotStored | Outcome::TimedOut
            )
        };
        self.results.iter().find(bad).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Printed, String> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("result.json");
        std::fs::write(&path, text).expect("a file");
        Printed::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_no_result_is_refused_with_its_reason() {
        let legs = r#"{"identity":"naa.1","results":[
            {"method":"scsi-write-same-16-unmap","leg":"sda","outcome":"zeroed-unmapped"},
            {"method":"scsi-write-same-16-unmap","leg":"sdb","outcome":"rejected"},
            {"method":"pwrite","outcome":"zeroed-written"}]}"#;
        let printed = read(legs).expect("a result");
        let outcome = printed.outcome(Method::ScsiWriteSame16Unmap);
        assert_eq!(outcome, Some(Outcome::Rejected), "the weaker leg");
        assert_eq!(printed.outcome(Method::BlkDiscard), None);
        assert_eq!(printed.harm(), None);
        for text in [
            "",
            "[]",
            "{}",
            r#"{"identity":null,"results":[{"method":"x"}]}"#,
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains("zinspect probe -o json"), "{error}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let error = Printed::read(folder.path()).expect_err("a folder");
        assert_eq!(error.why, "it is no regular file");
    }
}
