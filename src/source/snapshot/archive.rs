//! The files of a capture, in memory.

use std::collections::BTreeMap;

use rustix::io::Errno;

use crate::source::files::{Dir, Files, Handle, join, parent};

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// A file's content.
    File(Vec<u8>),
    /// A link's text.
    Link(String),
    /// A folder.
    Folder,
    /// Reading it failed so.
    Failed(Errno),
}

/// The files of a captured host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archive {
    pub(super) entries: BTreeMap<String, Entry>,
}

impl Archive {
    /// How many files, links and folders there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What stands at a path, links on the way followed within the capture.
    fn at(&self, path: &str) -> Result<(&Entry, String), Errno> {
        /// As many links as the kernel follows (`MAXSYMLINKS`, include/linux/namei.h).
        const MOST_LINKS: usize = 40;
        let mut path = join("", path);
        for _ in 0..MOST_LINKS {
            match self.entries.get(&path) {
                Some(Entry::Link(target)) => path = join(parent(&path), target),
                Some(entry) => return Ok((entry, path)),
                None if self.has_below(&path) => return Ok((&Entry::Folder, path)),
                None => path = self.through_link(&path).ok_or(Errno::NOENT)?,
            }
        }
        Err(Errno::LOOP)
    }

    /// The path with the first link on its way followed; `None` where there is none.
    fn through_link(&self, path: &str) -> Option<String> {
        let mut ends = path.match_indices('/').map(|(at, _)| at);
        let (end, target) = ends.find_map(|end| match self.entries.get(path.get(..end)?) {
            Some(Entry::Link(target)) => Some((end, target)),
            _ => None,
        })?;
        let place = join(parent(path.get(..end)?), target);
        Some(format!("{place}{}", path.get(end..)?))
    }

    fn has_below(&self, path: &str) -> bool {
        path.is_empty() || self.below(path).next().is_some()
    }

    fn below<'a>(&'a self, path: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let prefix = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        let start = prefix.clone();
        self.entries
            .range(start..)
            .map(|(path, _)| path.as_str())
            .take_while({
                let prefix = prefix.clone();
                move |path| path.starts_with(&prefix)
            })
            .filter_map(move |path| path.get(prefix.len()..))
    }

    fn content(&self, path: &str) -> Result<&[u8], Errno> {
        match self.at(path)?.0 {
            Entry::File(content) => Ok(content),
            Entry::Folder => Err(Errno::ISDIR),
            Entry::Failed(error) => Err(*error),
            Entry::Link(_) => Err(Errno::LOOP),
        }
    }
}

impl Files for Archive {
    fn dir(&self, path: &str) -> Result<Dir, Errno> {
        match self.at(path)? {
            (Entry::Folder, path) => Ok(Dir {
                path,
                handle: Handle::Named,
            }),
            (Entry::Failed(error), _) => Err(*error),
            _ => Err(Errno::NOTDIR),
        }
    }

    fn subdir(&self, dir: &Dir, name: &str) -> Result<Dir, Errno> {
        self.dir(&format!("{}/{name}", dir.path))
    }

    fn read_in(&self, dir: &Dir, name: &str, buffer: &mut [u8]) -> Result<usize, Errno> {
        let content = self.content(&format!("{}/{name}", dir.path))?;
        let place = buffer.get_mut(..content.len()).ok_or(Errno::FBIG)?;
        place.copy_from_slice(content);
        Ok(content.len())
    }

    fn read(&self, path: &str, cap: usize) -> Result<Vec<u8>, Errno> {
        let content = self.content(path)?;
        if content.len() > cap {
            Err(Errno::FBIG)
        } else {
            Ok(content.to_vec())
        }
    }

    fn link(&self, path: &str) -> Result<String, Errno> {
        match self.entries.get(path) {
            Some(Entry::Link(target)) => Ok(target.clone()),
            Some(Entry::Failed(error)) => Err(*error),
            Some(_) => Err(Errno::INVAL),
            None if self.has_below(path) => Err(Errno::INVAL),
            None => Err(Errno::NOENT),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        let dir = self.dir(path)?;
        let mut names: Vec<String> = Vec::new();
        for below in self.below(&dir.path) {
            let name = below.split('/').next().unwrap_or(below);
            if names.last().is_none_or(|last| last != name) {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn is_live(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(entries: &[(&str, Entry)]) -> Archive {
        let entries = entries
            .iter()
            .map(|(path, entry)| ((*path).to_owned(), entry.clone()));
        Archive {
            entries: entries.collect(),
        }
    }

    #[test]
    fn links_are_followed_within_the_capture() {
        let host = archive(&[
            ("etc/passwd", Entry::File(b"inside".to_vec())),
            (
                "sys/class/block/sda",
                Entry::Link("../../devices/sda".into()),
            ),
            ("sys/devices/sda/size", Entry::File(b"8\n".to_vec())),
            ("sys/out", Entry::Link("../../../../etc/passwd".into())),
            ("sys/round", Entry::Link("round".into())),
        ]);
        assert_eq!(
            host.read("sys/class/block/sda/size", 10),
            Ok(b"8\n".to_vec())
        );
        assert_eq!(host.read("sys/out", 10), Ok(b"inside".to_vec()));
        assert_eq!(host.read("sys/round", 10), Err(Errno::LOOP));
        assert_eq!(host.read("sys/class/block/sdb/size", 10), Err(Errno::NOENT));
        assert_eq!(host.list("sys/class/block"), Ok(vec!["sda".to_owned()]));
        assert_eq!(host.link("sys/devices/sda"), Err(Errno::INVAL));
    }

    #[test]
    fn refusals_are_kept() {
        let host = archive(&[("sys/devices/sda/vpd_pgb2", Entry::Failed(Errno::ACCESS))]);
        let dir = host.dir("sys/devices/sda").expect("folder");
        assert_eq!(
            host.read_in(&dir, "vpd_pgb2", &mut [0; 8]),
            Err(Errno::ACCESS)
        );
        assert_eq!(
            host.read_in(&dir, "vpd_pgb0", &mut [0; 8]),
            Err(Errno::NOENT)
        );
    }
}
