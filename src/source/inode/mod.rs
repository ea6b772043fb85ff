//! One file or directory of the running host, looked at without touching what is in it.
//!
//! A path is opened with `O_PATH` first, which runs no code of a driver or a FIFO's other end. Only what turns out to
//! be a regular file or a directory is opened once more, for reading, through `/proc/self/fd`: the same inode, whatever
//! the path has become meanwhile. Nothing here writes, and no data is read.

mod encryption;
mod fiemap;
mod requests;
mod stat;

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, StatxFlags};
use rustix::io::Errno;

pub use encryption::Key;
pub use fiemap::{Extent, ExtentFlags, Segment};
pub use requests::{FsXattr, XfsGeometry};
pub use stat::{Attributes, Stat};

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeType {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A block device's node.
    Block,
    /// A character device's node.
    Char,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// Something else.
    Other,
}

impl NodeType {
    fn of(mode: u32) -> Self {
        match FileType::from_raw_mode(mode) {
            FileType::RegularFile => Self::Regular,
            FileType::Directory => Self::Directory,
            FileType::BlockDevice => Self::Block,
            FileType::CharacterDevice => Self::Char,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            _ => Self::Other,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Regular => "regular file",
            Self::Directory => "directory",
            Self::Block => "block device",
            Self::Char => "character device",
            Self::Fifo => "FIFO",
            Self::Socket => "socket",
            Self::Other => "special file",
        }
    }
}

/// Whose view of the tree a path belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// This process's own.
    #[default]
    Own,
    /// That of another process: its root and its mounts.
    Process(u32),
}

impl View {
    /// The directory of proc that tells of it: `proc/self`, `proc/1234`.
    pub fn proc_dir(self) -> String {
        match self {
            Self::Own => "proc/self".into(),
            Self::Process(pid) => format!("proc/{pid}"),
        }
    }
}

/// One inode, held by a descriptor.
#[derive(Debug)]
pub struct Inode {
    /// What statx(2) says.
    pub stat: Stat,
    /// Its path without links, in the view that it was opened in; `None` where proc does not tell.
    pub real: Option<PathBuf>,
    /// The same as this process sees it: of another view below that one's root.
    pub own: Option<PathBuf>,
    data: Result<OwnedFd, Errno>,
}

/// A path opened with `O_PATH`, and the root directory of the view that is not our own.
fn open(view: View, path: &Path, more: OFlags) -> Result<(OwnedFd, Option<OwnedFd>), Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    match view {
        View::Own => Ok((fs::openat(CWD, path, flags | more, Mode::empty())?, None)),
        View::Process(pid) => {
            let root = format!("/proc/{pid}/root");
            let root = fs::openat(CWD, root, flags | OFlags::DIRECTORY, Mode::empty())?;
            // Absolute links in there must not lead to files of ours.
            let inside = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
            let fd = fs::openat2(&root, path, flags | more, Mode::empty(), inside)?;
            Ok((fd, Some(root)))
        }
    }
}

/// The path of an open file as this process sees it.
fn path_of(fd: &OwnedFd) -> Option<PathBuf> {
    let path = fs::readlinkat(CWD, proc_path(fd), Vec::new()).ok()?;
    Some(PathBuf::from(OsString::from_vec(path.into_bytes())))
}

/// Looks at a path, following links.
pub fn look(view: View, path: &Path) -> Result<Inode, Errno> {
    let (fd, root) = open(view, path, OFlags::empty())?;
    let stat = Stat::of(&fd)?;
    let own = path_of(&fd);
    let real = match &root {
        None => own.clone(),
        Some(root) => inside(path_of(root), own.as_deref()),
    };
    let data = match stat.node {
        NodeType::Regular => reopen(&fd, OFlags::empty()),
        NodeType::Directory => reopen(&fd, OFlags::DIRECTORY),
        _ => Err(Errno::BADF),
    };
    Ok(Inode {
        stat,
        real,
        own,
        data,
    })
}

/// A path as a process sees it whose root directory has a path of its own.
fn inside(root: Option<PathBuf>, path: Option<&Path>) -> Option<PathBuf> {
    let inside = path?.strip_prefix(root?).ok()?;
    Some(Path::new("/").join(inside))
}

/// What of an inode overlayfs hands on from the upper layer: type and mode, and when it changed, was modified and made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    mode: u16,
    times: [(i64, u32); 3],
}

