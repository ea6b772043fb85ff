//! One file or directory: what it is, what it lies on, and what it has now.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::facts::collect::Collector;
use crate::facts::mount::Mount;
use crate::facts::reading::Reading;
use crate::facts::target::TargetError;
use crate::model::ids::KName;
use crate::model::text;
use crate::source::Source;
use crate::source::inode::{
    self, Attributes, FsXattr, Inode, Key, NodeType, Stat, View, XfsGeometry,
};

mod journal;
pub mod layout;
mod lookup;
mod overlay;
mod place;
mod swap;

pub use journal::Journal;
pub use layout::{Layout, Method, Tally};
use lookup::{mount_of, mounts};
pub use lookup::{plain, unreachable_path};
pub use overlay::NoUpper;

/// Why a value of a file is not read on a captured host.
pub const NO_LIVE_FILE: &str =
    "a captured host has no file to look at, and none of the links in a path";

/// A device of a filesystem that receives no data of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// What it is for: log, journal, data, realtime.
    pub role: &'static str,
    /// Its node as the mount's options name it.
    pub node: String,
}

/// What was read of one file.
#[derive(Debug)]
pub struct FileFacts {
    /// The path as it was given, safe to print.
    pub path: String,
    /// The path without links, where they could be followed.
    pub real: Option<String>,
    /// statx(2).
    pub stat: Reading<Stat>,
    /// The mount that it lies in.
    pub mount: Reading<Mount>,
    /// Where [`FileFacts::mount`] was read.
    pub mounts_file: String,
    /// `FS_*_FL` bits; of a directory those that new files inherit.
    pub flags: Reading<u32>,
    /// `FS_IOC_FSGETXATTR`.
    pub xattr: Reading<FsXattr>,
    /// XFS: the filesystem's geometry.
    pub geometry: Reading<XfsGeometry>,
    /// Whether the kernel swaps to it.
    pub swap: Reading<bool>,
    /// Why it could not be opened for reading.
    pub closed: Option<Errno>,
    /// The extents that it has now.
    pub layout: Reading<Layout>,
    /// The devices that zeroes go to.
    pub devices: Reading<Vec<KName>>,
    /// Further devices of the filesystem.
    pub beside: Vec<Beside>,
    /// What can be said of the filesystem.
    pub features: Vec<String>,
    /// ext4: its journal.
    pub journal: Reading<Journal>,
    /// XFS: the debug knob that makes every file copy on write is set.
    pub always_cow: bool,
    /// btrfs: the subvolume that it lies in is read-only.
    pub subvolume_readonly: Reading<bool>,
    /// Of an encrypted directory: whether its key is loaded.
    pub key: Reading<Key>,
    /// ext2: it is not the ext4 driver that serves it.
    pub ext2_driver: bool,
    /// overlayfs: the file, or the directory for its copy, in the upper layer.
    pub under: Option<Box<FileFacts>>,
    /// overlayfs: why [`FileFacts::under`] is not there.
    pub no_upper: Option<NoUpper>,
}

/// A path to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTarget {
    /// The path.
    pub path: PathBuf,
    /// Whose path it is.
    pub view: View,
    /// How many overlays it was reached through.
    pub layer: u8,
}

impl FileTarget {
    /// A path as it was given.
    pub fn new(path: impl Into<PathBuf>, view: View) -> Self {
        Self {
            path: path.into(),
            view,
            layer: 0,
        }
    }

    fn failed(&self, why: impl Into<String>) -> TargetError {
        TargetError::NoDevice {
            word: shown(&self.path),
            why: why.into(),
        }
    }
}

fn shown(path: &Path) -> String {
    text::clean(path.as_os_str().as_bytes())
}

impl FileFacts {
    /// Whether it is a directory, so that the answer is for a new file in it.
    pub fn is_directory(&self) -> bool {
        self.stat
            .value()
            .is_some_and(|stat| stat.node == NodeType::Directory)
    }

    /// Whether it is a device's node.
    pub fn is_block(&self) -> bool {
        self.stat
            .value()
            .is_some_and(|stat| stat.node == NodeType::Block)
    }

    /// Whether it is a directory that was removed while someone held it.
    pub fn is_removed_directory(&self) -> bool {
        // The name that proc gives tells it from a filesystem that counts no links.
        let named = self.real.as_deref();
        let gone = named.is_none_or(|name| name.ends_with(" (deleted)"));
        let links = self.stat.value().map(|stat| stat.nlink);
        self.is_directory() && links == Some(0) && gone
    }

