//! Files below a directory that can't be escaped, whatever links it holds.

use std::path::Path;

use rustix::fd::AsFd;
use rustix::fs::{self, CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::{self, Errno};

use super::files::{Dir, Files, Handle};

/// Plain reading: never waits for a FIFO or a terminal, never passes the descriptor on.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::DIRECTORY);

/// A host's root: `/`, or a directory that holds a captured one.
#[derive(Debug)]
pub struct Root {
    top: rustix::fd::OwnedFd,
    captured: bool,
}

impl Root {
    /// The running host.
    pub fn live() -> Result<Self, Errno> {
        Ok(Self {
            top: fs::openat(CWD, "/", DIRECTORY, Mode::empty())?,
            captured: false,
        })
    }

    /// A directory with `sys`, and maybe `proc` and `run/udev/data`, in it.
    pub fn captured(path: &Path) -> Result<Self, Errno> {
        Ok(Self {
            top: fs::openat(CWD, path, DIRECTORY, Mode::empty())?,
            captured: true,
        })
    }

    fn open(&self, path: &str, flags: OFlags) -> Result<rustix::fd::OwnedFd, Errno> {
        let path = if path.is_empty() { "." } else { path };
        if self.captured {
            let inside = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
            fs::openat2(&self.top, path, flags, Mode::empty(), inside)
        } else {
            fs::openat(&self.top, path, flags, Mode::empty())
        }
    }

    fn handle(&self, fd: rustix::fd::OwnedFd) -> Result<Handle, Errno> {
        let plain = if self.captured {
            Some(plain_files(&fd)?)
        } else {
            None
        };
        Ok(Handle::Open { fd, plain })
    }
}

/// The plain files of a directory, sorted. A captured tree could hold a device node, which merely opening can set off.
fn plain_files(fd: &rustix::fd::OwnedFd) -> Result<Vec<Box<[u8]>>, Errno> {
    let mut space = Vec::with_capacity(8 << 10);
    let mut entries = fs::RawDir::new(fd, space.spare_capacity_mut());
    let mut names = Vec::new();
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let stat = fs::statat(fd, name, fs::AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(stat.st_mode)
            }
            known => known,
        };
        if kind == FileType::RegularFile {
            names.push(name.to_bytes().into());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Reads until the end; sysfs gives an attribute in one piece, so mostly two calls.
fn fill(fd: impl AsFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        let room = rest.len();
        let got = match io::read(&fd, rest) {
            Err(Errno::INTR) => continue,
            other => other?,
        };
        length += got;
        // A text attribute ends with its newline: what follows one that leaves room is the end.
        let whole = got < room && buffer.get(length.wrapping_sub(1)) == Some(&b'\n');
        if got == 0 || whole {
            return Ok(length);
        }
    }
    Err(Errno::FBIG)
}

impl Files for Root {
    fn dir(&self, path: &str) -> Result<Dir, Errno> {
        let fd = self.open(path, DIRECTORY)?;
        Ok(Dir {
            path: path.to_owned(),
            handle: self.handle(fd)?,
        })
    }

    fn subdir(&self, dir: &Dir, name: &str) -> Result<Dir, Errno> {
        let path = format!("{}/{name}", dir.path);
        let Handle::Open { fd, .. } = &dir.handle else {
            return self.dir(&path);
        };
        let below = if self.captured {
            let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            fs::openat2(fd, name, DIRECTORY, Mode::empty(), inside)?
        } else {
            fs::openat(fd, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?
        };
        Ok(Dir {
            path,
            handle: self.handle(below)?,
        })
    }

    fn read_in(&self, dir: &Dir, name: &str, buffer: &mut [u8]) -> Result<usize, Errno> {
        let Handle::Open { fd, plain } = &dir.handle else {
            return Err(Errno::BADF);
        };
        if let Some(plain) = plain {
            // What is there but no plain file is a finding as well, told from what is not there by the kernel.
            if plain
                .binary_search_by(|known| known.as_ref().cmp(name.as_bytes()))
                .is_err()
            {
                let stat = fs::statat(fd, name, fs::AtFlags::SYMLINK_NOFOLLOW)?;
                return Err(match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Directory => Errno::ISDIR,
                    FileType::Symlink => Errno::LOOP,
                    _ => Errno::NODEV,
                });
            }
        }
        let file = fs::openat(fd, name, READ | OFlags::NOFOLLOW, Mode::empty())?;
        fill(&file, buffer)
    }

    fn read(&self, path: &str, cap: usize) -> Result<Vec<u8>, Errno> {
        if self.captured {
            let probe = self.open(path, OFlags::PATH | OFlags::CLOEXEC)?;
            let stat = fs::fstat(&probe)?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                return Err(Errno::INVAL);
            }
        }
        let file = self.open(path, READ)?;
        let mut content = vec![0; cap.min(16 << 10)];
        let mut length = 0;
        loop {
            let room = content.get_mut(length..).unwrap_or_default();
            let got = match io::read(&file, room) {
                Err(Errno::INTR) => continue,
                other => other?,
            };
            if got == 0 {
                content.truncate(length);
                return Ok(content);
            }
            length += got;
            if length == content.len() {
                if length > cap {
                    return Err(Errno::FBIG);
                }
                content.resize((length * 2).min(cap + 1), 0);
            }
        }
    }

    fn link(&self, path: &str) -> Result<String, Errno> {
        let target = if self.captured {
            let fd = self.open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC)?;
            fs::readlinkat(&fd, "", Vec::new()).map_err(|error| match error {
                // The empty path on something that is no link.
                Errno::NOENT => Errno::INVAL,
                other => other,
            })?
        } else {
            fs::readlinkat(&self.top, path, Vec::new())?
        };
        target.into_string().map_err(|_| Errno::ILSEQ)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        let fd = self.open(path, DIRECTORY)?;
        let mut space = Vec::with_capacity(32 << 10);
        let mut entries = fs::RawDir::new(&fd, space.spare_capacity_mut());
        let mut names = Vec::new();
        while let Some(entry) = entries.next() {
            let entry = entry?;
            match entry.file_name().to_string_lossy().as_ref() {
                "." | ".." => {}
                name => names.push(name.to_owned()),
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn node_mode(&self, path: &str) -> Result<u32, Errno> {
        let stat = fs::statat(&self.top, path, fs::AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::BlockDevice => Ok(stat.st_mode & 0o7777),
            _ => Err(Errno::NOTBLK),
        }
    }

    fn is_live(&self) -> bool {
        !self.captured
    }
}