/// The little that tells one file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glance {
    /// What it is.
    pub node: NodeType,
    /// The filesystem's device number.
    pub dev: (u32, u32),
    /// What it shows of itself through overlayfs too.
    pub trace: Trace,
}

/// Looks at a path, following links, without opening what is there.
pub fn glance(view: View, path: &Path) -> Result<Glance, Errno> {
    let (fd, _root) = open(view, path, OFlags::empty())?;
    let mask = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    let raw = fs::statx(&fd, "", AtFlags::EMPTY_PATH, mask)?;
    let born = raw.stx_mask & StatxFlags::BTIME.bits() != 0;
    let time = |time: fs::StatxTimestamp| (time.tv_sec, time.tv_nsec);
    Ok(Glance {
        node: NodeType::of(u32::from(raw.stx_mode)),
        dev: (raw.stx_dev_major, raw.stx_dev_minor),
        trace: Trace {
            mode: raw.stx_mode,
            times: [
                time(raw.stx_ctime),
                time(raw.stx_mtime),
                if born { time(raw.stx_btime) } else { (0, 0) },
            ],
        },
    })
}

/// The target of a path that is itself a link, in a view.
pub fn link_target(view: View, path: &Path) -> Option<PathBuf> {
    let (fd, _root) = open(view, path, OFlags::NOFOLLOW).ok()?;
    let to = fs::readlinkat(&fd, "", Vec::new()).ok()?;
    Some(PathBuf::from(OsString::from_vec(to.into_bytes())))
}

/// Whether a path itself is a symbolic link.
pub fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink())
}

/// Device and inode number of the file at a path, which tell it from every other one while it exists.
pub fn identity(path: &Path) -> Result<(u64, u64), Errno> {
    let stat = fs::stat(path)?;
    Ok((stat.st_dev, stat.st_ino))
}

fn proc_path(fd: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

fn reopen(fd: &OwnedFd, more: OFlags) -> Result<OwnedFd, Errno> {
    // NONBLOCK: a lease or an offline file must not make an inspection wait.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | more;
    fs::openat(CWD, proc_path(fd), flags, Mode::empty())
}

impl Inode {
    fn data(&self) -> Result<&OwnedFd, Errno> {
        self.data.as_ref().map_err(|error| *error)
    }

    /// Why the file itself could not be opened for reading.
    pub fn closed(&self) -> Option<Errno> {
        self.data.as_ref().err().copied()
    }

    /// `FS_IOC_GETFLAGS`: the `FS_*_FL` bits.
    pub fn flags(&self) -> Result<u32, Errno> {
        Ok(fs::ioctl_getflags(self.data()?)?.bits())
    }

    /// `FS_IOC_FSGETXATTR`.
    pub fn xattr(&self) -> Result<FsXattr, Errno> {
        requests::xattr(self.data()?)
    }

    /// `XFS_IOC_FSGEOMETRY` of the filesystem.
    pub fn xfs_geometry(&self) -> Result<XfsGeometry, Errno> {
        requests::xfs_geometry(self.data()?)
    }

    /// The UUID of a btrfs filesystem as its folder in /sys/fs/btrfs is named, by `BTRFS_IOC_FS_INFO`.
    pub fn btrfs_fsid(&self) -> Result<String, Errno> {
        requests::btrfs_fsid(self.data()?)
    }

    /// Whether the btrfs subvolume that it lies in is read-only, by `BTRFS_IOC_GET_SUBVOL_INFO`.
    pub fn btrfs_subvolume_is_readonly(&self) -> Result<bool, Errno> {
        requests::btrfs_subvolume_is_readonly(self.data()?)
    }

    /// Whether the key that new files of an encrypted directory need is loaded, by fscrypt's two requests.
    pub fn key(&self) -> Result<Key, Errno> {
        encryption::key(self.data()?)
    }

    /// Every extent, by `FS_IOC_FIEMAP`. Data that no extent was made for yet is shown as delayed, and stays so.
    pub fn extents(&self) -> Result<Vec<Extent>, Errno> {
        fiemap::extents(self.data()?)
    }

    /// Where there is data and where there is none, by lseek(2), for filesystems without FIEMAP.
    pub fn segments(&self) -> Result<Vec<Segment>, Errno> {
        fiemap::segments(self.data()?, self.stat.size_bytes)
    }
}

#[cfg(test)]
mod tests;
