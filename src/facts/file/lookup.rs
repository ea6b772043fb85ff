//! From a path to its mount, and why that may fail.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use crate::facts::collect::Collector;
use crate::facts::file::shown;
use crate::facts::mount::{Mount, Mounts};
use crate::facts::reading::Reading;
use crate::source::errno;
use crate::source::files::{FILE_CAP, Files};
use crate::source::inode::{self, Attributes, Stat, View};

/// Why a mount is not in mountinfo, which lists what stands below the process's root directory (`m_show` and
/// `show_mountinfo`, fs/proc_namespace.c).
fn why_not_listed(view: View, path: Option<&Path>) -> String {
    if path.is_some_and(|path| path.as_os_str().as_encoded_bytes().starts_with(b"/memfd:")) {
        return "it is the kernel's own for memory files (memfd_create), and stands in no namespace"
            .into();
    }
    let root = inode::look(view, Path::new("/"));
    let changed = root.is_ok_and(|root| !root.stat.attributes.contains(Attributes::MOUNT_ROOT));
    if changed {
        return "it stands outside of the process's root directory, which was changed by chroot(2): \
                look from outside of it"
            .into();
    }
    "it was unmounted meanwhile, or stands outside of the process's root directory or in no namespace"
        .into()
}

/// A path as it is written, whole and without `.`, `..` and empty names. Nothing there can be looked at, so `..` is
/// taken back only past names that are no link as far as `files` tell.
pub fn plain(files: &dyn Files, path: &Path) -> Result<PathBuf, String> {
    let mut found = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            let name = found.to_string_lossy();
            if files.link(name.trim_start_matches('/')).is_ok() {
                return Err(format!(
                    "{} is a link, so that .. after it leads elsewhere: name the path without links",
                    shown(&found)
                ));
            }
            found.pop();
        } else {
            found.push(part);
        }
    }
    Ok(found)
}

/// Why a path could not be looked at, and what to do about it.
pub fn unreachable_path(view: View, path: &Path, error: Errno) -> String {
    let what = errno::describe(error);
    let hint = match error {
        Errno::NOENT if inode::link_target(view, path).is_some() => {
            let to = inode::link_target(view, path).unwrap_or_default();
            return format!("is a link to {}, which is not there ({what})", shown(&to));
        }
        Errno::NOENT => match view {
            View::Process(pid) if !Path::new(&format!("/proc/{pid}")).exists() => {
                format!("; looked below /proc/{pid}/root: is process {pid} there?")
            }
            View::Process(pid) => format!(
                "; looked below /proc/{pid}/root; to know for a file that is still to be made, name its directory"
            ),
            View::Own => "; to know for a file that is still to be made, name its directory".into(),
        },
        Errno::ACCESS => {
            "; a directory on the way may not be searched, or the server refuses: run as root there"
                .into()
        }
        Errno::STALE => "; the server no longer knows the file: mount it anew".into(),
        Errno::NOTCONN => {
            "; the mount's server is gone: unmount it (umount -l) and mount it anew".into()
        }
        Errno::IO => {
            "; the device or server below failed: dmesg tells more, a check of the filesystem comes next"
                .into()
        }
        Errno::LOOP => "; too many links".into(),
        Errno::NAMETOOLONG => "; a path has at most 4095 bytes, a name 255".into(),
        _ => String::new(),
    };
    format!("cannot look at it: {what}{hint}")
}

pub(super) fn mounts(collector: &Collector, view: View) -> (String, Reading<Mounts>) {
    let path = format!("{}/mountinfo", view.proc_dir());
    let mounts = match view {
        View::Own => collector.mounts().clone(),
        View::Process(_) => {
            let bytes = collector.host.files.read(&path, FILE_CAP);
            Reading::from(bytes).and_then(|bytes| Mounts::parse(&bytes))
        }
    };
    (format!("/{path}"), mounts)
}

pub(super) fn mount_of(
    mounts: &Reading<Mounts>,
    view: View,
    stat: Option<&Stat>,
    path: Option<&Path>,
) -> Reading<Mount> {
    mounts.as_ref().and_then(|mounts| {
        if let Some(id) = stat.and_then(|stat| stat.mnt_id) {
            let found = mounts
                .iter()
                .find(|mount| u64::try_from(mount.id) == Ok(id));
            return found.cloned().map_or_else(
                || {
                    Reading::malformed(format!(
                        "mount {id} is not in mountinfo: {}",
                        why_not_listed(view, path)
                    ))
                },
                Reading::Present,
            );
        }
        let found = path.and_then(|path| mounts.filesystem_of(path.as_os_str().as_bytes()));
        found.cloned().map_or(Reading::Absent, Reading::Present)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::open;

    #[test]
    fn a_path_is_made_plain_where_no_link_is_on_the_way() {
        let root = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(root.path().join("proc/self")).expect("folders");
        std::fs::create_dir_all(root.path().join("sys")).expect("folders");
        std::os::unix::fs::symlink("/srv/far", root.path().join("near")).expect("a link");
        let host = open::sysroot(root.path()).expect("a host");
        let plain = |path: &str| {
            plain(host.files.as_ref(), Path::new(path)).map(|path| path.display().to_string())
        };
        assert_eq!(plain("/a//b/./c/").as_deref(), Ok("/a/b/c"));
        assert_eq!(plain("/a/b/../c").as_deref(), Ok("/a/c"));
        assert_eq!(plain("/../..").as_deref(), Ok("/"));
        assert_eq!(plain("/dev/../tmp/x").as_deref(), Ok("/tmp/x"));
        let refused = plain("/near/../x").expect_err("a link");
        assert!(refused.starts_with("/near is a link"), "{refused}");
    }

    #[test]
    fn a_mount_that_is_not_listed_is_told_by_what_it_is() {
        let memory = why_not_listed(View::Own, Some(Path::new("/memfd:x (deleted)")));
        assert!(memory.contains("memfd_create"), "{memory}");
    }
}
