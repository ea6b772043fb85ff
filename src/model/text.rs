//! Text that a device or a file name controls, made safe once, where it is decoded.

use std::fmt::Write;

/// Bytes as text that can be printed anywhere.
///
/// Control characters (C0, DEL, C1), bidirectional overrides and bytes that are no UTF-8 become `\xNN` or `\u{NNNN}`,
/// so that a model, a serial or a dm name can neither send an escape sequence nor break a row. Blanks at both ends
/// are dropped: INQUIRY and Identify pad with them.
pub fn clean(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_safe(c) {
                out.push(c);
            } else if (c as u32) < 0x100 {
                let _ = write!(out, "\\x{:02x}", c as u32);
            } else {
                let _ = write!(out, "\\u{{{:04x}}}", c as u32);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    let trimmed = out.trim_matches(' ');
    if trimmed.len() == out.len() {
        out
    } else {
        trimmed.to_owned()
    }
}

fn is_safe(c: char) -> bool {
    let direction = matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let separator = matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    !c.is_control() && !direction && !separator
}

/// The content of a sysfs attribute: without the newline that ends it, then as [`clean`].
pub fn attribute(bytes: &[u8]) -> String {
    clean(bytes.strip_suffix(b"\n").unwrap_or(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_cannot_pass() {
        assert_eq!(clean(b"KCD61LUL7T68        "), "KCD61LUL7T68");
        assert_eq!(clean(b"a\x1b[31mb"), "a\\x1b[31mb");
        assert_eq!(clean(b"a\nb\0"), "a\\x0ab\\x00");
        assert_eq!(clean(b"a\xffb"), "a\\xffb");
        assert_eq!(clean("a\u{9b}31m".as_bytes()), "a\\x9b31m");
        assert_eq!(clean("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        assert_eq!(clean("Größe".as_bytes()), "Größe");
        assert_eq!(attribute(b"none\n"), "none");
    }
}