    /// Filesystem type of its mount.
    pub fn filesystem(&self) -> Option<&str> {
        self.mount.value().map(|mount| mount.filesystem.as_str())
    }

    /// An attribute of statx(2); `None` where it could not be asked.
    pub fn attribute(&self, attribute: Attributes) -> Option<bool> {
        self.stat
            .value()
            .map(|stat| stat.attributes.contains(attribute))
    }

    /// A bit of `FS_IOC_GETFLAGS`; `None` where it could not be asked.
    pub fn flag(&self, bit: u32) -> Option<bool> {
        self.flags.get().map(|flags| flags & bit != 0)
    }

    /// Whether its data lies, or will lie, in the realtime section of XFS; `None` where it could not be asked.
    pub fn realtime(&self) -> Option<bool> {
        if self
            .geometry
            .get()
            .is_some_and(|geometry| geometry.rtblocks == 0)
        {
            return Some(false);
        }
        let bit = if self.is_directory() {
            FsXattr::RTINHERIT
        } else {
            FsXattr::REALTIME
        };
        self.xattr.get().map(|xattr| xattr.xflags & bit != 0)
    }
}

/// Looks at a path of the host; a path that leads to nothing that has an answer is an error.
pub fn collect(collector: &Collector, target: &FileTarget) -> Result<FileFacts, TargetError> {
    if collector.host.source != Source::Live {
        let path = plain(collector.host.files.as_ref(), &target.path);
        let path = path.map_err(|why| target.failed(why))?;
        let facts = FileFacts {
            path: shown(&target.path),
            ..captured(collector, &FileTarget { path, ..*target })
        };
        return match facts.mount.status() {
            None => Ok(facts),
            Some(status) => Err(target.failed(format!(
                "a captured host answers for a file by its mount, and {} has none for it ({status}); \
                 or name a device, or its path below /dev",
                facts.mounts_file
            ))),
        };
    }
    match inode::look(target.view, &target.path) {
        Ok(found) => match found.stat.node {
            NodeType::Regular | NodeType::Directory | NodeType::Block => {
                Ok(live(collector, target, &found))
            }
            other => Err(target.failed(refused(other))),
        },
        // Another process's files need ptrace rights, its mounts do not.
        Err(error @ (Errno::ACCESS | Errno::PERM)) if target.view != View::Own => {
            Ok(denied(collector, target, error))
        }
        Err(error) => Err(target.failed(unreachable_path(target.view, &target.path, error))),
    }
}

fn refused(node: NodeType) -> String {
    let how = match node {
        NodeType::Fifo => "fallocate answers ESPIPE (29)",
        NodeType::Socket => "it cannot be opened (ENXIO)",
        _ => "fallocate answers ENODEV (19)",
    };
    format!(
        "is a {}: {how}; name a regular file, a directory or a block device",
        node.word()
    )
}

/// A new file's directory on a filesystem, for tests of rules: `line` is its line of mountinfo.
#[cfg(test)]
pub(crate) fn on(line: &str) -> FileFacts {
    let Reading::Present(mounts) = crate::facts::mount::Mounts::parse(line.as_bytes()) else {
        panic!("{line}")
    };
    let mount = mounts.iter().next().cloned().expect("a mount");
    let target = FileTarget::new("/m/file", View::Own);
    nothing_read(
        &target,
        "/proc/self/mountinfo".into(),
        Reading::Present(mount),
    )
}

fn nothing_read(target: &FileTarget, mounts_file: String, mount: Reading<Mount>) -> FileFacts {
    FileFacts {
        path: shown(&target.path),
        real: None,
        stat: Reading::NotAsked(NO_LIVE_FILE),
        mount,
        mounts_file,
        flags: Reading::NotAsked(NO_LIVE_FILE),
        xattr: Reading::NotAsked(NO_LIVE_FILE),
        geometry: Reading::NotAsked(NO_LIVE_FILE),
        swap: Reading::NotAsked(NO_LIVE_FILE),
        closed: None,
        layout: Reading::NotAsked(NO_LIVE_FILE),
        devices: Reading::Absent,
        beside: Vec::new(),
        features: Vec::new(),
        journal: Reading::Absent,
        always_cow: false,
        subvolume_readonly: Reading::NotAsked(NO_LIVE_FILE),
        key: Reading::NotAsked(NO_LIVE_FILE),
        ext2_driver: false,
        under: None,
        no_upper: None,
    }
}

