//! The bytes that a probe writes over, kept in a file until they are back.
//!
//! Layout: the magic, length and CRC-32 of a header, the header (JSON), then each MiB of the span after a CRC-32 over the
//! header's, the place on the device and the bytes. It gets its name when it is whole: before, its device was not touched.

mod state;
mod whole;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fd::BorrowedFd;
use serde::{Deserialize, Serialize};

use super::exec::{self, Buffer};
use super::plan::Plan;
use super::refusal::Refusal;
use super::span::Span;
use super::target::Device;
use crate::source::{errno, regular, whole_file};

pub use state::{default_path, left_over, state_dir, unfinished};

const MAGIC: &[u8; 8] = b"ZINSPJ2\n";
/// Bytes with one checksum.
pub const CHUNK: u64 = 1 << 20;
/// No header is longer.
const HEADER_CAP: u32 = 64 << 10;

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
    /// Where it began on its disk, if it is a partition.
    pub start_bytes: u64,
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
    file: File,
    data_at: u64,
    /// The header's checksum.
    sum: u32,
    note: Option<String>,
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

impl Header {
    fn of(plan: &Plan, device: &Device, run: u32) -> Self {
        let time = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            identity: device.identity.clone(),
            identity_lasts: device.identity_lasts,
            kname: device.kname.clone(),
            diskseq: device.diskseq,
            boot_id: boot_id(),
            start_bytes: device.start_bytes,
            size_bytes: device.size_bytes,
            block: device.block,
            span: plan.span,
            range: plan.range,
            run,
            time: time.as_secs(),
        }
    }
}

/// Copies the span to a new journal, and returns when it is durable under its name. `own` is the name in the state
/// directory that the next run looks at.
pub fn keep(
    plan: &Plan,
    device: &Device,
    fd: BorrowedFd<'_>,
    run: u32,
    place: &Path,
    own: &Path,
) -> Result<Kept, Refusal> {
    let header = Header::of(plan, device, run);
    let place = std::path::absolute(place).map_err(|error| Refusal::Journal(error.to_string()))?;
    if let Ok(kept) = Kept::open(&place) {
        let journal = place.display().to_string();
        return Err(Refusal::Interrupted {
            identity: kept.header.identity,
            journal,
        });
    }
    if std::fs::symlink_metadata(&place).is_ok() {
        return Err(Refusal::Journal(format!(
            "{} exists and is no journal; name another",
            place.display()
        )));
    }
    let (mut data_at, mut sum) = (0, 0);
    let made = whole::create(&place, |file| {
        (data_at, sum) = write(file, &header, fd)?;
        Ok(())
    });
    let file = made.map_err(|error| {
        Refusal::Journal(format!(
            "cannot keep {} bytes in {}: {error}; the device was not written to",
            plan.span.length,
            place.display()
        ))
    })?;
    // One that stands elsewhere is pointed to, so that the next run finds it.
    let told = (own != place).then(|| state::point(own, &place));
    let (pointer, note) = match told {
        None => (None, None),
        Some(Ok(())) => (Some(own.to_owned()), None),
        Some(Err(error)) => {
            let note = format!(
                "should this run be interrupted, the next will not know of {}: {}: {error}",
                place.display(),
                own.display()
            );
            (None, Some(note))
        }
    };
    Ok(Kept {
        path: place,
        pointer,
        header,
        file,
        data_at,
        sum,
        note,
    })
}

/// This boot's number; empty where the kernel does not tell.
pub fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// Writes all of a journal. Gives where its data begin, and its header's checksum.
fn write(file: &mut File, header: &Header, fd: BorrowedFd<'_>) -> io::Result<(u64, u32)> {
    let text = serde_json::to_vec(header)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    let sum = crc(&[&text]);
    file.write_all(MAGIC)?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(&sum.to_le_bytes())?;
    file.write_all(&text)?;
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
        file.write_all(&piece_crc(sum, piece, bytes).to_le_bytes())?;
        file.write_all(bytes)?;
    }
    Ok((data_at(length), sum))
}

fn data_at(header: u32) -> u64 {
    (MAGIC.len() + 8) as u64 + u64::from(header)
}

