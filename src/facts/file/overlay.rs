//! overlayfs: a write goes to the upper layer, where the file is or is copied to when it is opened for writing.
//!
//! The mount's options name the upper layer by the path that whoever mounted it gave, long ago and maybe in another
//! mount namespace. What lies there now is taken for the layer only if it is: overlayfs hands on mode and times of the
//! upper inode (`ovl_getattr`, fs/overlayfs/inode.c), so both must show the same ones.

use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use crate::facts::collect::Collector;
use crate::facts::file::{FileFacts, FileTarget, collect, mounts, shown};
use crate::facts::mount::{Mount, Mounts};
use crate::facts::reading::Reading;
use crate::source::inode::{self, NodeType, View};
use crate::source::{Source, errno};

/// Overlays on overlays: the kernel stacks two (`FILESYSTEM_MAX_STACK_DEPTH`, include/linux/fs.h).
const DEEPEST: u8 = 3;

/// Why there is no answer from the upper layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoUpper {
    /// What was found.
    pub text: String,
    /// What to do to know.
    pub to_know: &'static str,
}

impl NoUpper {
    fn new(text: impl Into<String>, to_know: &'static str) -> Self {
        let text = text.into();
        Self { text, to_know }
    }

    fn by_errno(path: &Path, error: Errno) -> Self {
        let path = shown(path);
        match error {
            Errno::NOENT | Errno::NOTDIR => {
                let text = format!(
                    "there is no {path} here: it is a path of another mount namespace, or something lies over it"
                );
                Self::new(text, ELSEWHERE)
            }
            Errno::ACCESS | Errno::PERM => {
                Self::new(format!("{path}: {}", errno::describe(error)), "run as root")
            }
            error => Self::new(format!("{path}: {}", errno::describe(error)), BY_PATH),
        }
    }
}

const ELSEWHERE: &str = "run as root in the mount namespace that made the overlay";
const BY_PATH: &str = "name the file by a path that leads to it in the upper layer";

/// The file in the upper layer, or the nearest directory above it that is there.
pub(super) fn upper(
    collector: &Collector,
    target: &FileTarget,
    mount: &Mount,
    real: &Path,
) -> Result<Box<FileFacts>, NoUpper> {
    if target.layer == DEEPEST {
        let text = "more overlays lie on each other than the kernel stacks";
        return Err(NoUpper::new(text, BY_PATH));
    }
    let (_, all) = mounts(collector, target.view);
    let rest = rest_of(mount, real).ok_or_else(|| {
        let text = format!("{} is not below {}", shown(real), mount.point);
        NoUpper::new(text, BY_PATH)
    })?;
    let layers = Layers {
        target,
        mount,
        all: all.value(),
        rest,
    };
    let tops = spellings(mount, "upperdir");
    if tops.is_empty() {
        return Err(NoUpper::new("the overlay has no upper layer", BY_PATH));
    }
    // A container's overlay was most often mounted from the host's namespace.
    let views = match target.view {
        View::Own => vec![View::Own],
        View::Process(_) => vec![target.view, View::Own],
    };
    let mut why: Option<NoUpper> = None;
    for (top, work) in tops.iter().zip(spellings(mount, "workdir")) {
        for view in &views {
            let found = if collector.host.source == Source::Live {
                layers.live(collector, top, &work, *view)
            } else {
                layers.captured(collector, top, *view)
            };
            match found {
                Ok(mut facts) => {
                    // overlayfs writes through a clone of the mount, made when the overlay was mounted
                    // (`ovl_get_upper`, fs/overlayfs/super.c): what the visible mount became later does not matter.
                    if let Reading::Present(mount) = &mut facts.mount {
                        mount.options.remove("ro");
                    }
                    return Ok(facts);
                }
                // That something else lies there says more than that nothing does.
                Err(new) if why.as_ref().is_none_or(|old| old.to_know == ELSEWHERE) => {
                    why = Some(new);
                }
                Err(_) => {}
            }
        }
    }
    Err(why.unwrap_or_else(|| NoUpper::new("the overlay's mount names no workdir", BY_PATH)))
}

/// An option as overlayfs understands it, and as it stands: a layer that was given by a descriptor is shown without
/// escapes (`ovl_unescape` and `ovl_parse_layer`, fs/overlayfs/params.c).
fn spellings(mount: &Mount, option: &str) -> Vec<PathBuf> {
    let Some(text) = mount.super_options.get(option).and_then(Option::as_deref) else {
        return Vec::new();
    };
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => plain.extend(rest.next()),
            c => plain.push(c),
        }
    }
    vec![plain.into(), text.into()]
}

/// The path of a file within the overlay, relative to its root.
fn rest_of(mount: &Mount, real: &Path) -> Option<PathBuf> {
    let inside = real.strip_prefix(&mount.point).ok()?;
    Some(below(Path::new(mount.root.trim_start_matches('/')), inside))
}

/// Two paths joined, without the slash at the end that an empty second one would leave.
fn below(top: &Path, rest: &Path) -> PathBuf {
    let parts = top.components().chain(rest.components());
    parts.filter(|part| *part != Component::CurDir).collect()
}

struct Layers<'a> {
    target: &'a FileTarget,
    mount: &'a Mount,
    all: Option<&'a Mounts>,
    rest: PathBuf,
}

