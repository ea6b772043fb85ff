//! The bytes that a probe writes over, kept in a file until they are back.
//!
//! Layout: the magic, length and CRC-32 of a header, the header (JSON), then each MiB of the span after its CRC-32.
//! A file without its last name is not yet whole, and its device was not touched.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fd::BorrowedFd;
use serde::{Deserialize, Serialize};

use super::exec::{self, Buffer};
use super::plan::Plan;
use super::refusal::Refusal;
use super::span::Span;
use super::target::Device;
use crate::source::errno;

const MAGIC: &[u8; 8] = b"ZINSPJ1\n";
/// Bytes with one checksum.
pub const CHUNK: u64 = 1 << 20;
/// No header is longer.
const HEADER_CAP: u32 = 64 << 10;
/// End of a journal's name.
const SUFFIX: &str = "journal";

/// What a journal says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Which device.
    pub identity: String,
    /// Whether that outlasts the device's removal.
    pub identity_lasts: bool,
    /// Its kernel name then.
    pub kname: String,
    /// Its diskseq then.
    pub diskseq: Option<u64>,
    /// The boot in which that was so.
    pub boot_id: String,
    /// Its size.
    pub size_bytes: u64,
    /// Its logical block size.
    pub block: u64,
    /// The bytes that are kept.
    pub span: Span,
    /// The range that was zeroed.
    pub range: Span,
    /// The run's number, from which its patterns follow.
    pub run: u32,
    /// Seconds since 1970.
    pub time: u64,
}

/// A journal that is whole and durable.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    pointer: Option<PathBuf>,
    header: Header,
    data_at: u64,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The journal.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// It is no journal, or damaged.
    #[error("{} is not a whole journal: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// Where journals are kept that nobody named a place for.
pub fn state_dir() -> PathBuf {
    let under = |name: &str, below: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(|v| PathBuf::from(v).join(below))
    };
    if rustix::process::geteuid().is_root() {
        return std::env::var_os("STATE_DIRECTORY")
            .map_or_else(|| PathBuf::from("/var/lib/zinspect"), PathBuf::from);
    }
    under("XDG_STATE_HOME", "zinspect")
        .or_else(|| under("HOME", ".local/state/zinspect"))
        .unwrap_or_else(|| PathBuf::from("/var/tmp/zinspect"))
}

/// The name of a device's journal in the state directory.
pub fn default_path(identity: &str) -> PathBuf {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') {
            c
        } else {
            '_'
        }
    };
    let name: String = identity.chars().map(safe).collect();
    state_dir().join(format!("{name}.{SUFFIX}"))
}

/// Journals of runs that did not end, in the state directory or pointed to from there.
pub fn left_over() -> Vec<(PathBuf, Header)> {
    let entries = std::fs::read_dir(state_dir())
        .into_iter()
        .flatten()
        .flatten();
    let paths = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == SUFFIX));
    paths
        .filter_map(|path| Kept::open(&path).ok().map(|kept| (path, kept.header)))
        .collect()
}

/// Copies the span to a new journal, and returns when it is durable under its name.
pub fn keep(
    plan: &Plan,
    device: &Device,
    fd: BorrowedFd<'_>,
    run: u32,
    place: &Path,
) -> Result<Kept, Refusal> {
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let header = Header {
        identity: device.identity.clone(),
        identity_lasts: device.identity_lasts,
        kname: device.kname.clone(),
        diskseq: device.diskseq,
        boot_id: boot_id(),
        size_bytes: device.size_bytes,
        block: device.block,
        span: plan.span,
        range: plan.range,
        run,
        time: time.as_secs(),
    };
    let place = std::path::absolute(place).map_err(|error| Refusal::Journal(error.to_string()))?;
    if let Ok(kept) = Kept::open(&place) {
        let journal = place.display().to_string();
        return Err(Refusal::Interrupted {
            identity: kept.header.identity,
            journal,
        });
    }
    if place.exists() {
        return Err(Refusal::Journal(format!(
            "{} exists and is no journal; name another",
            place.display()
        )));
    }
    let partial = place.with_extension("partial");
    let made = write(&partial, &header, fd).and_then(|data_at| {
        std::fs::rename(&partial, &place)?;
        sync_dir(&place)?;
        Ok(data_at)
    });
    let data_at = made.map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        Refusal::Journal(format!(
            "cannot keep {} bytes in {}: {error}; the device was not written to",
            plan.span.length,
            place.display()
        ))
    })?;
    // One that stands elsewhere is pointed to, so that the next run finds it.
    let own = default_path(&device.identity);
    let pointer = (own != place).then(|| point(&own, &place)).flatten();
    Ok(Kept {
        path: place,
        pointer,
        header,
        data_at,
    })
}