fn part(buffer: &mut Buffer, length: u64) -> &mut [u8] {
    let length = usize::try_from(length).unwrap_or(0);
    buffer.get_mut(..length).unwrap_or_default()
}

fn crc(parts: &[&[u8]]) -> u32 {
    let mut crc = flate2::Crc::new();
    for part in parts {
        crc.update(part);
    }
    crc.sum()
}

/// Vouches for the bytes, for their place, and for the journal that they belong to.
fn piece_crc(header: u32, piece: Span, bytes: &[u8]) -> u32 {
    crc(&[&header.to_le_bytes(), &piece.offset.to_le_bytes(), bytes])
}

impl Kept {
    /// Opens a journal and reads its header; of its data only the length is looked at yet.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let failed = |error| JournalError::Io {
            path: path.to_owned(),
            error,
        };
        let damaged = |why: &str| JournalError::Damaged {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        let mut file = regular::open(path).map_err(failed)?;
        let (mut magic, mut length, mut sum) = ([0; 8], [0; 4], [0; 4]);
        let read = file
            .read_exact(&mut magic)
            .and_then(|()| file.read_exact(&mut length))
            .and_then(|()| file.read_exact(&mut sum));
        read.map_err(|_| damaged("it ends before its header"))?;
        let (length, sum) = (u32::from_le_bytes(length), u32::from_le_bytes(sum));
        if magic != *MAGIC || length > HEADER_CAP {
            return Err(damaged("it does not begin as one"));
        }
        let mut text = vec![0; usize::try_from(length).unwrap_or(0)];
        file.read_exact(&mut text)
            .map_err(|_| damaged("it ends within its header"))?;
        if crc(&[&text]) != sum {
            return Err(damaged("its header's checksum is wrong"));
        }
        let header: Header = serde_json::from_slice(&text)
            .map_err(|error| damaged(&format!("its header: {error}")))?;
        let Span { offset, length } = header.span;
        if Span::new(offset, length).is_none() || header.span.end() > header.size_bytes {
            return Err(damaged("its span is not within the device"));
        }
        let data_at = data_at(u32::try_from(text.len()).unwrap_or(0));
        let whole = data_at + length + 4 * length.div_ceil(CHUNK);
        let found = file.metadata().map_err(failed)?.len();
        if found != whole {
            return Err(damaged(&format!("it has {found} bytes of {whole}")));
        }
        let place = std::fs::canonicalize(path).map_err(failed)?;
        let own = state::default_path(&header.identity);
        let pointer = (own != place
            && std::fs::canonicalize(&own).is_ok_and(|target| target == place))
        .then_some(own);
        Ok(Self {
            path: place,
            pointer,
            header,
            file,
            data_at,
            sum,
            note: None,
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

    /// What the next run will not know.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Gives each piece of the device's former bytes, after its checksum was right. From the file that was opened or
    /// written, whatever has its name by now.
    pub fn each(
        &self,
        mut take: impl FnMut(Span, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let failed = |error: io::Error| format!("reading {}: {error}", self.path.display());
        let length = usize::try_from(CHUNK).unwrap_or(0);
        let mut buffer = Buffer::new(length).map_err(errno::describe)?;
        let mut at = self.data_at;
        for piece in self.header.span.pieces(CHUNK) {
            let mut sum = [0; 4];
            // By place: a child shares the file's offset with its parent.
            self.file.read_exact_at(&mut sum, at).map_err(failed)?;
            let bytes = part(&mut buffer, piece.length);
            self.file.read_exact_at(bytes, at + 4).map_err(failed)?;
            at += 4 + piece.length;
            if piece_crc(self.sum, piece, bytes) != u32::from_le_bytes(sum) {
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
        let (here, mine) = (std::fs::metadata(&self.path)?, self.file.metadata()?);
        if (here.dev(), here.ino()) != (mine.dev(), mine.ino()) {
            return Err(io::Error::other("another file has its name by now"));
        }
        if let Some(pointer) = &self.pointer {
            std::fs::remove_file(pointer)?;
        }
        std::fs::remove_file(&self.path)?;
        whole_file::sync_folder(&self.path)
    }
}

#[cfg(test)]
#[path = "journal/tests.rs"]
mod tests;