impl Layers<'_> {
    fn look(
        &self,
        collector: &Collector,
        path: PathBuf,
        view: View,
    ) -> Result<Box<FileFacts>, NoUpper> {
        let target = FileTarget {
            path,
            view,
            layer: self.target.layer + 1,
        };
        match collect(collector, &target) {
            Ok(facts) => Ok(Box::new(facts)),
            Err(error) => Err(NoUpper::new(error.to_string(), BY_PATH)),
        }
    }

    fn live(
        &self,
        collector: &Collector,
        top: &Path,
        work: &Path,
        view: View,
    ) -> Result<Box<FileFacts>, NoUpper> {
        absolute(top)?;
        let glance =
            |path: &Path| inode::glance(view, path).map_err(|error| NoUpper::by_errno(path, error));
        let layer = glance(top)?;
        // The kernel takes both from one mount alone (`ovl_get_workdir`).
        match inode::glance(view, work) {
            Ok(work) if work.dev == layer.dev => {}
            Err(error @ (Errno::ACCESS | Errno::PERM)) => {
                return Err(NoUpper::by_errno(work, error));
            }
            _ => return Err(other_there(top)),
        }
        let mut rest = self.rest.clone();
        let path = loop {
            let path = below(top, &rest);
            match inode::glance(view, &path) {
                // A whiteout is a character device.
                Ok(found) if found.node != NodeType::Char => break path,
                Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) if rest.pop() => {}
                Ok(_) => return Err(other_there(top)),
                Err(error) => return Err(NoUpper::by_errno(&path, error)),
            }
        };
        match self.is_same(&rest, view, &path) {
            Some(true) => {}
            Some(false) => return Err(other_there(&path)),
            // No place of the overlay shows that directory; its workdir stood beside it.
            None if view == self.target.view && view == View::Own => {}
            None => {
                let text = format!("whether {} is the upper layer cannot be seen", shown(&path));
                return Err(NoUpper::new(text, ELSEWHERE));
            }
        }
        self.look(collector, path, view)
    }

    /// Whether the overlay shows the inode at `path` for `rest`; `None` where nothing shows it.
    fn is_same(&self, rest: &Path, view: View, path: &Path) -> Option<bool> {
        let others = self.all.into_iter().flat_map(Mounts::iter);
        let others =
            others.filter(|other| other.devno == self.mount.devno && other.filesystem == "overlay");
        let mut answer = None;
        for place in std::iter::once(self.mount).chain(others) {
            let Ok(inside) = rest.strip_prefix(place.root.trim_start_matches('/')) else {
                continue;
            };
            let shows = below(Path::new(&place.point), inside);
            // A second time: it may have changed between the two looks.
            for _ in 0..2 {
                let both = inode::glance(self.target.view, &shows)
                    .and_then(|through| Ok((through, inode::glance(view, path)?)));
                match both {
                    Ok((through, upper)) if through.trace == upper.trace => return Some(true),
                    Ok(_) => answer = Some(false),
                    Err(_) => {}
                }
            }
        }
        answer
    }

    /// On a captured host the order of mounts tells: what was mounted after the overlay is not its layer.
    fn captured(
        &self,
        collector: &Collector,
        top: &Path,
        view: View,
    ) -> Result<Box<FileFacts>, NoUpper> {
        absolute(top)?;
        let all = self.all.map(|all| all.iter().collect::<Vec<_>>());
        let all = all.unwrap_or_default();
        let made = all
            .iter()
            .position(|other| other.devno == self.mount.devno && other.filesystem == "overlay");
        let path = below(top, &self.rest);
        let facts = self.look(collector, path, view)?;
        let holds = facts.mount.value();
        let holds = all.iter().position(|other| Some(*other) == holds);
        if holds >= made {
            return Err(other_there(top));
        }
        Ok(facts)
    }
}

fn absolute(top: &Path) -> Result<(), NoUpper> {
    if top.is_absolute() {
        return Ok(());
    }
    let text = format!(
        "the overlay was mounted with the relative upperdir {}, which says nothing of where it lies",
        shown(top)
    );
    Err(NoUpper::new(text, BY_PATH))
}

fn other_there(path: &Path) -> NoUpper {
    let text = format!(
        "what lies at {} now is not the overlay's upper layer: something was mounted over it, or it was moved",
        shown(path)
    );
    NoUpper::new(text, BY_PATH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_within_the_overlay_follows_binds() {
        let text = b"34 22 0:50 / /merged rw - overlay none rw,upperdir=/up,workdir=/work\n\
            35 22 0:50 /sub /bound rw - overlay none rw,upperdir=/up,workdir=/work\n\
            36 22 0:50 /t /file rw - overlay none rw,upperdir=/up,workdir=/work\n";
        let Reading::Present(mounts) = Mounts::parse(text) else {
            panic!("mounts")
        };
        let path = |path: &str| {
            let mount = mounts.filesystem_of(path).expect("a mount");
            let rest = rest_of(mount, Path::new(path)).expect("a rest");
            below(Path::new("/up/"), &rest).into_os_string()
        };
        assert_eq!(path("/merged/a/b"), "/up/a/b");
        assert_eq!(path("/bound/b"), "/up/sub/b");
        assert_eq!(path("/bound"), "/up/sub");
        // With a slash at the end a file is no directory.
        assert_eq!(path("/file"), "/up/t");
        assert_eq!(path("/merged"), "/up");
    }

    #[test]
    fn overlayfs_escapes_are_undone_after_those_of_mountinfo() {
        let text = b"34 22 0:50 / /m rw - overlay none rw,\
            upperdir=/u\\134\\054p:x\\040y\\134\\134z,workdir=/w\n";
        let Reading::Present(mounts) = Mounts::parse(text) else {
            panic!("mounts")
        };
        let mount = mounts.iter().next().expect("a mount");
        let found = spellings(mount, "upperdir");
        assert_eq!(
            found,
            [Path::new("/u,p:x y\\z"), Path::new("/u\\,p:x y\\\\z")]
        );
        assert_eq!(spellings(mount, "lowerdir"), [""; 0].map(PathBuf::from));
    }
}
