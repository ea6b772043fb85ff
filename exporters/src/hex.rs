//! Bytes in hexadecimal, as a dump.

use std::fmt::Write as _;

/// The lines of a dump, `offset` being shown for the first byte.
///
/// A line has 16 bytes, or 8 or 4 if that is what fits in `room` columns. Lines that repeat the one
/// before are one `*`, the last line excepted.
pub(crate) fn dump(
    bytes: &[u8],
    offset: usize,
    room: Option<usize>,
) -> impl Iterator<Item = String> {
    let end = offset.saturating_add(bytes.len());
    let digits = format!("{end:x}").len().max(4);
    // Offset, bytes, characters, and the spaces and bars between them.
    let needed = |per_line: usize| digits + 4 + 4 * per_line + per_line.div_ceil(8);
    let fits = |&per_line: &usize| room.is_none_or(|room| needed(per_line) <= room);
    let per_line = [16, 8].into_iter().find(fits).unwrap_or(4);

    let last = bytes.len().saturating_sub(1) / per_line;
    let mut before: Option<&[u8]> = None;
    let mut starred = false;
    bytes
        .chunks(per_line)
        .enumerate()
        .filter_map(move |(at, row)| {
            if before == Some(row) && at != last {
                return (!std::mem::replace(&mut starred, true)).then(|| "*".to_owned());
            }
            (before, starred) = (Some(row), false);
            let start = offset.saturating_add(at * per_line);
            Some(format!("{start:0digits$x}{}", line(row, per_line)))
        })
}

/// The bytes of a line, a wider space before every eight, and their characters between bars.
fn line(row: &[u8], per_line: usize) -> String {
    let mut line = String::new();
    for at in 0..per_line {
        line.push_str(if at % 8 == 0 { "  " } else { " " });
        // Writing to a string can't fail.
        let _ = match row.get(at) {
            Some(byte) => write!(line, "{byte:02x}"),
            None => write!(line, "  "),
        };
    }
    let shown = |&byte: &u8| {
        if matches!(byte, b' '..=b'~') {
            char::from(byte)
        } else {
            '.'
        }
    };
    let _ = write!(line, "  |{}|", row.iter().map(shown).collect::<String>());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], offset: usize, room: Option<usize>) -> String {
        dump(bytes, offset, room).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn sixteen_bytes_a_line() {
        let mut bytes = [0; 40];
        bytes[..3].copy_from_slice(b"A |");
        bytes[33] = 0x19;
        let expected = "\
0010  41 20 7c 00 00 00 00 00  00 00 00 00 00 00 00 00  |A |.............|
0020  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
0030  00 19 00 00 00 00 00 00                           |........|";
        assert_eq!(text(&bytes, 0x10, None), expected);
        assert_eq!(text(&bytes, 0x10, Some(74)), expected);
        assert!(text(&bytes, 0x10, Some(73)).starts_with("0010  41 20 7c 00 00 00 00 00  |"));
    }

    #[test]
    fn repeated_lines_are_a_star_and_the_last_is_shown() {
        let expected = "\
0000  7f 7f 7f 7f  |....|
*
000c  7f 7f 7f 7f  |....|";
        assert_eq!(text(&[0x7f; 16], 0, Some(5)), expected);
        assert_eq!(text(&[], 0, None), "");
    }

    #[test]
    fn long_offsets_get_more_digits() {
        assert_eq!(text(&[0], 0x12345, Some(5)), "12345  00           |.|");
        assert!(text(&[0], usize::MAX, None).starts_with("ffffffffffffffff  00 "));
    }
}
