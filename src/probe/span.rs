//! Ranges of bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A range of bytes, not empty unless its length is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Span {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
}

impl Span {
    /// From `offset`, `length` bytes; `None` where that passes 2^63 (an `off_t`).
    pub fn new(offset: u64, length: u64) -> Option<Self> {
        let end = offset.checked_add(length)?;
        (end <= i64::MAX.unsigned_abs()).then_some(Self { offset, length })
    }

    /// The byte after the last.
    pub fn end(&self) -> u64 {
        self.offset + self.length
    }

    /// Whether all of `other` lies in it.
    pub fn holds(&self, other: &Self) -> bool {
        self.offset <= other.offset && other.end() <= self.end()
    }

    /// Whether they have a byte in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.offset < other.end() && other.offset < self.end()
    }

    /// Its pieces of at most `size` bytes, in order.
    pub fn pieces(self, size: u64) -> impl Iterator<Item = Self> {
        let mut at = self.offset;
        let end = self.end();
        std::iter::from_fn(move || {
            let length = size.max(1).min(end - at);
            let piece = Self { offset: at, length };
            at += length;
            (length > 0).then_some(piece)
        })
    }

    /// Reads `OFFSET:LENGTH`, each in bytes or with K, M, G, T after it (powers of 1024).
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no range: wanted OFFSET:LENGTH, as in 1G:64M");
        let (offset, length) = text.split_once(':').ok_or_else(wrong)?;
        let offset = parse_bytes(offset).ok_or_else(wrong)?;
        let length = parse_bytes(length)
            .filter(|length| *length > 0)
            .ok_or_else(wrong)?;
        Self::new(offset, length).ok_or_else(wrong)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.offset, self.length)
    }
}

/// A number of bytes with K, M, G or T after it.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()? {
        b'k' | b'K' => (text.get(..text.len() - 1)?, 10),
        b'm' | b'M' => (text.get(..text.len() - 1)?, 20),
        b'g' | b'G' => (text.get(..text.len() - 1)?, 30),
        b't' | b'T' => (text.get(..text.len() - 1)?, 40),
        _ => (text, 0),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_with_units() {
        assert_eq!(
            Span::parse("1M:64K"),
            Ok(Span {
                offset: 1 << 20,
                length: 64 << 10
            })
        );
        assert_eq!(
            Span::parse("0:512"),
            Ok(Span {
                offset: 0,
                length: 512
            })
        );
        for bad in [
            "",
            ":",
            "1:",
            ":1",
            "1:0",
            "+1:1",
            "1M",
            "1:2:3",
            "9223372036854775807:1",
            "-1:5",
            "1E:1",
        ] {
            assert!(Span::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn pieces_cover_a_span_once() {
        let span = Span {
            offset: 5,
            length: 10,
        };
        let pieces: Vec<Span> = span.pieces(4).collect();
        assert_eq!(
            pieces.iter().map(|p| p.length).collect::<Vec<_>>(),
            [4, 4, 2]
        );
        assert!(pieces.iter().all(|piece| span.holds(piece)));
        assert!(!span.holds(&Span {
            offset: 14,
            length: 2
        }));
        assert!(span.meets(&Span {
            offset: 14,
            length: 2
        }));
        assert!(!span.meets(&Span {
            offset: 15,
            length: 2
        }));
    }
}
