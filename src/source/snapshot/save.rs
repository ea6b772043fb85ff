//! Writes a capture: same readings, same bytes.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::archive::{Archive, Entry};
use super::{COMMANDS, END, ERRORS, FORMAT, MANIFEST};
use crate::source::errno;

/// Why a capture could not be written. The file of that name, if there was one, is as it was.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the capture {}: {source}; choose a file in a directory that exists and can be written to", path.display())]
pub struct SaveError {
    path: PathBuf,
    source: io::Error,
}

/// Writes a capture beside its place and moves it there whole.
pub fn save(path: &Path, archive: &Archive, commands: &str) -> Result<(), SaveError> {
    let failed = |source| SaveError {
        path: path.to_owned(),
        source,
    };
    let place = place(path).map_err(failed)?;
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let beside = place.with_file_name(name);
    let written = write(&beside, archive, commands).and_then(|()| std::fs::rename(&beside, &place));
    if written.is_err() {
        // Nothing half-written stays behind; that it cannot be removed is no news beside the first error.
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(failed)
}

/// Where the archive goes: through a link to its target, and never in the place of a device, a FIFO or a folder.
fn place(path: &Path) -> io::Result<PathBuf> {
    match std::fs::metadata(path) {
        Ok(there) if there.is_file() => std::fs::canonicalize(path),
        Ok(_) => Err(io::Error::other(
            "something that is no regular file stands there",
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.file_name() {
            Some(_) if std::fs::symlink_metadata(path).is_err() => Ok(path.to_owned()),
            Some(_) => Err(io::Error::other("a link that leads nowhere stands there")),
            None => Err(io::ErrorKind::IsADirectory.into()),
        },
        Err(error) => Err(error),
    }
}

fn write(path: &Path, archive: &Archive, commands: &str) -> io::Result<()> {
    let file = File::create_new(path)?;
    // No name and no time in the header: same readings, same bytes.
    let gzip = GzBuilder::new()
        .mtime(0)
        .write(file, Compression::default());
    let mut tar = Builder::new(gzip);
    append(&mut tar, MANIFEST, FORMAT.as_bytes())?;
    append(&mut tar, ERRORS, refusals(archive).as_bytes())?;
    append(&mut tar, COMMANDS, commands.as_bytes())?;
    for (path, entry) in &archive.entries {
        match entry {
            Entry::File(content) => append(&mut tar, path, content)?,
            Entry::Link(target) => {
                tar.append_link(&mut header(EntryType::Symlink, 0), path, target)?;
            }
            Entry::Folder => {
                tar.append_data(&mut header(EntryType::Directory, 0), path, io::empty())?;
            }
            Entry::Failed(_) => {}
        }
    }
    append(&mut tar, END, b"")?;
    let file = tar.into_inner()?.finish()?;
    file.sync_all()
}

fn append(tar: &mut Builder<impl Write>, path: &str, content: &[u8]) -> io::Result<()> {
    // The length is that of the bytes read: a sysfs file's own says 4096, whatever it holds.
    tar.append_data(
        &mut header(EntryType::Regular, content.len() as u64),
        path,
        content,
    )
}

fn header(kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(if kind == EntryType::Directory {
        0o755
    } else {
        0o644
    });
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}

fn refusals(archive: &Archive) -> String {
    let mut text = String::new();
    for (path, entry) in &archive.entries {
        if let Entry::Failed(error) = entry {
            let path = path.replace('\\', "\\\\").replace('\n', "\\n");
            let _ = writeln!(text, "{}\t{path}", errno::errno_word(*error));
        }
    }
    text
}
