//! What is written before a command, and how any block of it is recognised again.

use serde::{Deserialize, Serialize};

/// What a buffer holds before each read. A read that "succeeds" without data (scsi_debug with `fake_rw=1`) leaves it
/// there, which looks neither like zeroes nor like the pattern.
pub const THIRD: u8 = 0x5a;

const WORD: u64 = 8;

/// Places are told from seeds below 2^48 bytes.
const PLACE_BITS: u32 = 45;

/// A text of the device's bytes in which each word depends on the seed and on its own place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    seed: u64,
}

impl Pattern {
    /// The pattern of one method's run. The seed's upper bits are never an offset's, so no word is zero.
    pub fn new(run: u32, turn: u16) -> Self {
        let run = u64::from(run | 0x8000_0000);
        Self {
            seed: (run << 32) ^ (u64::from(turn) << 48),
        }
    }

    fn word(self, offset: u64) -> u64 {
        mix(self.seed ^ (offset / WORD))
    }

    /// Fills a buffer that stands for the bytes from `offset` on, a multiple of 8.
    pub fn fill(self, offset: u64, buffer: &mut [u8]) {
        for (at, word) in (offset..).step_by(8).zip(buffer.chunks_mut(8)) {
            word.copy_from_slice(
                self.word(at)
                    .to_le_bytes()
                    .get(..word.len())
                    .unwrap_or_default(),
            );
        }
    }

    /// Whether the bytes from `offset` on are this pattern's.
    pub fn is(self, offset: u64, bytes: &[u8]) -> bool {
        let (words, rest) = bytes.as_chunks::<8>();
        let differ = (offset..)
            .step_by(8)
            .zip(words)
            .fold(0, |differ, (at, word)| {
                differ | (self.word(at) ^ u64::from_le_bytes(*word))
            });
        differ == 0 && rest.is_empty()
    }

    /// Whether the bytes from `offset` on are any of a run's patterns.
    pub fn is_of_run(run: u32, offset: u64, bytes: &[u8]) -> bool {
        let Some(first) = bytes.first_chunk::<8>() else {
            return false;
        };
        let seed = unmix(u64::from_le_bytes(*first)) ^ (offset / WORD);
        let turn = (seed ^ Self::new(run, 0).seed) >> 48;
        u16::try_from(turn).is_ok_and(|turn| Self::new(run, turn).is(offset, bytes))
    }

    /// The place whose bytes these are, if they are this pattern's from some other place.
    pub fn place_of(self, bytes: &[u8]) -> Option<u64> {
        let first = bytes.first_chunk::<8>()?;
        let index = unmix(u64::from_le_bytes(*first)) ^ self.seed;
        let offset = (index >> PLACE_BITS == 0).then(|| index.wrapping_mul(WORD))?;
        self.is(offset, bytes).then_some(offset)
    }

    /// The first byte that is not this pattern's.
    pub fn first_difference(self, offset: u64, bytes: &[u8]) -> Option<u64> {
        let words = (offset..).step_by(8).zip(bytes.chunks(8));
        words
            .flat_map(|(at, word)| (at..).zip(self.word(at).to_le_bytes().into_iter().zip(word)))
            .find(|(_, (wanted, found))| wanted != *found)
            .map(|(at, _)| at)
    }
}

/// Whether every byte is the same as `value`. Without an early end: the compiler makes wide loads of it.
pub fn all(bytes: &[u8], value: u8) -> bool {
    bytes.iter().fold(0, |differ, byte| differ | (byte ^ value)) == 0
}

/// The mixing step of splitmix64: a bijection, so a word leads back to its place.
const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

const fn unmix(word: u64) -> u64 {
    let word = (word ^ (word >> 31) ^ (word >> 62)).wrapping_mul(0x3196_42b2_d24d_8ec3);
    let word = (word ^ (word >> 27) ^ (word >> 54)).wrapping_mul(0x96de_1b17_3f11_9089);
    word ^ (word >> 30) ^ (word >> 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_word_leads_back_to_its_place(word: u64) {
            proptest::prop_assert_eq!(unmix(mix(word)), word);
        }

        #[test]
        fn a_block_is_recognised_and_is_nobody_elses(run: u32, turn: u16, block in 0u64..1 << 38) {
            let (pattern, other) = (Pattern::new(run, turn), Pattern::new(run, turn ^ 1));
            let mut bytes = [0; 512];
            let offset = block * 512;
            pattern.fill(offset, &mut bytes);
            proptest::prop_assert!(pattern.is(offset, &bytes));
            proptest::prop_assert!(!pattern.is(offset + 512, &bytes));
            proptest::prop_assert!(!other.is(offset, &bytes));
            proptest::prop_assert!(Pattern::is_of_run(run, offset, &bytes));
            proptest::prop_assert!(!Pattern::is_of_run(run, offset + 512, &bytes));
            proptest::prop_assert!(!Pattern::is_of_run(run ^ 1, offset, &bytes));
            proptest::prop_assert_eq!(pattern.place_of(&bytes), Some(offset));
            proptest::prop_assert_eq!(other.place_of(&bytes), None);
            proptest::prop_assert!(bytes.chunks(8).all(|word| !all(word, 0) && !all(word, THIRD)));
        }

        #[test]
        fn one_changed_byte_is_found(run: u32, at in 0usize..512, change in 1u8..) {
            let pattern = Pattern::new(run, 0);
            let mut bytes = [0; 512];
            pattern.fill(4096, &mut bytes);
            proptest::prop_assert_eq!(pattern.first_difference(4096, &bytes), None);
            bytes[at] ^= change;
            proptest::prop_assert!(!pattern.is(4096, &bytes));
            proptest::prop_assert_eq!(pattern.first_difference(4096, &bytes), Some(4096 + at as u64));
        }
    }
}
