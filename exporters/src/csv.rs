//! Comma-separated values.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::field::{Cell, Field};
use crate::text::printable;

/// Writes records as CSV (RFC 4180 quoting, lines end in a newline), the fields' keys as header.
///
/// A missing value is an empty cell, whatever its reason. Bytes are digits, `Bool` is `true` or
/// `false`, the items of a list are joined by spaces. Control characters are escaped as
/// [`printable`] does.
///
/// Texts come from the things described, and a spreadsheet runs a cell that begins with `=`, `+`,
/// `-` or `@` as a formula. Such a text, unless it is a number, is given an apostrophe in front,
/// which spreadsheets take as "text". Programs that need the texts unchanged should read JSON.
///
/// Rows are taken from the iterator one by one and never held.
pub fn write_csv<R>(
    out: &mut dyn Write,
    fields: &[&Field<R>],
    rows: impl Iterator<Item = R>,
    headings: bool,
) -> io::Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let mut writer = ::csv::WriterBuilder::new()
        .buffer_capacity(64 * 1024)
        .from_writer(out);
    if headings {
        let keys = fields.iter().map(|field| field.key);
        writer.write_record(keys).map_err(io_error)?;
    }
    for row in rows {
        for field in fields {
            writer
                .write_field(value(&(field.get)(&row)).as_bytes())
                .map_err(io_error)?;
        }
        writer.write_record(None::<&[u8]>).map_err(io_error)?;
    }
    writer.flush()
}

/// The writer's own error, kind and all.
fn io_error(error: ::csv::Error) -> io::Error {
    let text = error.to_string();
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        _ => io::Error::other(text),
    }
}

fn value(cell: &Cell) -> Cow<'_, str> {
    match cell {
        Cell::Missing(_) => Cow::Borrowed(""),
        Cell::Text(text) => no_formula(printable(text)),
        Cell::UInt(number) | Cell::Bytes(number) => Cow::Owned(number.to_string()),
        Cell::Bool(true) => Cow::Borrowed("true"),
        Cell::Bool(false) => Cow::Borrowed("false"),
        Cell::List(items) => no_formula(Cow::Owned(printable(&items.join(" ")).into_owned())),
    }
}

fn no_formula(text: Cow<'_, str>) -> Cow<'_, str> {
    // Spreadsheets take the full-width forms too.
    let formula = text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if formula && text.parse::<f64>().is_err() {
        Cow::Owned(format!("'{text}"))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Unit;

    static FIELDS: [Field<[Cell; 2]>; 2] = [
        Field {
            key: "a",
            header: "A",
            help: "",
            unit: Unit::None,
            tone: None,
            get: |row| row[0].clone(),
        },
        Field {
            key: "b_bytes",
            header: "B",
            help: "",
            unit: Unit::Bytes,
            tone: None,
            get: |row| row[1].clone(),
        },
    ];

    fn written(rows: Vec<[Cell; 2]>) -> String {
        let mut out = Vec::new();
        write_csv(
            &mut out,
            &FIELDS.iter().collect::<Vec<_>>(),
            rows.into_iter(),
            true,
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_for_programs() {
        let text = written(vec![
            [Cell::from("x, \"y\""), Cell::Bytes(4_294_966_784)],
            [Cell::Missing("denied"), Cell::Missing("")],
            [Cell::Bool(true), Cell::UInt(0)],
            [Cell::List(vec!["p".into(), "q".into()]), Cell::from("n\n")],
        ]);
        let expected = "\
a,b_bytes
\"x, \"\"y\"\"\",4294966784
,
true,0
p q,n\\x0a
";
        assert_eq!(text, expected);
    }

    #[test]
    fn formulas_are_disarmed_and_numbers_kept() {
        let text = written(vec![
            [Cell::from("=1+1"), Cell::from("-1")],
            [Cell::from("@x"), Cell::from("+2.5")],
            [Cell::from("-x"), Cell::List(vec!["=a".into(), "=b".into()])],
            [Cell::from("＝1"), Cell::from("a=b")],
        ]);
        let expected = "a,b_bytes\n'=1+1,-1\n'@x,+2.5\n'-x,'=a =b\n'＝1,a=b\n";
        assert_eq!(text, expected);
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
        let rows = std::iter::repeat_n([Cell::UInt(1), Cell::UInt(2)], 100_000);
        let result = write_csv(&mut Closed, &FIELDS.iter().collect::<Vec<_>>(), rows, true);
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
