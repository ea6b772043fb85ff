//! A store in memory, and what becomes of a request for zeroes; shared by the servers that lie.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use anyhow::{Result, bail};

const BLOCK: usize = 4096;

/// What becomes of a request for zeroes.
pub(crate) enum Lie {
    Honest,
    Nothing,
    Half,
    Neighbour,
    Slow,
    Slower,
    Error(u64),
    Hang,
}

impl Lie {
    /// Whether it zeroes what it is asked for, and no more.
    #[allow(dead_code, reason = "one of the servers has no use for it")]
    pub(crate) fn zeroes_as_asked(&self) -> bool {
        matches!(self, Self::Honest | Self::Slow | Self::Slower)
    }
}

/// Blocks in memory, in front of a file that keeps what was flushed.
pub(crate) struct Store {
    blocks: BTreeMap<u64, Box<[u8; BLOCK]>>,
    backing: Option<File>,
    pub(crate) size: u64,
}

impl Store {
    pub(crate) fn new(size: u64, backing: Option<File>) -> Self {
        Self {
            blocks: BTreeMap::new(),
            backing,
            size,
        }
    }

    fn block(&mut self, index: u64) -> Result<&mut Box<[u8; BLOCK]>> {
        let backing = self.backing.as_ref();
        Ok(match self.blocks.entry(index) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let mut block = Box::new([0; BLOCK]);
                if let Some(backing) = backing {
                    backing.read_exact_at(&mut block[..], index * BLOCK as u64)?;
                }
                entry.insert(block)
            }
        })
    }

    /// Calls `act` with each part of a block that the range touches.
    pub(crate) fn each(
        &mut self,
        from: u64,
        length: u64,
        mut act: impl FnMut(&mut [u8], u64),
    ) -> Result<()> {
        let end = (from + length).min(self.size);
        let mut at = from;
        while at < end {
            let within = at % BLOCK as u64;
            let count = (BLOCK as u64 - within).min(end - at);
            let range = usize::try_from(within)?..usize::try_from(within + count)?;
            let block = self.block(at / BLOCK as u64)?;
            act(&mut block[range], at - from);
            at += count;
        }
        Ok(())
    }

    pub(crate) fn zero(&mut self, from: u64, length: u64) -> Result<()> {
        self.each(from, length, |bytes, _| bytes.fill(0))
    }

    /// Forgets whole blocks of 4 KiB, which read as zeroes from then on where nothing stands behind.
    #[allow(dead_code, reason = "one of the servers has no use for it")]
    pub(crate) fn deallocate(&mut self, from: u64, length: u64) {
        let (first, end) = (from.div_ceil(BLOCK as u64), (from + length) / BLOCK as u64);
        self.blocks.retain(|index, _| !(first..end).contains(index));
    }

    /// Bytes in memory.
    #[allow(dead_code, reason = "one of the servers has no use for it")]
    pub(crate) fn in_use(&self) -> u64 {
        self.blocks.len() as u64 * BLOCK as u64
    }

    /// Reading keeps nothing in memory: a flush writes what was written, and no more.
    pub(crate) fn read(&self, from: u64, length: u64) -> Result<Vec<u8>> {
        let mut data = vec![0; usize::try_from(length)?];
        if let Some(backing) = &self.backing {
            backing.read_exact_at(&mut data, from)?;
        }
        let first = from / BLOCK as u64;
        let last = (from + length).div_ceil(BLOCK as u64);
        for (index, block) in self.blocks.range(first..last) {
            let start = index * BLOCK as u64;
            let (begin, end) = (start.max(from), (start + BLOCK as u64).min(from + length));
            let to = usize::try_from(begin - from)?..usize::try_from(end - from)?;
            let of = usize::try_from(begin - start)?..usize::try_from(end - start)?;
            data[to].copy_from_slice(&block[of]);
        }
        Ok(data)
    }

    pub(crate) fn write(&mut self, from: u64, data: &[u8]) -> Result<()> {
        self.each(from, data.len() as u64, |bytes, at| {
            let at = usize::try_from(at).unwrap_or(0);
            let count = bytes.len();
            bytes.copy_from_slice(&data[at..at + count]);
        })
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        let Some(backing) = &self.backing else {
            return Ok(());
        };
        for (index, block) in &self.blocks {
            backing.write_all_at(&block[..], index * BLOCK as u64)?;
        }
        backing.sync_data()?;
        self.blocks.clear();
        Ok(())
    }
}

/// Whether the request was granted; `None` where nobody will ever know.
pub(crate) fn zeroes(
    store: &mut Store,
    lie: &mut Lie,
    from: u64,
    length: u64,
) -> Result<Option<bool>> {
    match lie {
        Lie::Honest => store.zero(from, length)?,
        Lie::Nothing => {}
        Lie::Half => store.zero(from, length / 2)?,
        Lie::Neighbour => store.zero(from, length + 4096)?,
        Lie::Slow => {
            std::thread::sleep(Duration::from_millis(500));
            store.zero(from, length)?;
        }
        Lie::Slower => {
            std::thread::sleep(Duration::from_micros(length));
            store.zero(from, length)?;
        }
        Lie::Error(0) => return Ok(Some(false)),
        Lie::Error(left) => {
            *left -= 1;
            store.zero(from, length)?;
        }
        Lie::Hang => return Ok(None),
    }
    Ok(Some(true))
}

/// The lie of that name.
pub(crate) fn lie(word: &str) -> Result<Lie> {
    Ok(match word {
        "honest" | "volatile" => Lie::Honest,
        "nothing" => Lie::Nothing,
        "half" => Lie::Half,
        "neighbour" => Lie::Neighbour,
        "slow" => Lie::Slow,
        "slower" => Lie::Slower,
        "hang" => Lie::Hang,
        other => match other.strip_prefix("error:") {
            Some(number) => Lie::Error(number.parse()?),
            None => bail!("no such lie: {other}"),
        },
    })
}
