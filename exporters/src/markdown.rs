//! Markdown for a ticket: a table and explained sections.

use std::io::{self, Write};

use crate::bytes::ByteStyle;
use crate::detail::{Block, Page};
use crate::field::{Field, Unit};
use crate::text::printable;

/// Writes records as a table (GitHub's dialect), then a section for each page.
///
/// # Errors
///
/// Those of the writer.
pub fn write_markdown<R>(
    out: &mut dyn Write,
    fields: &[&Field<R>],
    rows: &[R],
    sections: &[Page],
) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let headings = fields.iter().map(|field| escape(field.header));
    writeln!(out, "{}", row(headings.collect()))?;
    let rule = fields.iter().map(|field| match field.unit {
        Unit::None => "---".to_owned(),
        _ => "--:".to_owned(),
    });
    writeln!(out, "{}", row(rule.collect()))?;
    for record in rows {
        let cells = fields
            .iter()
            .map(|field| escape(&(field.get)(record).to_text(ByteStyle::People)));
        writeln!(out, "{}", row(cells.collect()))?;
    }
    for page in sections {
        writeln!(out, "\n## {}", escape(&page.title))?;
        let mut listed = true;
        for block in &page.blocks {
            let is_list = !matches!(block, Block::Heading(_));
            if is_list != listed {
                writeln!(out)?;
            }
            listed = is_list;
            self::block(&mut out, block)?;
        }
    }
    out.flush()
}

fn block(out: &mut dyn Write, block: &Block) -> io::Result<()> {
    match block {
        Block::Heading(text) => writeln!(out, "### {}", escape(text)),
        Block::Item { depth, text, .. } => {
            let indent = "  ".repeat(usize::from(*depth));
            writeln!(out, "{indent}- {}", escape(text))
        }
        Block::Pair { label, value, note } => {
            let value = escape(&value.to_text(ByteStyle::Plain));
            let note = note
                .as_deref()
                .map_or_else(String::new, |note| format!(" ({})", escape(note)));
            writeln!(out, "- {}: {value}{note}", escape(label))
        }
        Block::Hex { label, bytes, .. } => {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(out, "- {}: `{}`", escape(label), bytes.join(" "))
        }
    }
}

/// Text that is text whatever stands in it: no markup, no HTML, no link, no mention.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let clean = printable(text);
    let mut word_inside = false;
    let mut characters = clean.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '@' => escaped.push_str("&#64;"),
            ':' if characters.peek() == Some(&'/') => escaped.push_str("&#58;"),
            // Inside a word an underscore is no markup, and names stay as people search them.
            '_' if word_inside && characters.peek().is_some_and(|next| next.is_alphanumeric()) => {
                escaped.push('_');
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            other => escaped.push(other),
        }
        word_inside = c.is_alphanumeric();
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Cell, Tone};

    const NAME: Field<&'static str> = Field {
        key: "name",
        header: "NAME",
        help: "",
        unit: Unit::None,
        tone: None,
        get: |row| Cell::from(*row),
    };

    #[test]
    fn no_text_is_markup() {
        let hostile = "a|b <img> [x](http://y) `c` *d* _e_ f_g @h \n #i ~~j~~";
        let page = Page {
            title: hostile.into(),
            tone: Tone::Plain,
            blocks: vec![
                Block::Heading("Why".into()),
                Block::Item {
                    depth: 1,
                    tone: Tone::Plain,
                    bullet: None,
                    text: "x".into(),
                },
            ],
        };
        let mut out = Vec::new();
        write_markdown(&mut out, &[&NAME], &[hostile], &[page]).unwrap();
        let safe = "a\\|b &lt;img&gt; \\[x\\](http&#58;//y) \\`c\\` \\*d\\* \\_e\\_ f_g &#64;h \\\\x0a \\#i \\~\\~j\\~\\~";
        assert_eq!(
            String::from_utf8(out).unwrap(),
            format!("| NAME |\n| --- |\n| {safe} |\n\n## {safe}\n\n### Why\n\n  - x\n")
        );
    }
}
