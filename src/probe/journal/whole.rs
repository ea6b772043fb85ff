//! A new file that has its name only when it is whole and durable, and never takes another file's.

use std::fs::File;
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fd::AsRawFd;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::source::whole_file::{hidden, sync_folder};

/// Creates a file by what `content` writes to it, which others may not read. Where a file of that name is there by then,
/// that is an error, and it is as it was. A process that is killed leaves nothing where files can be without a name.
pub(super) fn create(
    path: &Path,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<File> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    make_dir(dir)?;
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    match rustix::fs::open(dir, flags, Mode::RUSR | Mode::WUSR) {
        Ok(fd) => nameless(path, File::from(fd), content),
        // vfat, NFS.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT) => beside(path, content),
        Err(error) => Err(error.into()),
    }
}

fn nameless(
    path: &Path,
    mut file: File,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<File> {
    content(&mut file)?;
    file.sync_all()?;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    match rustix::fs::linkat(CWD, own.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW) {
        // Without /proc; that needs CAP_DAC_READ_SEARCH.
        Err(Errno::NOENT) => rustix::fs::linkat(&file, "", CWD, path, AtFlags::EMPTY_PATH)?,
        other => other?,
    }
    // The link count is the file's own.
    file.sync_all()?;
    sync_folder(path)?;
    Ok(file)
}

fn beside(path: &Path, content: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<File> {
    let hidden = hidden(path, ".partial");
    let mut file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&hidden)?;
    let made = content(&mut file)
        .and_then(|()| file.sync_all())
        .and_then(|()| rename(&hidden, path))
        .and_then(|()| sync_folder(path));
    if made.is_err() {
        // That it cannot be removed is no news beside the first error.
        let _ = std::fs::remove_file(&hidden);
    }
    made.map(|()| file)
}

/// Without taking another file's place, which NFS can do by a link only.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            std::fs::hard_link(from, to)?;
            std::fs::remove_file(from)
        }
        other => Ok(other?),
    }
}

/// Makes a folder durable, and those above that are not there either.
pub(super) fn make_dir(dir: &Path) -> io::Result<()> {
    if dir.as_os_str().is_empty() || dir.is_dir() {
        return Ok(());
    }
    if let Some(above) = dir.parent() {
        make_dir(above)?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(dir) {
        // Somebody else made it meanwhile.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => Ok(()),
        other => other.and_then(|()| sync_folder(dir)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    type Way = fn(&Path) -> io::Result<File>;

    /// With and without files that have no name.
    const WAYS: [Way; 2] = [
        |path| create(path, |file| file.write_all(b"new")),
        |path| beside(path, |file| file.write_all(b"new")),
    ];

    #[test]
    fn a_new_file_never_takes_anothers_place_or_name() {
        for way in WAYS {
            let folder = tempfile::tempdir().expect("a folder");
            let at = |name: &str| folder.path().join(name);
            std::fs::write(at("x.partial"), "precious").expect("a file");
            way(&at("x.journal")).expect("created");
            assert_eq!(std::fs::read(at("x.journal")).expect("read"), b"new");
            std::fs::write(at("x.journal"), "other").expect("a file");
            let error = way(&at("x.journal")).expect_err("taken");
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(std::fs::read(at("x.journal")).expect("read"), b"other");
            assert_eq!(std::fs::read(at("x.partial")).expect("read"), b"precious");
            let left = std::fs::read_dir(folder.path()).expect("listed").count();
            assert_eq!(left, 2, "nothing stays beside them");
        }
    }

    #[test]
    fn what_could_not_be_filled_is_not_there() {
        for create in [
            |path: &Path| create(path, |_| Err(io::Error::other("no"))),
            |path: &Path| beside(path, |_| Err(io::Error::other("no"))),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            create(&folder.path().join("x")).expect_err("not filled");
            let left = std::fs::read_dir(folder.path()).expect("listed").count();
            assert_eq!(left, 0);
        }
    }
}
