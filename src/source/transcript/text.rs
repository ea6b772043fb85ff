//! Texts that may hold anything, on one line.

use std::fmt::Write as _;

/// A text that may hold anything, as one word. An empty one becomes `\u{}`.
pub(super) fn word(text: &str) -> String {
    if text.is_empty() {
        r"\u{}".to_owned()
    } else {
        escape(text, true)
    }
}

/// Printable ASCII stays, everything else and the backslash is escaped, and so are the spaces
/// that a reader would not see or that would end a word.
pub(super) fn escape(text: &str, spaces: bool) -> String {
    let inner = text.trim_start_matches(' ');
    let leading = text.len() - inner.len();
    let trailing = leading + inner.trim_end_matches(' ').len();
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        match character {
            ' ' if !spaces && at >= leading && at < trailing => out.push(' '),
            '\\' => out.push_str(r"\\"),
            '!'..='~' => out.push(character),
            other => {
                let _ = write!(out, r"\u{{{:x}}}", u32::from(other));
            }
        }
    }
    out
}

/// Takes back what `escape` did.
pub(super) fn unescape(text: &str) -> Result<String, String> {
    let wrong = || format!("{text:?} has a broken escape");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        if let Some(tail) = after.strip_prefix('\\') {
            out.push('\\');
            rest = tail;
            continue;
        }
        let (code, tail) = after
            .strip_prefix("u{")
            .and_then(|code| code.split_once('}'))
            .ok_or_else(wrong)?;
        if !code.is_empty() {
            out.push(code_point(code).ok_or_else(wrong)?);
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

fn code_point(code: &str) -> Option<char> {
    let plain = code.len() <= 6 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain
        .then(|| u32::from_str_radix(code, 16).ok())
        .flatten()
        .and_then(char::from_u32)
}
