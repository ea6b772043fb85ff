//! The files of a host: sysfs, proc and the udev database, wherever they come from.
//!
//! Paths are relative to the host's root and have no leading slash: `sys/class/block`. Callers read links and join them
//! ([`join`]) instead of passing through them, so that each thing has one path, in a capture too.

use rustix::io::Errno;

/// Sysfs gives at most one page for a text attribute; the VPD pages kept there are at most 64 KiB.
pub const ATTRIBUTE_CAP: usize = 64 << 10;

/// `mountinfo` of a host with many containers has some megabytes.
pub const FILE_CAP: usize = 64 << 20;

/// One opened directory.
#[derive(Debug)]
pub struct Dir {
    /// Its path below the host's root.
    pub path: String,
    pub(super) handle: Handle,
}

#[derive(Debug)]
pub(super) enum Handle {
    /// A directory of the file system, and, where a hostile tree is possible, the plain files in it.
    Open {
        fd: rustix::fd::OwnedFd,
        plain: Option<Vec<Box<[u8]>>>,
    },
    /// A path is all there is.
    Named,
}

/// Where the files of a host are read from. Every call is one attempt; nothing is cached here.
pub trait Files {
    /// Opens a directory.
    fn dir(&self, path: &str) -> Result<Dir, Errno>;

    /// Opens a directory below another.
    fn subdir(&self, dir: &Dir, name: &str) -> Result<Dir, Errno>;

    /// Reads a plain file of a directory whole into `buffer`; longer than `buffer` is `EFBIG`. Gives the length.
    fn read_in(&self, dir: &Dir, name: &str, buffer: &mut [u8]) -> Result<usize, Errno>;

    /// Reads a file by its path, up to `cap` bytes; longer is `EFBIG`.
    fn read(&self, path: &str, cap: usize) -> Result<Vec<u8>, Errno>;

    /// The target of a link as it stands.
    fn link(&self, path: &str) -> Result<String, Errno>;

    /// The names in a directory, sorted by bytes. What is no UTF-8 in a name is U+FFFD there: nothing can be opened
    /// by it, but it does not go missing.
    fn list(&self, path: &str) -> Result<Vec<String>, Errno>;

    /// The permission bits of a block device's node, by its path, without opening it.
    fn node_mode(&self, _path: &str) -> Result<u32, Errno> {
        Err(Errno::OPNOTSUPP)
    }

    /// Whether a second reading could differ from the first.
    fn is_live(&self) -> bool;
}

impl<T: Files + ?Sized> Files for Box<T> {
    fn dir(&self, path: &str) -> Result<Dir, Errno> {
        (**self).dir(path)
    }

    fn subdir(&self, dir: &Dir, name: &str) -> Result<Dir, Errno> {
        (**self).subdir(dir, name)
    }

    fn read_in(&self, dir: &Dir, name: &str, buffer: &mut [u8]) -> Result<usize, Errno> {
        (**self).read_in(dir, name, buffer)
    }

    fn read(&self, path: &str, cap: usize) -> Result<Vec<u8>, Errno> {
        (**self).read(path, cap)
    }

    fn link(&self, path: &str) -> Result<String, Errno> {
        (**self).link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        (**self).list(path)
    }

    fn node_mode(&self, path: &str) -> Result<u32, Errno> {
        (**self).node_mode(path)
    }

    fn is_live(&self) -> bool {
        (**self).is_live()
    }
}

/// Follows a link's text from the directory that holds it, within the root: `..` at the top stays there.
///
/// Exact because `base` never passes through a link.
pub fn join(base: &str, target: &str) -> String {
    let start = if target.starts_with('/') { "" } else { base };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The directory that holds a path: `sys/class/block/sda` → `sys/class/block`.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The last name of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Follows a link to its place, whole: reads it and joins it to the folder that holds it.
pub fn follow(files: &dyn Files, path: &str) -> Result<String, Errno> {
    let target = files.link(path)?;
    Ok(join(parent(path), &target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_in_the_root() {
        let base = "sys/class/block";
        assert_eq!(
            join(base, "../../devices/virtual/block/dm-0"),
            "sys/devices/virtual/block/dm-0"
        );
        assert_eq!(join(base, "../../../../../../etc/shadow"), "etc/shadow");
        assert_eq!(join(base, "/etc/shadow"), "etc/shadow");
        assert_eq!(join("", ".."), "");
    }
}
