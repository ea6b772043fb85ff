//! Rows under headings, in the look of the util-linux tools: no borders, two spaces between.

use std::io::{self, Write};

use crate::bytes::ByteStyle;
use crate::field::{Field, Unit};
use crate::layout::{Grid, GridCell};
use crate::text::printable;

/// How tables, trees and pages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableOptions {
    /// The columns of the terminal that no line shall exceed; `None` for no limit.
    pub width: Option<usize>,
    /// How numbers of bytes are written.
    pub bytes: ByteStyle,
    /// Whether tones and headings are shown by terminal escapes.
    pub color: bool,
    /// Whether tables and trees begin with the line of headings. Pages take no notice.
    pub headings: bool,
}

impl Default for TableOptions {
    /// No limit of width, bytes for people, no colour, headings.
    fn default() -> Self {
        Self {
            width: None,
            bytes: ByteStyle::People,
            color: false,
            headings: true,
        }
    }
}

/// Writes a record a line, a field a column.
///
/// Numbers (by [`Field::unit`]) stand at the right, lines end in no space, and a value is written as
/// [`Cell::to_text`](crate::Cell::to_text) says. With a width given, text columns are cut, each cut
/// text ending in `…`, the last column first: down to 8 columns, the first column of the table to
/// 16, and none below its heading. Numbers are never cut, so a table of many columns can exceed a
/// narrow width. Without a width a text is cut at 60,000 columns. Without fields nothing is written.
pub fn write_table<R>(
    out: &mut dyn Write,
    fields: &[&Field<R>],
    rows: &[R],
    options: &TableOptions,
) -> io::Result<()> {
    let cells = |row: &R| {
        let cell = |field: &&Field<R>| {
            let value = (field.get)(row);
            let tone = field.tone_of(row, &value);
            GridCell {
                text: value.to_text(options.bytes),
                tone,
                lead: 0,
            }
        };
        fields.iter().map(cell).collect()
    };
    let grid = Grid {
        headings: fields
            .iter()
            .map(|field| printable(field.header).into_owned())
            .collect(),
        right: fields
            .iter()
            .map(|field| field.unit != Unit::None)
            .collect(),
        rows: rows.iter().map(cells).collect(),
        ellipsis: "…",
    };
    grid.write(out, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Cell, Tone};

    struct Row {
        name: &'static str,
        limit: Cell,
        count: u64,
        note: &'static str,
    }

    static FIELDS: [Field<Row>; 4] = [
        Field {
            key: "name",
            header: "NAME",
            help: "",
            unit: Unit::None,
            tone: None,
            get: |row| Cell::from(row.name),
        },
        Field {
            key: "limit",
            header: "LIMIT",
            help: "",
            unit: Unit::Bytes,
            tone: Some(|row| {
                if row.count > 9 {
                    Tone::Good
                } else {
                    Tone::Plain
                }
            }),
            get: |row| row.limit.clone(),
        },
        Field {
            key: "count",
            header: "COUNT",
            help: "",
            unit: Unit::Count,
            tone: None,
            get: |row| Cell::UInt(row.count),
        },
        Field {
            key: "note",
            header: "NOTE",
            help: "",
            unit: Unit::None,
            tone: None,
            get: |row| Cell::from(row.note),
        },
    ];

    fn rows() -> Vec<Row> {
        let row = |name, limit, count, note| Row {
            name,
            limit,
            count,
            note,
        };
        vec![
            row(
                "alpha",
                Cell::Bytes(4_294_966_784),
                12,
                "a rather long note",
            ),
            row("盘", Cell::Bytes(0), 3, ""),
            row("b", Cell::Missing("denied"), 100_000, "x\x1b[31my"),
            row("c", Cell::Missing(""), 0, "last"),
        ]
    }

    fn written(options: &TableOptions) -> String {
        let fields: Vec<_> = FIELDS.iter().collect();
        let mut out = Vec::new();
        write_table(&mut out, &fields, &rows(), options).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_are_aligned_and_lines_trimmed() {
        let expected = "\
NAME     LIMIT   COUNT  NOTE
alpha   4G-512      12  a rather long note
盘           0       3
b      ?denied  100000  x\\x1b[31my
c            -       0  last
";
        assert_eq!(written(&TableOptions::default()), expected);
    }

    #[test]
    fn the_last_text_column_is_cut_to_the_width() {
        let expected = "\
NAME     LIMIT   COUNT  NOTE
alpha   4G-512      12  a rather lo…
盘           0       3
b      ?denied  100000  x\\x1b[31my
c            -       0  last
";
        let options = TableOptions {
            width: Some(36),
            ..TableOptions::default()
        };
        assert_eq!(written(&options), expected);
        let options = TableOptions {
            width: Some(5),
            ..TableOptions::default()
        };
        assert!(written(&options).contains("\nalpha   4G-512      12  a rathe…\n"));
    }

    #[test]
    fn headings_and_units_can_be_left_out() {
        let options = TableOptions {
            headings: false,
            bytes: ByteStyle::Plain,
            ..Default::default()
        };
        let expected = "\
alpha  4294966784      12  a rather long note
盘              0       3
b         ?denied  100000  x\\x1b[31my
c               -       0  last
";
        assert_eq!(written(&options), expected);
    }

    #[test]
    fn colours_change_no_width() {
        let options = TableOptions {
            color: true,
            width: Some(36),
            ..TableOptions::default()
        };
        let text = written(&options);
        assert!(
            text.starts_with("\x1b[1mNAME\x1b[0m     \x1b[1mLIMIT\x1b[0m   \x1b[1mCOUNT\x1b[0m")
        );
        assert!(text.contains("\nalpha   \x1b[32m4G-512\x1b[0m      12  a rather lo…\n"));
        assert!(text.contains("\nb      \x1b[32m?denied\x1b[0m  100000"));
        assert!(text.contains("\nc            \x1b[2m-\x1b[0m       0  last\n"));
    }

    #[test]
    fn without_fields_nothing_is_written() {
        let mut out = Vec::new();
        write_table(&mut out, &[], &rows(), &TableOptions::default()).unwrap();
        assert_eq!(out, b"");
    }

    #[test]
    fn without_rows_there_are_headings() {
        let mut out = Vec::new();
        let fields: Vec<_> = FIELDS.iter().collect();
        write_table(&mut out, &fields, &[], &TableOptions::default()).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "NAME  LIMIT  COUNT  NOTE\n"
        );
    }

    #[test]
    fn a_closed_pipe_is_the_callers_to_see() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let fields: Vec<_> = FIELDS.iter().collect();
        let result = write_table(&mut Closed, &fields, &rows(), &TableOptions::default());
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
