//! What may stand in a line, and how wide it is there.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Bytes gathered before the caller's writer is called.
const BUFFER: usize = 64 * 1024;

/// Replaces what must not reach a terminal by a visible escape: `\x1b`, `\u{202e}`.
///
/// Escaped are control characters (C0, DEL and C1, so newline and tab too), line and paragraph
/// separators, and the format characters that reorder text or show nothing (bidi marks, overrides
/// and isolates, zero-width space, word joiner, byte-order mark, tags). The joiners U+200C and
/// U+200D stay: scripts and emoji need them. Text without any of these is returned as it is.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if !is_unsafe(c) {
            clean.push(c);
        } else if c.is_ascii() {
            let _ = write!(clean, "\\x{:02x}", u32::from(c));
        } else {
            let _ = write!(clean, "\\u{{{:x}}}", u32::from(c));
        }
    }
    Cow::Owned(clean)
}

/// Whether a character is one that [`printable`] escapes.
pub(crate) const fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Columns that a text without control characters takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// Splits off the longest beginning of at most `max` columns, at least one character of it.
pub(crate) fn split_at_width(text: &str, max: usize) -> (&str, &str) {
    let mut end = prefix_end(text, max);
    if end == 0 {
        end = text.chars().next().map_or(0, char::len_utf8);
    }
    text.split_at(end)
}

/// The text, or as much of it as leaves room for the ellipsis within `max` columns.
pub(crate) fn fit<'a>(text: &'a str, max: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= max {
        return Cow::Borrowed(text);
    }
    let end = prefix_end(text, max.saturating_sub(width(ellipsis)));
    Cow::Owned(format!("{}{ellipsis}", text[..end].trim_end_matches(' ')))
}

/// Byte index at which the beginning of at most `max` columns ends.
fn prefix_end(text: &str, max: usize) -> usize {
    let mut columns = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        columns += c.width().unwrap_or(0);
        if columns > max {
            end = at;
            break;
        }
    }
    // A sequence can be wider than its characters are one by one (a variation selector).
    while width(&text[..end]) > max {
        end = text[..end]
            .char_indices()
            .next_back()
            .map_or(0, |(at, _)| at);
    }
    end
}

/// Runs `body` on a buffer before `out`. After an error nothing more is written.
pub(crate) fn buffered(
    out: &mut dyn Write,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = BufWriter::with_capacity(BUFFER, out);
    let result = body(&mut buffer).and_then(|()| buffer.flush());
    // Taken apart, it can't try once more when it is dropped.
    let _ = buffer.into_parts();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_not_copied() {
        assert!(matches!(
            printable("Größe 盘 ok"),
            Cow::Borrowed("Größe 盘 ok")
        ));
    }

    #[test]
    fn control_and_bidi_characters_become_visible() {
        assert_eq!(printable("a\x1b[31mb\n\x7f"), "a\\x1b[31mb\\x0a\\x7f");
        assert_eq!(
            printable("\u{9b}2J\u{202e}x\u{2066}"),
            "\\u{9b}2J\\u{202e}x\\u{2066}"
        );
    }

    #[test]
    fn a_cut_text_ends_in_the_ellipsis_within_the_width() {
        assert_eq!(fit("abcdef", 6, "…"), "abcdef");
        assert_eq!(fit("abcdef", 5, "…"), "abcd…");
        assert_eq!(fit("ab cdef", 4, "…"), "ab…");
        assert_eq!(fit("盘盘盘", 5, "…"), "盘盘…");
        assert_eq!(fit("盘盘盘", 4, "…"), "盘…");
        assert_eq!(fit("abcdef", 5, "..."), "ab...");
    }

    #[test]
    fn a_split_always_takes_a_character() {
        assert_eq!(split_at_width("盘x", 1), ("盘", "x"));
        assert_eq!(split_at_width("abc", 2), ("ab", "c"));
        assert_eq!(split_at_width("", 2), ("", ""));
    }
}
