//! Spec layouts as code: bytes in, typed structures out, nothing else.
//!
//! Every structure here is the data book's: fields carry the standard's names, offsets are asserted
//! at compile time, and each accessor cites its document. There is no I/O, no kernel rule and no
//! opinion; input of any length and content gives a value or an error, never a panic. A field that
//! the bytes do not reach is `None`, because unknown is not zero.
//!
//! Documents: NVM Express Base Specification 2.0 and 2.1, NVM Command Set Specification 1.0 and
//! 1.1 (figures by number), SPC-5/6, SBC-4/5 and SAT-4/5 (tables by title: T10's table numbers move
//! from draft to draft, titles do not).
#![deny(clippy::indexing_slicing)]

#[macro_use]
mod layout;
pub mod dm;
mod error;
pub mod nvme;
pub mod scsi;

pub use error::WireError;
pub use layout::WireField;

/// A fixed-width text field without its padding (spaces and NULs on both ends), lossy UTF-8.
///
/// NVM Express Base 2.1 section 1.4.2 and SPC-5 4.3.1 pad ASCII fields with spaces; devices also
/// pad with NULs. Control characters inside are kept: escaping is the renderer's task.
pub fn text(field: &[u8]) -> String {
    let pad = |b: &u8| *b == b' ' || *b == 0;
    let start = field.iter().position(|b| !pad(b)).unwrap_or(field.len());
    let end = field
        .iter()
        .rposition(|b| !pad(b))
        .map_or(start, |last| last + 1);
    String::from_utf8_lossy(field.get(start..end).unwrap_or_default()).into_owned()
}

/// Whether there are bytes and all of them are 0xFF: what a dead PCIe link or a stub reads as.
pub fn all_ff(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|b| *b == 0xff)
}

/// Whether there are bytes and all of them are zero.
pub fn all_zero(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|b| *b == 0)
}

/// Bit `n` of a byte.
pub(crate) const fn bit(byte: u8, n: u32) -> bool {
    byte >> n & 1 == 1
}

/// Bits `high:low` of a byte, as a number.
pub(crate) const fn bits(byte: u8, high: u32, low: u32) -> u8 {
    (byte >> low) & (0xff >> (7 - (high - low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_as_the_standards_do() {
        assert_eq!(bits(0b1010_0000, 7, 5), 0b101);
        assert_eq!(bits(0b0001_1100, 4, 2), 0b111);
        assert_eq!(bits(0xff, 7, 0), 0xff);
        assert_eq!(bits(0b0000_0010, 1, 1), 1);
        assert!(bit(0x80, 7) && !bit(0x7f, 7));
    }

    #[test]
    fn text_strips_padding_only() {
        assert_eq!(text(b"  A B \0\0 "), "A B");
        assert_eq!(text(b"    "), "");
        assert_eq!(text(b""), "");
        assert_eq!(text(b"x\x1b[1m\xff "), "x\u{1b}[1m\u{fffd}");
    }

    #[test]
    fn empty_is_neither_all_ones_nor_all_zero() {
        assert!(!all_ff(b"") && !all_zero(b""));
        assert!(all_ff(&[0xff; 9]) && all_zero(&[0; 9]));
        assert!(!all_ff(&[0xff, 0xfe]) && !all_zero(&[0, 1]));
    }
}