fn point(own: &Path, place: &Path) -> Option<PathBuf> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(own.parent()?)
        .ok()?;
    if std::fs::symlink_metadata(own).is_ok_and(|meta| meta.is_symlink())
        && Kept::open(own).is_err()
    {
        let _ = std::fs::remove_file(own);
    }
    std::os::unix::fs::symlink(place, own).ok()?;
    let _ = sync_dir(own);
    Some(own.to_owned())
}

/// This boot's number; empty where the kernel does not tell.
pub fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
}

fn write(path: &Path, header: &Header, fd: BorrowedFd<'_>) -> io::Result<u64> {
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    let text = serde_json::to_vec(header)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    file.write_all(MAGIC)?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(&crc(&text).to_le_bytes())?;
    file.write_all(&text)?;
    let data_at = (MAGIC.len() + 8) as u64 + u64::from(length);
    let mut buffer = Buffer::new(usize::try_from(CHUNK).map_err(io::Error::other)?)?;
    for piece in header.span.pieces(CHUNK) {
        let bytes = part(&mut buffer, piece.length);
        exec::read(fd, piece.offset, bytes).map_err(|error| {
            io::Error::other(format!(
                "reading the device at {}: {}",
                piece.offset,
                errno::describe(error)
            ))
        })?;
        file.write_all(&crc(bytes).to_le_bytes())?;
        file.write_all(bytes)?;
    }
    file.sync_all()?;
    Ok(data_at)
}

fn part(buffer: &mut Buffer, length: u64) -> &mut [u8] {
    let length = usize::try_from(length).unwrap_or(0);
    buffer.get_mut(..length).unwrap_or_default()
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

impl Kept {
    /// Opens a journal and reads its header; its data are not looked at yet.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let failed = |error| JournalError::Io {
            path: path.to_owned(),
            error,
        };
        let damaged = |why: &str| JournalError::Damaged {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        let mut file = File::open(path).map_err(failed)?;
        let (mut magic, mut length, mut sum) = ([0; 8], [0; 4], [0; 4]);
        let read = file
            .read_exact(&mut magic)
            .and_then(|()| file.read_exact(&mut length))
            .and_then(|()| file.read_exact(&mut sum));
        read.map_err(|_| damaged("it ends before its header"))?;
        let length = u32::from_le_bytes(length);
        if magic != *MAGIC || length > HEADER_CAP {
            return Err(damaged("it does not begin as one"));
        }
        let mut text = vec![0; usize::try_from(length).unwrap_or(0)];
        file.read_exact(&mut text)
            .map_err(|_| damaged("it ends within its header"))?;
        if crc(&text) != u32::from_le_bytes(sum) {
            return Err(damaged("its header's checksum is wrong"));
        }
        let header: Header = serde_json::from_slice(&text)
            .map_err(|error| damaged(&format!("its header: {error}")))?;
        if Span::new(header.span.offset, header.span.length).is_none()
            || header.span.end() > header.size_bytes
        {
            return Err(damaged("its span is not within the device"));
        }
        let place = std::fs::canonicalize(path).map_err(failed)?;
        let own = default_path(&header.identity);
        let pointer = (own != place
            && std::fs::canonicalize(&own).is_ok_and(|target| target == place))
        .then_some(own);
        Ok(Self {
            path: place,
            pointer,
            header,
            data_at: (MAGIC.len() + 8) as u64 + u64::from(length),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Gives each piece of the device's former bytes, after its checksum was right.
    pub fn each(
        &self,
        mut take: impl FnMut(Span, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let failed = |error: io::Error| format!("reading {}: {error}", self.path.display());
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(self.data_at)).map_err(failed)?;
        let length = usize::try_from(CHUNK).unwrap_or(0);
        let mut buffer = Buffer::new(length).map_err(errno::describe)?;
        for piece in self.header.span.pieces(CHUNK) {
            let mut sum = [0; 4];
            file.read_exact(&mut sum).map_err(failed)?;
            let bytes = part(&mut buffer, piece.length);
            file.read_exact(bytes).map_err(failed)?;
            if crc(bytes) != u32::from_le_bytes(sum) {
                return Err(format!(
                    "{} is damaged: the checksum of the bytes at {} is wrong",
                    self.path.display(),
                    piece.offset
                ));
            }
            take(piece, bytes)?;
        }
        Ok(())
    }

    /// Removes it, since its bytes are back.
    pub fn remove(&self) -> io::Result<()> {
        if let Some(pointer) = &self.pointer {
            std::fs::remove_file(pointer)?;
        }
        std::fs::remove_file(&self.path)?;
        sync_dir(&self.path)
    }
}
