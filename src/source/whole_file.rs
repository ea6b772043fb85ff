//! Writes a file whole or not at all: a reader sees the old content or the new.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How hidden files end.
const ENDING: &str = ".part";
/// No file is written for so long.
const STALE: Duration = Duration::from_secs(60 * 60);

/// Why a file was not written. The one of that name, if there was one, is as it was.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {doing}: {source}; the old file, if any, is untouched: {}", path.display(), hint(doing, source))]
pub struct WriteError {
    path: PathBuf,
    doing: &'static str,
    source: io::Error,
}

/// Moving the new content to its name, which finds it gone where somebody else cleans up.
const MOVING: &str = "moving the new content there";

fn hint(doing: &str, error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound if doing == MOVING => {
            "something removed the new content beside it; see what cleans its directory, and run it again"
        }
        io::ErrorKind::NotFound => "make its directory",
        io::ErrorKind::PermissionDenied => "run as a user who may write to its directory",
        io::ErrorKind::ReadOnlyFilesystem => "choose a directory that can be written to",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room there",
        _ => "choose a file in a directory that exists and can be written to",
    }
}

/// Writes a file that everybody may read (0644 whatever the umask), through a hidden one beside it whose name does not
/// have its ending: node_exporter takes every `*.prom`, half-written ones too.
pub fn write(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let failed = |doing| {
        move |source| WriteError {
            path: path.to_owned(),
            doing,
            source,
        }
    };
    let name = path
        .file_name()
        .ok_or_else(|| failed("its name")(io::ErrorKind::IsADirectory.into()))?;
    remove_stale(folder_of(path), &stem(name));
    let beside = hidden(path, ENDING);
    let written = fill(&beside, content)
        .map_err(failed("the new content beside it"))
        .and_then(|()| std::fs::rename(&beside, path).map_err(failed(MOVING)));
    if written.is_err() {
        // That it cannot be removed is no news beside the first error.
        let _ = std::fs::remove_file(&beside);
    }
    written?;
    // Without this a power loss could bring the old file back; it does not make the new one wrong.
    let _ = sync_folder(path);
    Ok(())
}

/// A hidden name beside a path, which no other process has.
pub fn hidden(path: &Path, ending: &str) -> PathBuf {
    // Not by the process alone: containers that share a directory have the same numbers.
    let unique = RandomState::new().hash_one(std::process::id());
    let mut hidden = stem(path.file_name().unwrap_or_default());
    hidden.extend(format!("{unique:016x}{ending}").bytes());
    path.with_file_name(OsStr::from_bytes(&hidden))
}

/// Makes a name durable.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => Path::new("/"),
    }
}

/// How hidden files beside `name` begin. A part of a long name, so that what follows it still fits.
fn stem(name: &OsStr) -> Vec<u8> {
    const LONGEST: usize = 100;
    let taken = name.as_bytes().iter().take(LONGEST).copied();
    std::iter::once(b'.').chain(taken).chain([b'.']).collect()
}

/// Removes what earlier processes left behind when they were killed: our own hidden files that nobody has written to
/// for long. That one cannot be removed is no reason not to write.
fn remove_stale(folder: &Path, stem: &[u8]) {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in listed.filter(|entry| is_hidden(entry.file_name().as_bytes(), stem)) {
        let old = entry.metadata().is_ok_and(|meta| {
            meta.is_file()
                && meta.uid() == rustix::process::geteuid().as_raw()
                && meta
                    .modified()
                    .is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE))
        });
        if old {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether a name is `stem`, a number in hexadecimal and the ending.
fn is_hidden(name: &[u8], stem: &[u8]) -> bool {
    let number = name
        .strip_prefix(stem)
        .and_then(|rest| rest.strip_suffix(ENDING.as_bytes()));
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_hexdigit))
}

fn fill(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.set_permissions(Permissions::from_mode(0o644))?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_for_everybody_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("z.prom");
        for content in ["old\n", "new\n"] {
            write(&path, content.as_bytes()).expect("written");
            assert_eq!(std::fs::read_to_string(&path).expect("read"), content);
        }
        let mode = std::fs::metadata(&path).expect("stat").permissions().mode();
        assert_eq!(mode & 0o7777, 0o644);
        assert_eq!(std::fs::read_dir(folder.path()).expect("list").count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_behind_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("folder");
        let long_ago = std::time::SystemTime::now() - 2 * STALE;
        let file = |name: &str, old: bool| {
            let file = File::create(folder.path().join(name)).expect("file");
            if old {
                file.set_modified(long_ago).expect("time");
            }
        };
        for stale in [".z.prom.4711.part", ".z.prom.0123456789abcdef.part"] {
            file(stale, true);
        }
        let others = [
            ".y.prom.4711.part",
            ".z.prom..part",
            ".z.prom.4711",
            ".z.prom.backup.part",
            ".z.prom.1.2.part",
        ];
        for other in others {
            file(other, true);
        }
        file(".z.prom.42.part", false);
        write(&folder.path().join("z.prom"), b"1").expect("written");
        let listed = std::fs::read_dir(folder.path()).expect("list");
        let mut left: Vec<String> = listed
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        left.sort_unstable();
        let mut expected = [&others[..], &[".z.prom.42.part", "z.prom"]].concat();
        expected.sort_unstable();
        assert_eq!(left, expected);
    }

    #[test]
    fn the_longest_name_that_a_file_can_have_is_written() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(format!("{}.prom", "z".repeat(250)));
        write(&path, b"1").expect("written");
        assert_eq!(std::fs::read(&path).expect("read"), b"1");
    }

    #[test]
    fn content_that_somebody_removed_is_not_a_directory_to_be_made() {
        let error = WriteError {
            path: PathBuf::from("/x/z.prom"),
            doing: MOVING,
            source: io::ErrorKind::NotFound.into(),
        };
        let said = error.to_string();
        assert!(
            said.contains("removed the new content") && !said.contains("make its"),
            "{said}"
        );
    }

    #[test]
    fn a_failure_says_what_to_do_and_leaves_the_old_file() {
        let gone = Path::new("/nonexistent/z.prom");
        let said = write(gone, b"").expect_err("no folder").to_string();
        assert!(
            said.starts_with("cannot write /nonexistent/z.prom: "),
            "{said}"
        );
        assert!(said.ends_with("make its directory"), "{said}");
        let folder = tempfile::tempdir().expect("folder");
        let taken = folder.path().join("z.prom");
        std::fs::create_dir(&taken).expect("a folder of that name");
        write(&taken, b"").expect_err("a folder is there");
        assert_eq!(std::fs::read_dir(folder.path()).expect("list").count(), 1);
    }
}
