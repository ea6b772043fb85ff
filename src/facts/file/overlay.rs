//! overlayfs: a write goes to the upper layer, where the file is or is copied to when it is opened for writing.

use std::path::{Path, PathBuf};

use crate::facts::collect::Collector;
use crate::facts::file::{FileFacts, FileTarget, collect};
use crate::facts::mount::Mount;

/// Overlays on overlays: the kernel stacks two (`FILESYSTEM_MAX_STACK_DEPTH`, include/linux/fs.h).
const DEEPEST: u8 = 3;

/// The file in the upper layer, or the nearest directory above it that is there.
pub(super) fn upper(
    collector: &Collector,
    target: &FileTarget,
    mount: &Mount,
    real: &Path,
) -> Option<Box<FileFacts>> {
    if target.layer == DEEPEST {
        return None;
    }
    let mut path = upper_path(mount, real)?;
    let top = PathBuf::from(mount.super_options.get("upperdir")?.as_deref()?);
    loop {
        let target = FileTarget {
            path: path.clone(),
            view: target.view,
            layer: target.layer + 1,
        };
        if let Ok(facts) = collect(collector, &target) {
            return Some(Box::new(facts));
        }
        if path == top || !path.pop() {
            return None;
        }
    }
}

fn upper_path(mount: &Mount, real: &Path) -> Option<PathBuf> {
    let upper = Path::new(mount.super_options.get("upperdir")?.as_deref()?);
    // The option stands as it was given; a relative one means nothing here.
    if !upper.is_absolute() {
        return None;
    }
    let inside = real.strip_prefix(&mount.point).ok()?;
    let root = mount.root.trim_start_matches('/');
    Some(upper.join(root).join(inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::mount::Mounts;
    use crate::facts::reading::Reading;

    #[test]
    fn the_upper_path_follows_binds_and_refuses_a_relative_layer() {
        let text =
            b"34 22 0:50 / /merged rw - overlay none rw,lowerdir=/low,upperdir=/up,workdir=/work\n\
            35 22 0:50 /sub /bound rw - overlay none rw,lowerdir=/low,upperdir=/up,workdir=/work\n\
            36 22 0:51 / /odd rw - overlay none rw,lowerdir=low,upperdir=up,workdir=work\n\
            37 22 0:52 / /ro ro - overlay none ro,lowerdir=/a:/b\n";
        let Reading::Present(mounts) = Mounts::parse(text) else {
            panic!("mounts")
        };
        let path = |path: &str| {
            upper_path(
                mounts.filesystem_of(path).expect("a mount"),
                Path::new(path),
            )
        };
        assert_eq!(path("/merged/a/b"), Some("/up/a/b".into()));
        assert_eq!(path("/bound/b"), Some("/up/sub/b".into()));
        assert_eq!(path("/merged"), Some("/up/".into()));
        assert_eq!(path("/odd/a"), None);
        assert_eq!(path("/ro/a"), None);
    }
}
