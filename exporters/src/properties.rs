//! Properties as `KEY=value` lines, as udev's `IMPORT{program}` and environment files take them.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes properties, one on a line.
///
/// Blanks, quotes, backslashes and whatever a shell or a rule could take for its own become `\xNN`, byte for byte as
/// udev's own encoding has it; letters, digits and `#+-.:=@_/!,` stay. Such a value can't end its line or begin another.
///
/// # Errors
///
/// Those of the writer.
pub fn write_properties(out: &mut dyn Write, properties: &[(&str, String)]) -> io::Result<()> {
    let mut text = String::new();
    for (key, value) in properties {
        let _ = writeln!(text, "{key}={}", encoded(value));
    }
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn encoded(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"#+-.:=@_/!,".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_can_end_its_line_or_begin_another() {
        let mut out = Vec::new();
        let hostile = "a\"b'c\\d\ne{f}$g`<h>\u{e9}".to_owned();
        write_properties(&mut out, &[("K", hostile), ("L", "cciss!c0d0".into())]).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "K=a\\x22b\\x27c\\x5cd\\x0ae\\x7bf\\x7d\\x24g\\x60\\x3ch\\x3e\\xc3\\xa9\nL=cciss!c0d0\n"
        );
    }
}
