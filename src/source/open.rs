//! Opens the host that a run reads from.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::source::command::{Commands, Silent};
use crate::source::ioctl::LiveCommands;
use crate::source::root::Root;
use crate::source::scripted::{self, Scripted};
use crate::source::snapshot::{self, Archive, LoadError};
use crate::source::transcript::{Transcript, TranscriptError};
use crate::source::{Host, Source, errno};

/// Why a host cannot be read from.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The root is no directory that can be opened.
    #[error("cannot open the root {}: {why}; name a directory that holds sys", path.display())]
    Root {
        /// The directory.
        path: PathBuf,
        /// The error by name and number.
        why: String,
    },
    /// The archive is no capture.
    #[error(transparent)]
    Capture(#[from] LoadError),
    /// The commands of a capture make no sense.
    #[error("cannot read the commands in the capture {}: {why}", path.display())]
    Commands {
        /// The archive.
        path: PathBuf,
        /// Line and error.
        why: TranscriptError,
    },
}

/// Opens a directory that holds a host's `sys`.
fn root(path: &Path, captured: bool) -> Result<Root, OpenError> {
    let opened = if captured {
        Root::captured(path)
    } else {
        Root::live()
    };
    opened.map_err(|error| OpenError::Root {
        path: path.to_owned(),
        why: errno::describe(error),
    })
}

/// The running host; with `commands` its devices are asked as well.
pub fn live(commands: bool) -> Result<Host, OpenError> {
    let files = Box::new(root(Path::new("/"), false)?);
    let commands: Box<dyn Commands> = if commands {
        Box::new(LiveCommands)
    } else {
        Box::new(Silent("--no-ioctl"))
    };
    Ok(Host {
        files,
        commands,
        source: Source::Live,
    })
}

/// A captured root: `sys`, and maybe `proc` and `run/udev/data`, in a directory.
pub fn sysroot(path: &Path) -> Result<Host, OpenError> {
    let files = Box::new(root(path, true)?);
    let commands = Box::new(Silent("a captured root has no devices to ask"));
    Ok(Host {
        files,
        commands,
        source: Source::Sysroot,
    })
}

/// An archive made by `zinspect capture`.
pub fn capture(path: &Path, commands: bool) -> Result<Host, OpenError> {
    let (archive, text) = snapshot::load(path)?;
    let transcript = Transcript::parse(&text).map_err(|why| OpenError::Commands {
        path: path.to_owned(),
        why,
    })?;
    let commands: Box<dyn Commands> = if commands {
        Box::new(Scripted::new(transcript))
    } else {
        Box::new(Silent("--no-ioctl"))
    };
    Ok(Host {
        files: Box::new(archive),
        commands,
        source: Source::Snapshot,
    })
}

/// What was read of a host while it was looked at.
pub struct Recording {
    files: Rc<RefCell<Archive>>,
    commands: Rc<scripted::Recorder<Box<dyn Commands>>>,
}

impl Recording {
    /// Writes it as an archive.
    pub fn save(&self, path: &Path) -> Result<(), snapshot::SaveError> {
        snapshot::save(
            path,
            &self.files.borrow(),
            &self.commands.transcript().to_string(),
        )
    }

    /// How many files, links and folders, and how many commands were recorded.
    pub fn size(&self) -> (usize, usize) {
        (self.files.borrow().len(), self.commands.transcript().len())
    }
}

/// A host that keeps all that is read through it.
pub fn recording(host: Host) -> (Host, Recording) {
    let (files, kept) = snapshot::Recorder::new(host.files);
    let commands = Rc::new(scripted::Recorder::new(host.commands));
    let recording = Recording {
        files: kept,
        commands: commands.clone(),
    };
    (
        Host {
            files: Box::new(files),
            commands: Box::new(commands),
            source: host.source,
        },
        recording,
    )
}
