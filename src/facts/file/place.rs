//! Which devices a filesystem puts a file's data on, and what else can be said of the filesystem.

use std::path::Path;

use rustix::io::Errno;

use crate::facts::collect::Collector;
use crate::facts::file::journal::{self, Journal};
use crate::facts::file::{Beside, FileFacts, FileTarget, NO_LIVE_FILE, overlay};
use crate::facts::mount::Mount;
use crate::facts::reading::Reading;
use crate::facts::target;
use crate::model::ids::{DevNo, KName};
use crate::source::Source;
use crate::source::inode::{self, Inode, View, XfsGeometry};

/// Devices, features and layers of the filesystem that a file lies on.
pub(super) fn complete(
    collector: &Collector,
    target: &FileTarget,
    inode: Option<&Inode>,
    facts: &mut FileFacts,
) {
    let Reading::Present(mount) = &facts.mount else {
        facts.devices = facts.mount.as_ref().map(|_| Vec::new());
        return;
    };
    let mount = mount.clone();
    match mount.filesystem.as_str() {
        "xfs" => xfs(collector, inode, &mount, facts),
        "btrfs" => btrfs(collector, inode, &mount, facts),
        "overlay" => {
            let real = inode
                .and_then(|inode| inode.real.clone())
                .unwrap_or_else(|| target.path.clone());
            match overlay::upper(collector, target, &mount, &real) {
                Ok(under) => {
                    facts.devices = under.devices.clone();
                    facts.under = Some(under);
                }
                Err(why) => {
                    facts.devices = Reading::Unsupported(why.text.as_str().into());
                    facts.no_upper = Some(why);
                }
            }
        }
        "ext4" | "ext3" | "ext2" => {
            facts.devices = of_mount(collector, &mount);
            ext4(collector, facts);
        }
        _ => facts.devices = of_mount(collector, &mount),
    }
}

/// The device of a number.
pub(super) fn by_number(collector: &Collector, major: u32, minor: u32) -> Reading<Vec<KName>> {
    let devno = DevNo { major, minor };
    match target::by_devno(collector, &devno.to_string(), devno) {
        Ok(kname) => Reading::Present(vec![kname]),
        Err(error) => Reading::Unsupported(error.to_string().into()),
    }
}

fn of_mount(collector: &Collector, mount: &Mount) -> Reading<Vec<KName>> {
    match mount.devno {
        Some(DevNo { major: 0, .. }) | None => Reading::Absent,
        Some(DevNo { major, minor }) => by_number(collector, major, minor),
    }
}

fn by_node(collector: &Collector, node: &str) -> Reading<Vec<KName>> {
    match target::resolve(collector, node) {
        Ok(found) => Reading::Present(found),
        Err(error) => Reading::Unsupported(error.to_string().into()),
    }
}

/// What any open descriptor on a filesystem tells: by the file's own, or by the mount point where the file is closed.
fn ask<T>(
    collector: &Collector,
    inode: Option<&Inode>,
    mount: &Mount,
    ask: impl Fn(&Inode) -> Result<T, rustix::io::Errno>,
) -> Reading<T> {
    if collector.host.source != Source::Live {
        return Reading::NotAsked(NO_LIVE_FILE);
    }
    let own = inode.map(&ask);
    match own {
        Some(Ok(found)) => Reading::Present(found),
        other => match inode::look(View::Own, Path::new(&mount.point)) {
            // Another process's mount point may be any file of ours.
            Ok(top) if Some(top.stat.dev) == mount.devno.map(|dev| (dev.major, dev.minor)) => {
                Reading::from(ask(&top))
            }
            _ => Reading::from(other.unwrap_or(Err(rustix::io::Errno::ACCESS))),
        },
    }
}

fn xfs(collector: &Collector, inode: Option<&Inode>, mount: &Mount, facts: &mut FileFacts) {
    facts.geometry = ask(collector, inode, mount, Inode::xfs_geometry);
    let option = |name: &str| mount.super_options.get(name).cloned().flatten();
    let (rtdev, logdev) = (option("rtdev"), option("logdev"));
    facts
        .beside
        .extend(logdev.map(|node| Beside { role: "log", node }));
    if let Some(geometry) = facts.geometry.value() {
        facts.features.extend(xfs_features(geometry));
    }
    // Only kernels built for debugging have it.
    let debug = collector.host.files.read("sys/fs/xfs/debug/always_cow", 16);
    facts.always_cow = debug.is_ok_and(|text| text.starts_with(b"1"));
    let internal = facts
        .geometry
        .get()
        .is_some_and(|geometry| geometry.rtstart != 0);
    facts.devices = match (facts.realtime(), rtdev) {
        (Some(true), Some(node)) => {
            facts.beside.extend(
                mount
                    .source
                    .clone()
                    .map(|node| Beside { role: "data", node }),
            );
            by_node(collector, &node)
        }
        (Some(true), None) if !internal => {
            Reading::malformed("a realtime file, and the mount has no rtdev=")
        }
        (Some(false), rtdev) => {
            facts.beside.extend(rtdev.map(|node| Beside {
                role: "realtime",
                node,
            }));
            of_mount(collector, mount)
        }
        (Some(true), None) => of_mount(collector, mount),
        // A captured host tells of the filesystem alone; without a realtime device there is one place only.
        (None, None) if !facts.geometry.is_present() => of_mount(collector, mount),
        (None, _) => facts.xattr.as_ref().map(|_| Vec::new()),
    };
}

