//! One self-contained HTML page: a summary, a picture, a table of records, an explained section for each.
//!
//! Nothing is fetched, everything is escaped, and it says so itself (`Content-Security-Policy`). It follows the
//! reader's light or dark scheme, prints, and tells by words, not by colour alone.

use std::io::{self, Write};

use crate::bytes::ByteStyle;
use crate::detail::{Block, Page};
use crate::field::{Cell, Field, Tone, Unit};
use crate::text::printable;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/filter.js");

/// What is not in the records themselves.
#[derive(Debug, Default)]
pub struct HtmlPage<'p> {
    /// Title and first heading.
    pub title: String,
    /// Label and value, shown first.
    pub summary: Vec<(String, String)>,
    /// An SVG element, which stands in the page as it is.
    pub picture: Option<String>,
    /// What the picture shows, for those who cannot see it.
    pub picture_says: &'p str,
    /// A section for each record, in the order of the records; none for a bare list.
    pub sections: Vec<Page>,
    /// Whether rows and sections can be filtered, which takes a script.
    pub filter: bool,
}

/// Text inside an element or an attribute in double quotes: no character in it can end either, and no control
/// character is left (see [`printable`]).
pub fn escape_markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The class for a tone, in HTML and SVG alike.
pub(crate) fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Good => "good",
        Tone::Fair => "fair",
        Tone::Bad => "bad",
        Tone::Dim => "dim",
    }
}

/// Writes the page. `fields` are the columns of the table; `tone` colours a row's first cell.
///
/// # Errors
///
/// Those of the writer.
pub fn write_html<R>(
    out: &mut dyn Write,
    page: &HtmlPage,
    fields: &[&Field<R>],
    rows: &[R],
) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(64 << 10, out);
    head(&mut out, page)?;
    if let Some(svg) = &page.picture {
        let says = escape_markup(page.picture_says);
        writeln!(out, "<h2 id=\"topology\">Topology</h2>")?;
        writeln!(
            out,
            "<figure tabindex=\"0\" aria-label=\"{says}\">{svg}</figure>"
        )?;
    }
    table(&mut out, page, fields, rows)?;
    for (at, section) in page.sections.iter().enumerate() {
        self::section(&mut out, at, section)?;
    }
    writeln!(out, "</main>")?;
    if page.filter {
        writeln!(out, "<script>{SCRIPT}</script>")?;
    }
    writeln!(out, "</body></html>")?;
    out.flush()
}

fn head(out: &mut dyn Write, page: &HtmlPage) -> io::Result<()> {
    let title = escape_markup(&page.title);
    let script = if page.filter {
        "; script-src 'unsafe-inline'"
    } else {
        ""
    };
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{script}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>\n<dl class=\"summary\">\n"
    )?;
    for (label, value) in &page.summary {
        let (label, value) = (escape_markup(label), escape_markup(value));
        writeln!(out, "<div><dt>{label}</dt><dd>{value}</dd></div>")?;
    }
    writeln!(out, "</dl>")
}

