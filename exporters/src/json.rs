//! JSON documents, and one JSON value a line.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::ser::{Error as _, Serialize, Serializer};

use crate::text::{buffered, is_unsafe};

/// A list written from an iterator, item by item, so that a document can hold a long one without
/// building it.
///
/// It can be written once: what it gave is gone. Serializing it again is an error.
///
/// ```
/// # use zinspect_exporters::{Streamed, write_json};
/// #[derive(serde::Serialize)]
/// struct Document<L> {
///     version: u32,
///     items: L, // Vec<T> or Streamed<_>
/// }
///
/// let document = Document { version: 1, items: Streamed::new((0..3).map(|n| n * n)) };
/// let mut out = Vec::new();
/// write_json(&mut out, &document, false)?;
/// assert_eq!(out, b"{\"version\":1,\"items\":[0,1,4]}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Streamed<I>(Cell<Option<I>>);

impl<I: Iterator> Streamed<I> {
    /// The list of what the iterator will give.
    pub fn new(items: impl IntoIterator<IntoIter = I>) -> Self {
        Self(Cell::new(Some(items.into_iter())))
    }
}

impl<I> Serialize for Streamed<I>
where
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let items = self
            .0
            .take()
            .ok_or_else(|| S::Error::custom("streamed list written twice"))?;
        serializer.collect_seq(items)
    }
}

/// Writes one value as JSON and a newline; `pretty` puts every member on a line of its own.
///
/// Characters that [`printable`](crate::printable) would escape are written as `\u` escapes, which
/// a reader turns back into themselves.
///
/// # Errors
///
/// Those of the writer, as they were; of kind `InvalidData` or `Other` if the value can't be JSON
/// (a map whose keys are no texts, a [`Streamed`] list written twice).
pub fn write_json<T: Serialize + ?Sized>(
    out: &mut dyn Write,
    value: &T,
    pretty: bool,
) -> io::Result<()> {
    buffered(out, |out| {
        if pretty {
            serde_json::to_writer_pretty(Escaping(out), value)?;
        } else {
            serde_json::to_writer(Escaping(out), value)?;
        }
        out.write_all(b"\n")
    })
}

/// Writes each item as JSON on a line of its own (NDJSON), taking them one by one.
///
/// # Errors
///
/// As [`write_json`]. The lines before the item at fault may or may not have been written.
pub fn write_ndjson<T: Serialize>(
    out: &mut dyn Write,
    items: impl Iterator<Item = T>,
) -> io::Result<()> {
    buffered(out, |out| {
        for item in items {
            serde_json::to_writer(Escaping(out), &item)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}

/// Escapes what serde_json lets through. Anything but ASCII, and DEL, stands only inside strings,
/// and is passed on in whole characters.
struct Escaping<'a>(&'a mut dyn Write);

impl Write for Escaping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.iter().all(|&byte| byte < 0x7f) {
            return self.0.write_all(bytes);
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            if c >= '\x7f' && is_unsafe(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string can't fail.
                    let _ = write!(escaped, "\\u{unit:04x}");
                }
            } else {
                escaped.push(c);
            }
        }
        self.0.write_all(escaped.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    struct Document<L> {
        version: u32,
        items: L,
    }

    fn text(value: &impl Serialize, pretty: bool) -> String {
        let mut out = Vec::new();
        write_json(&mut out, value, pretty).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_document_streams_its_list() {
        let document = Document {
            version: 1,
            items: Streamed::new((0..3).map(|n| n * n)),
        };
        assert_eq!(
            text(&document, false),
            "{\"version\":1,\"items\":[0,1,4]}\n"
        );
        let empty = Document {
            version: 1,
            items: Streamed::new(Vec::<u8>::new()),
        };
        assert_eq!(
            text(&empty, true),
            "{\n  \"version\": 1,\n  \"items\": []\n}\n"
        );
    }

    #[test]
    fn a_streamed_list_is_written_once() {
        let list = Streamed::new([1, 2]);
        assert_eq!(text(&list, false), "[1,2]\n");
        let error = write_json(&mut Vec::new(), &list, false).unwrap_err();
        assert!(
            error.to_string().contains("streamed list written twice"),
            "{error}"
        );
    }

    #[test]
    fn lines_of_json() {
        let mut out = Vec::new();
        write_ndjson(&mut out, [("a", 1), ("b", 2)].into_iter()).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "[\"a\",1]\n[\"b\",2]\n");
    }

    #[test]
    fn escapes_lose_nothing() {
        let hostile = "a\x1b\x7f\u{9b}\u{202e}\u{e0041}é盘";
        let json = text(&hostile, false);
        assert_eq!(json, "\"a\\u001b\\u007f\\u009b\\u202e\\udb40\\udc41é盘\"\n");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }

    #[test]
    fn a_closed_pipe_keeps_its_kind() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let long = Streamed::new(0..100_000u32);
        let error = write_json(&mut Closed, &long, false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