fn xfs_features(geometry: &XfsGeometry) -> Vec<String> {
    let mut found = vec![format!("block size {}", geometry.blocksize)];
    if geometry.has(XfsGeometry::REFLINK) {
        found.push("reflink".into());
    }
    if geometry.logstart == 0 {
        found.push("external log".into());
    }
    if geometry.rtblocks > 0 {
        let place = if geometry.rtstart > 0 {
            "on the data device"
        } else {
            "on its own device"
        };
        found.push(format!(
            "realtime section {place}, extents of {}",
            match geometry.rtextsize {
                1 => "1 block".to_owned(),
                blocks => format!("{blocks} blocks"),
            }
        ));
    }
    if geometry.has(XfsGeometry::ZONED) {
        found.push("zoned".into());
    }
    found
}

fn btrfs(collector: &Collector, inode: Option<&Inode>, mount: &Mount, facts: &mut FileFacts) {
    if let Some(inode) = inode {
        facts.subvolume_readonly = Reading::from(inode.btrfs_subvolume_is_readonly());
    }
    let asked = inode.map(Inode::btrfs_fsid).and_then(Result::ok);
    let fsid = match asked.map_or_else(|| btrfs_of_source(collector, mount), |fsid| Ok(Some(fsid)))
    {
        Ok(fsid) => fsid,
        Err(error) => {
            facts.devices = Reading::from_errno(error);
            return;
        }
    };
    let Some(fsid) = fsid else {
        facts.devices = match &mount.source {
            Some(source) => by_node(collector, source),
            None => Reading::Absent,
        };
        return;
    };
    facts.devices = match btrfs_members(collector, &fsid) {
        Ok(found) if !found.is_empty() => Reading::Present(found),
        Ok(_) | Err(Errno::NOENT) => mount
            .source
            .as_deref()
            .map_or(Reading::Absent, |source| by_node(collector, source)),
        // The mount names one member; which others there are is not known.
        Err(error) => Reading::from_errno(error),
    };
    let features = format!("sys/fs/btrfs/{fsid}/features");
    for name in collector.host.files.list(&features).unwrap_or_default() {
        if matches!(
            name.as_str(),
            "zoned" | "raid1c34" | "raid56" | "compress_zstd" | "mixed_groups"
        ) {
            facts.features.push(name.replace('_', " "));
        }
    }
    facts.features.push(format!("uuid {fsid}"));
}

fn btrfs_members(collector: &Collector, fsid: &str) -> Result<Vec<KName>, Errno> {
    collector.knames(&format!("sys/fs/btrfs/{fsid}/devices"))
}

/// The filesystem that has the mount's source among its members; `None` where sysfs has none. One whose members cannot
/// be listed may be the one.
fn btrfs_of_source(collector: &Collector, mount: &Mount) -> Result<Option<String>, Errno> {
    let source = mount.source.as_deref();
    let found = source.and_then(|source| target::resolve(collector, source).ok());
    let Some(kname) = found.into_iter().flatten().next() else {
        return Ok(None);
    };
    let mut failed = None;
    for fsid in absent_is_empty(collector.host.files.list("sys/fs/btrfs"))? {
        match absent_is_empty(btrfs_members(collector, &fsid)) {
            Ok(members) if members.contains(&kname) => return Ok(Some(fsid)),
            Ok(_) => (),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(None), Err)
}

/// That there is no such directory is an answer.
fn absent_is_empty<T>(listed: Result<Vec<T>, Errno>) -> Result<Vec<T>, Errno> {
    match listed {
        Err(Errno::NOENT) => Ok(Vec::new()),
        listed => listed,
    }
}

/// The driver that serves it, and its journal.
fn ext4(collector: &Collector, facts: &mut FileFacts) {
    let Some([device]) = facts.devices.value().map(Vec::as_slice) else {
        return;
    };
    let device = device.clone();
    let files = collector.host.files.as_ref();
    let known = files.list(&format!("sys/fs/ext4/{device}")).is_ok();
    facts.ext2_driver = facts.filesystem() == Some("ext2") && !known;
    facts.journal = journal::of(collector, facts, &device);
    if let Reading::Present(journal) = &facts.journal {
        facts.features.push(journal.feature());
    }
    if let Reading::Present(Journal::External(Some(device))) = &facts.journal {
        let node = format!("/dev/{device}");
        facts.beside.push(Beside {
            role: "journal",
            node,
        });
    }
}