/// A path on a captured host: its mount, found by the path as it is written, and the filesystem's devices.
fn captured(collector: &Collector, target: &FileTarget) -> FileFacts {
    let (mounts_file, mounts) = mounts(collector, target.view);
    let mount = mount_of(&mounts, target.view, None, Some(&target.path));
    let mut facts = nothing_read(target, mounts_file, mount);
    place::complete(collector, target, None, &mut facts);
    facts
}

/// Links in the path cannot be seen, so that its mount is known only where the path is a mount point.
fn denied(collector: &Collector, target: &FileTarget, error: Errno) -> FileFacts {
    let mut facts = captured(collector, target);
    if facts.mount.value().map(|mount| mount.point.as_str()) != Some(&shown(&target.path)) {
        let (mounts_file, _) = mounts(collector, target.view);
        facts = nothing_read(target, mounts_file, Reading::Denied(error));
        facts.devices = Reading::Denied(error);
    }
    facts.stat = Reading::Denied(error);
    facts.flags = Reading::Denied(error);
    facts.xattr = Reading::Denied(error);
    facts.swap = Reading::Denied(error);
    facts.layout = Reading::Denied(error);
    facts.subvolume_readonly = Reading::Denied(error);
    facts.closed = Some(error);
    if !facts.geometry.is_present() {
        facts.geometry = Reading::Denied(error);
    }
    facts
}

/// A process that changed its root sees not the mount that its files lie in, where this one may.
fn as_seen_from_here(
    collector: &Collector,
    target: &FileTarget,
    found: &Inode,
) -> Option<FileFacts> {
    let path = found.own.clone().filter(|_| target.view != View::Own)?;
    let here = inode::look(View::Own, &path).ok()?;
    let same = |stat: &Stat| (stat.mnt_id, stat.dev, stat.ino);
    if same(&here.stat) != same(&found.stat) {
        return None;
    }
    let own = FileTarget {
        path,
        view: View::Own,
        layer: target.layer,
    };
    let facts = live(collector, &own, &here);
    facts.mount.is_present().then(|| FileFacts {
        path: shown(&target.path),
        ..facts
    })
}

fn live(collector: &Collector, target: &FileTarget, found: &Inode) -> FileFacts {
    let (mounts_file, mounts) = mounts(collector, target.view);
    let path = found.real.as_deref();
    let mount = mount_of(&mounts, target.view, Some(&found.stat), path);
    if !mount.is_present()
        && let Some(facts) = as_seen_from_here(collector, target, found)
    {
        return facts;
    }
    let mut facts = nothing_read(target, mounts_file, mount);
    let node = found.stat.node;
    facts.real = found.real.as_deref().map(shown);
    facts.stat = Reading::Present(found.stat.clone());
    if node == NodeType::Block {
        for_a_node(collector, found, &mut facts);
        return facts;
    }
    facts.flags = Reading::from(found.flags());
    facts.xattr = Reading::from(found.xattr());
    facts.swap = swap::is_swapped_to(collector, &found.stat);
    facts.closed = found.closed();
    if node == NodeType::Directory && found.stat.attributes.contains(Attributes::ENCRYPTED) {
        facts.key = Reading::from(found.key());
    }
    facts.layout = match node {
        NodeType::Directory => Reading::NotAsked("a directory has no extents of data"),
        _ => layout::of(found),
    };
    place::complete(collector, target, Some(found), &mut facts);
    facts
}

fn for_a_node(collector: &Collector, found: &Inode, facts: &mut FileFacts) {
    const NODE: &str = "a device's node has no inode of a filesystem";
    facts.flags = Reading::NotAsked(NODE);
    facts.xattr = Reading::NotAsked(NODE);
    facts.geometry = Reading::NotAsked(NODE);
    facts.layout = Reading::NotAsked(NODE);
    facts.swap = Reading::NotAsked(NODE);
    let (major, minor) = found.stat.rdev;
    facts.devices = place::by_number(collector, major, minor);
}

/// Reads what [`collect`] would of every filesystem, so that a capture answers for each path.
pub fn index(collector: &Collector) {
    let files = collector.host.files.as_ref();
    let _ = files.list("proc/fs/jbd2");
    for driver in ["sys/fs/ext4", "sys/fs/btrfs"] {
        for filesystem in files.list(driver).unwrap_or_default() {
            let _ = files.list(&format!("{driver}/{filesystem}"));
            let _ = files.read(&format!("{driver}/{filesystem}/journal_task"), 64);
            let _ = files.list(&format!("{driver}/{filesystem}/devices"));
            let _ = files.list(&format!("{driver}/{filesystem}/features"));
        }
    }
    let _ = files.read("sys/fs/xfs/debug/always_cow", 16);
}

#[cfg(test)]
mod tests;
