//! Keeps all that is read through it.

use std::cell::RefCell;

use rustix::io::Errno;

use super::archive::{Archive, Entry};
use crate::source::files::{Dir, Files};

/// A host's files, and what was read of them so far.
pub struct Recorder<F> {
    files: F,
    kept: std::rc::Rc<RefCell<Archive>>,
}

impl<F: Files> Recorder<F> {
    /// Records what is read of `files`; the second handle sees it.
    pub fn new(files: F) -> (Self, std::rc::Rc<RefCell<Archive>>) {
        let kept = std::rc::Rc::<RefCell<Archive>>::default();
        (
            Self {
                files,
                kept: kept.clone(),
            },
            kept,
        )
    }

    fn keep(&self, path: &str, entry: Entry) {
        let mut kept = self.kept.borrow_mut();
        let entries = &mut kept.entries;
        // A folder known by what is in it, or a link that was read, is not replaced by less.
        match (entries.get(path), &entry) {
            (Some(Entry::File(_) | Entry::Link(_)), Entry::Folder | Entry::Failed(_)) => {}
            _ => {
                entries.insert(path.to_owned(), entry);
            }
        }
    }

    fn failed(&self, path: &str, error: Errno) {
        if error != Errno::NOENT {
            self.keep(path, Entry::Failed(error));
        }
    }

    fn folder(&self, dir: Result<Dir, Errno>, path: &str) -> Result<Dir, Errno> {
        match &dir {
            Ok(dir) => self.keep(&dir.path, Entry::Folder),
            Err(error) => self.failed(path, *error),
        }
        dir
    }
}

impl<F: Files> Files for Recorder<F> {
    fn dir(&self, path: &str) -> Result<Dir, Errno> {
        self.folder(self.files.dir(path), path)
    }

    fn subdir(&self, dir: &Dir, name: &str) -> Result<Dir, Errno> {
        self.folder(
            self.files.subdir(dir, name),
            &format!("{}/{name}", dir.path),
        )
    }

    fn read_in(&self, dir: &Dir, name: &str, buffer: &mut [u8]) -> Result<usize, Errno> {
        let path = format!("{}/{name}", dir.path);
        let outcome = self.files.read_in(dir, name, buffer);
        match outcome {
            Ok(length) => {
                let content = buffer.get(..length).unwrap_or_default().to_vec();
                self.keep(&path, Entry::File(content));
            }
            Err(error) => self.failed(&path, error),
        }
        outcome
    }

    fn read(&self, path: &str, cap: usize) -> Result<Vec<u8>, Errno> {
        let outcome = self.files.read(path, cap);
        match &outcome {
            Ok(content) => self.keep(path, Entry::File(content.clone())),
            Err(error) => self.failed(path, *error),
        }
        outcome
    }

    fn link(&self, path: &str) -> Result<String, Errno> {
        let outcome = self.files.link(path);
        match &outcome {
            Ok(target) => self.keep(path, Entry::Link(target.clone())),
            // "Not a link" says that something else stands there, and that is read by other calls.
            Err(Errno::INVAL) => {}
            Err(error) => self.failed(path, *error),
        }
        outcome
    }

    /// Beside the names themselves, what a listing needs so that they stand in the capture too: links and folders.
    /// Plain files that nobody read stay out.
    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        let outcome = self.files.list(path);
        match &outcome {
            Ok(names) => {
                self.keep(path, Entry::Folder);
                for name in names {
                    let below = format!("{path}/{name}");
                    match self.files.link(&below) {
                        Ok(target) => self.keep(&below, Entry::Link(target)),
                        Err(_) => {
                            // What nobody can open by its name shall be missed in the capture as well.
                            if name.contains(char::REPLACEMENT_CHARACTER)
                                || self.files.dir(&below).is_ok()
                            {
                                self.keep(&below, Entry::Folder);
                            }
                        }
                    }
                }
            }
            Err(error) => self.failed(path, *error),
        }
        outcome
    }

    fn node_mode(&self, path: &str) -> Result<u32, Errno> {
        self.files.node_mode(path)
    }

    fn is_live(&self) -> bool {
        self.files.is_live()
    }
}
