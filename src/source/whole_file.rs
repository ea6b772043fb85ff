//! Writes a file whole or not at all: a reader sees the old content or the new.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Why a file was not written. The one of that name, if there was one, is as it was.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {doing}: {source}; the old file, if any, is untouched: {}", path.display(), hint(source))]
pub struct WriteError {
    path: PathBuf,
    doing: &'static str,
    source: io::Error,
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
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
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(hidden);
    // What an earlier process of this number left behind when it was killed.
    let _ = std::fs::remove_file(&beside);
    let written = fill(&beside, content)
        .map_err(failed("the new content beside it"))
        .and_then(|()| {
            std::fs::rename(&beside, path).map_err(failed("moving the new content there"))
        });
    if written.is_err() {
        // That it cannot be removed is no news beside the first error.
        let _ = std::fs::remove_file(&beside);
    }
    written?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Without this a power loss could bring the old file back; it does not make the new one wrong.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
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
