//! The state directory, and the journals in it or pointed to from there.

use std::io;
use std::path::{Path, PathBuf};

use super::whole;
use super::{Header, JournalError, Kept};
use crate::probe::refusal::Refusal;
use crate::probe::target::Device;
use crate::source::whole_file;

/// End of a journal's name.
const SUFFIX: &str = "journal";

/// Where journals are kept that nobody named a place for.
pub fn state_dir() -> PathBuf {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let under = |name: &str, below: &str| given(name).map(|value| PathBuf::from(value).join(below));
    if rustix::process::geteuid().is_root() {
        return given("STATE_DIRECTORY")
            .map_or_else(|| PathBuf::from("/var/lib/zinspect"), PathBuf::from);
    }
    under("XDG_STATE_HOME", "zinspect")
        .or_else(|| under("HOME", ".local/state/zinspect"))
        .unwrap_or_else(|| PathBuf::from("/var/tmp/zinspect"))
}

/// The name of a device's journal in the state directory.
pub fn default_path(identity: &str) -> PathBuf {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') {
            c
        } else {
            '_'
        }
    };
    let name: String = identity.chars().map(safe).collect();
    state_dir().join(format!("{name}.{SUFFIX}"))
}

/// Journals of runs that did not end, in the state directory or pointed to from there, or why one cannot be read.
pub fn left_over() -> Vec<(PathBuf, Result<Header, JournalError>)> {
    left_over_in(&state_dir())
}

fn left_over_in(state: &Path) -> Vec<(PathBuf, Result<Header, JournalError>)> {
    let entries = std::fs::read_dir(state).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == SUFFIX))
        .map(|path| {
            let header = Kept::open(&path).map(|kept| kept.header);
            (path, header)
        })
        // Removed since it was listed, its bytes being back.
        .filter(|(path, header)| header.is_ok() || std::fs::symlink_metadata(path).is_ok())
        .collect()
}

/// Refuses a device whose bytes an earlier run has not put back, or may not have.
pub fn unfinished(device: &Device) -> Result<(), Refusal> {
    unfinished_of(left_over(), device, &default_path(&device.identity))
}

fn unfinished_of(
    left: Vec<(PathBuf, Result<Header, JournalError>)>,
    device: &Device,
    own: &Path,
) -> Result<(), Refusal> {
    let same = |header: &Header| {
        header.identity == device.identity
            || (!header.identity_lasts && header.kname == device.kname)
    };
    for (path, header) in left {
        match header {
            Ok(header) if same(&header) => {
                return Err(Refusal::Interrupted {
                    identity: header.identity,
                    journal: path.display().to_string(),
                });
            }
            Err(error) if path == own => {
                let kname = device.kname.clone();
                let why = format!(
                    "{error}. Make it readable (mount what it lies on) and recover from it; if they are back, remove {}",
                    path.display()
                );
                let what = "whether the bytes of an earlier probe are back";
                return Err(Refusal::Unknown { kname, what, why });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Has the state directory point to a journal elsewhere.
pub(super) fn point(own: &Path, place: &Path) -> io::Result<()> {
    whole::make_dir(own.parent().unwrap_or(Path::new("/")))?;
    std::os::unix::fs::symlink(place, own)?;
    whole_file::sync_folder(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::target::fixtures::disk;

    #[test]
    fn a_journal_that_cannot_be_read_bars_its_device_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path().join("sdz.diskseq-9.journal");
        std::os::unix::fs::symlink("/nonexistent/j.journal", &own).expect("a link");
        let device = disk(1 << 30);
        let refusal = unfinished_of(left_over_in(folder.path()), &device, &own);
        let said = refusal.expect_err("not known").to_string();
        assert!(
            said.contains("whether the bytes of an earlier probe are back"),
            "{said}"
        );
        assert!(said.contains("sdz.diskseq-9.journal"), "{said}");
        let other = folder.path().join("sdy.diskseq-1.journal");
        assert_eq!(
            unfinished_of(left_over_in(folder.path()), &device, &other),
            Ok(())
        );
    }

    #[test]
    fn a_pipe_among_the_journals_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("x.journal");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).expect("a pipe");
        let left = left_over_in(folder.path());
        let [(_, Err(error))] = left.as_slice() else {
            panic!("{left:?}")
        };
        assert!(error.to_string().contains("no regular file"), "{error}");
    }
}
