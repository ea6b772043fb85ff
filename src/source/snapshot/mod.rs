//! Captures: everything that was read of a host, in one archive, and a host made from it again.
//!
//! An archive is a gzipped tar with the files, links and folders below `sys`, `proc` and `run/udev/data` as they were
//! read, `errors.txt` with what was refused, `ioctl.txt` with every command's answer, and `zinspect-capture`, which
//! says what it is. Unpacked, it serves as a `--sysroot` too.

mod archive;
mod load;
mod record;
mod save;

pub use archive::Archive;
pub use load::{LoadError, load};
pub use record::Recorder;
pub use save::{SaveError, save};

/// First member of an archive: what it is, and in which form.
const MANIFEST: &str = "zinspect-capture";
/// Content of [`MANIFEST`].
const FORMAT: &str = "zinspect capture, format 1\n";
/// Last member of an archive, empty: without it the archive was cut.
const END: &str = "zinspect-capture-end";
/// Files that could not be read: an errno's name, a tab, a path, one a line.
const ERRORS: &str = "errors.txt";
/// Commands and their answers, as `source::transcript` writes them.
const COMMANDS: &str = "ioctl.txt";