fn table<R>(
    out: &mut dyn Write,
    page: &HtmlPage,
    fields: &[&Field<R>],
    rows: &[R],
) -> io::Result<()> {
    writeln!(out, "<h2 id=\"list\">List</h2>")?;
    if page.filter {
        writeln!(
            out,
            "<p class=\"filter\" hidden><label>Search <input type=\"search\" id=\"search\"></label> \
             <span id=\"found\" role=\"status\"></span></p>"
        )?;
    }
    writeln!(out, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>")?;
    for field in fields {
        let (header, help) = (escape_markup(field.header), escape_markup(field.help));
        let right = match field.unit {
            Unit::None => "",
            _ => " class=\"right\"",
        };
        writeln!(
            out,
            "<th scope=\"col\"{right} title=\"{help}\">{header}</th>"
        )?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for (at, row) in rows.iter().enumerate() {
        writeln!(out, "<tr id=\"row-{at}\">")?;
        for (column, field) in fields.iter().enumerate() {
            let value = (field.get)(row);
            let class = self::class(field.tone_of(row, &value));
            let right = if field.unit == Unit::None {
                ""
            } else {
                " right"
            };
            let text = escape_markup(&value.to_text(ByteStyle::People));
            match (column, page.sections.get(at)) {
                (0, Some(_)) => writeln!(
                    out,
                    "<th scope=\"row\"><a href=\"#section-{at}\">{text}</a></th>"
                )?,
                (0, None) => writeln!(out, "<th scope=\"row\">{text}</th>")?,
                _ => writeln!(out, "<td class=\"{class}{right}\">{text}</td>")?,
            }
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")
}

fn section(out: &mut dyn Write, at: usize, page: &Page) -> io::Result<()> {
    let title = escape_markup(&page.title);
    let tone = class(page.tone);
    writeln!(
        out,
        "<section id=\"section-{at}\"><h2 class=\"{tone}\">{title}</h2>"
    )?;
    let mut open: Option<&str> = None;
    for block in &page.blocks {
        let wants = match block {
            Block::Heading(_) | Block::Hex { .. } => None,
            Block::Item { .. } => Some("ul"),
            Block::Pair { .. } => Some("dl"),
        };
        if open != wants {
            if let Some(tag) = open {
                writeln!(out, "</{tag}>")?;
            }
            if let Some(tag) = wants {
                writeln!(out, "<{tag}>")?;
            }
            open = wants;
        }
        self::block(out, block)?;
    }
    if let Some(tag) = open {
        writeln!(out, "</{tag}>")?;
    }
    writeln!(out, "</section>")
}

fn block(out: &mut dyn Write, block: &Block) -> io::Result<()> {
    match block {
        Block::Heading(text) => writeln!(out, "<h3>{}</h3>", escape_markup(text)),
        Block::Hex { label, bytes, .. } => {
            let lines: Vec<String> = bytes
                .chunks(16)
                .map(|line| {
                    let bytes: Vec<String> = line.iter().map(|b| format!("{b:02x}")).collect();
                    bytes.join(" ")
                })
                .collect();
            let label = escape_markup(label);
            writeln!(
                out,
                "<pre aria-label=\"{label}\">{}</pre>",
                lines.join("\n")
            )
        }
        Block::Item {
            depth, tone, text, ..
        } => {
            let (tone, text) = (class(*tone), escape_markup(text));
            writeln!(
                out,
                "<li class=\"{tone} depth-{}\">{text}</li>",
                (*depth).min(3)
            )
        }
        Block::Pair { label, value, note } => {
            let value = match value {
                // A page explains, so it gives the number that files and commands have.
                Cell::Bytes(bytes) => bytes.to_string(),
                other => other.to_text(ByteStyle::Plain),
            };
            let note = note.as_deref().map_or_else(String::new, |note| {
                format!(" <small>{}</small>", escape_markup(note))
            });
            let (label, value) = (escape_markup(label), escape_markup(&value));
            writeln!(out, "<div><dt>{label}</dt><dd>{value}{note}</dd></div>")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Row(&'static str);

    const FIELDS: [Field<Row>; 2] = [
        Field {
            key: "name",
            header: "NAME",
            help: "a \"name\"",
            unit: Unit::None,
            tone: None,
            get: |row| Cell::from(row.0),
        },
        Field {
            key: "again",
            header: "AGAIN",
            help: "",
            unit: Unit::None,
            tone: Some(|_| Tone::Good),
            get: |row| Cell::from(row.0),
        },
    ];

    const HOSTILE: &str = "</title><script>alert(1)</script>\"'&\n\u{202e}";

    fn hostile_page() -> String {
        let section = Page {
            title: HOSTILE.into(),
            tone: Tone::Bad,
            blocks: vec![
                Block::Heading(HOSTILE.into()),
                Block::Item {
                    depth: 9,
                    tone: Tone::Dim,
                    bullet: Some("-"),
                    text: HOSTILE.into(),
                },
                Block::Pair {
                    label: HOSTILE.into(),
                    value: Cell::from(HOSTILE),
                    note: Some(HOSTILE.into()),
                },
            ],
        };
        let page = HtmlPage {
            title: HOSTILE.into(),
            summary: vec![(HOSTILE.into(), HOSTILE.into())],
            sections: vec![section],
            filter: true,
            ..HtmlPage::default()
        };
        let mut out = Vec::new();
        let fields: Vec<&Field<Row>> = FIELDS.iter().collect();
        write_html(&mut out, &page, &fields, &[Row(HOSTILE)]).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn no_text_becomes_markup() {
        let html = hostile_page();
        assert_eq!(html.matches("<script").count(), 1);
        assert_eq!(html.matches("</title>").count(), 1);
        assert!(!html.contains('\u{202e}'));
        assert!(
            html.contains(
                "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\x0a"
            )
        );
    }

    #[test]
    fn every_element_that_is_opened_is_closed() {
        let html = hostile_page();
        for tag in [
            "html", "head", "body", "main", "table", "tr", "section", "ul", "dl", "li", "dd",
        ] {
            let opened = html.matches(&format!("<{tag}>")).count()
                + html.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn nothing_is_fetched() {
        let html = hostile_page();
        for word in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!html.contains(word), "{word}");
        }
    }
}
