//! A page of explained text: a title, sections, reasons with what speaks for them.

use std::io::{self, Write};

use anstyle::Style;

use crate::field::{Cell, Tone};
use crate::hex::dump;
use crate::style::{HEADING, paint};
use crate::table::TableOptions;
use crate::text::{buffered, fit, printable, width};
use crate::wrap::{Run, wrap};

/// Columns that each depth adds.
const STEP: usize = 2;
/// The narrowest that text is wrapped to.
const MIN_TEXT: usize = 20;

/// A page of text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The headline; not written if it is empty.
    pub title: String,
    /// How the headline is to be taken.
    pub tone: Tone,
    /// What follows it, in order.
    pub blocks: Vec<Block>,
}

/// A part of a [`Page`].
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// The title of a section, after an empty line.
    Heading(String),
    /// A paragraph, with its further lines under its first.
    Item {
        /// How deep it stands, from 0; each depth adds two columns, up to half the width.
        depth: u8,
        /// How the text is to be taken.
        tone: Tone,
        /// What stands before the first line, without the space that follows.
        bullet: Option<&'static str>,
        /// The text. Its spaces are where it may be broken.
        text: String,
    },
    /// A label and its value. The values of neighbouring pairs stand under each other.
    Pair {
        /// The label; a colon follows. Cut at half the width.
        label: String,
        /// The value, as in a table.
        value: Cell,
        /// A remark after the value.
        note: Option<String>,
    },
    /// Raw bytes in hexadecimal. Lines that repeat the one before are shown as `*`.
    Hex {
        /// What the bytes are.
        label: String,
        /// The bytes.
        bytes: Vec<u8>,
        /// The number that the first byte's offset is shown as.
        offset: usize,
    },
}

/// Writes a page, wrapped to `options.width`.
///
/// Text is never wrapped narrower than 20 columns, so lines may exceed a width below 50.
/// [`TableOptions::headings`] has no meaning here.
pub fn write_page(out: &mut dyn Write, page: &Page, options: &TableOptions) -> io::Result<()> {
    buffered(out, |out| {
        let mut pen = Pen {
            out,
            options,
            bold: false,
            blank: true,
        };
        pen.headline(&page.title, page.tone)?;
        let mut at = 0;
        while let Some(block) = page.blocks.get(at) {
            at += 1;
            match block {
                Block::Heading(text) => {
                    if !pen.blank {
                        pen.raw("", "")?;
                    }
                    pen.headline(text, Tone::Plain)?;
                }
                Block::Item {
                    depth,
                    tone,
                    bullet,
                    text,
                } => {
                    pen.item(*depth, *tone, *bullet, text)?;
                }
                Block::Hex {
                    label,
                    bytes,
                    offset,
                } => pen.hex(label, bytes, *offset)?,
                Block::Pair { .. } => {
                    let pairs = &page.blocks[at - 1..];
                    let is_pair = |block: &&Block| matches!(block, Block::Pair { .. });
                    let pairs = &pairs[..pairs.iter().take_while(is_pair).count()];
                    pen.pairs(pairs)?;
                    at += pairs.len() - 1;
                }
            }
        }
        Ok(())
    })
}

struct Pen<'a> {
    out: &'a mut dyn Write,
    options: &'a TableOptions,
    /// Whether text is written in the style of headings.
    bold: bool,
    /// Whether nothing is written yet.
    blank: bool,
}

impl Pen<'_> {
    /// A line of two parts that take no colour.
    fn raw(&mut self, lead: &str, text: &str) -> io::Result<()> {
        self.blank = false;
        writeln!(
            self.out,
            "{}",
            format!("{lead}{text}").trim_end_matches(' ')
        )
    }

    fn headline(&mut self, text: &str, tone: Tone) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.bold = true;
        let result = self.text(
            "",
            &[Run {
                tone,
                text: printable(text).into_owned(),
            }],
        );
        self.bold = false;
        result
    }

    /// The spaces that a depth begins with.
    fn indent(&self, depth: u8) -> usize {
        let wanted = STEP * (usize::from(depth) + 1);
        wanted.min(self.options.width.map_or(usize::MAX, |width| width / 2))
    }

    /// Text after a lead; its further lines begin under the first one's text.
    fn text(&mut self, lead: &str, runs: &[Run]) -> io::Result<()> {
        let hanging = width(lead);
        let limit = match self.options.width {
            Some(width) => width.saturating_sub(hanging).max(MIN_TEXT),
            None => usize::MAX,
        };
        let spaces = " ".repeat(hanging);
        for (at, line) in wrap(runs, limit).iter().enumerate() {
            let mut written = String::new();
            for run in line {
                paint(&mut written, self.style(run.tone), &run.text);
            }
            self.raw(if at == 0 { lead } else { &spaces }, &written)?;
        }
        Ok(())
    }

    fn style(&self, tone: Tone) -> Style {
        match (self.options.color, self.bold) {
            (false, _) => Style::new(),
            (true, true) => tone
                .style()
                .effects(tone.style().get_effects() | HEADING.get_effects()),
            (true, false) => tone.style(),
        }
    }

    fn item(&mut self, depth: u8, tone: Tone, bullet: Option<&str>, text: &str) -> io::Result<()> {
        let bullet = bullet.map_or_else(String::new, |mark| format!("{} ", printable(mark)));
        let lead = format!("{}{bullet}", " ".repeat(self.indent(depth)));
        self.text(
            &lead,
            &[Run {
                tone,
                text: printable(text).into_owned(),
            }],
        )
    }

    fn pairs(&mut self, pairs: &[Block]) -> io::Result<()> {
        let cap = self
            .options
            .width
            .map_or(usize::MAX, |width| (width / 2).max(MIN_TEXT / 2));
        let label = |label: &str| format!("{}:", fit(&printable(label), cap, "…"));
        let labels = pairs.iter().map(|pair| match pair {
            Block::Pair { label: text, .. } => width(&label(text)),
            _ => 0,
        });
        let column = labels.max().unwrap_or(0);
        let indent = " ".repeat(self.indent(0));
        for pair in pairs {
            let Block::Pair {
                label: text,
                value,
                note,
            } = pair
            else {
                continue;
            };
            let text = label(text);
            let lead = format!("{indent}{text}{}", " ".repeat(column - width(&text) + STEP));
            let tone = if value.is_missing() {
                Tone::Dim
            } else {
                Tone::Plain
            };
            let mut runs = vec![Run {
                tone,
                text: value.to_text(self.options.bytes),
            }];
            if let Some(note) = note {
                // With the space that parts runs, two.
                runs.push(Run {
                    tone: Tone::Dim,
                    text: format!(" {}", printable(note)),
                });
            }
            self.text(&lead, &runs)?;
        }
        Ok(())
    }

    fn hex(&mut self, label: &str, bytes: &[u8], offset: usize) -> io::Result<()> {
        self.item(0, Tone::Plain, None, label)?;
        let indent = self.indent(1);
        let room = self.options.width.map(|width| width - indent.min(width));
        let indent = " ".repeat(indent);
        dump(bytes, offset, room).try_for_each(|line| self.raw(&indent, &line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(depth: u8, bullet: Option<&'static str>, text: &str) -> Block {
        Block::Item {
            depth,
            tone: Tone::Plain,
            bullet,
            text: text.to_owned(),
        }
    }

    fn pair(label: &str, value: Cell, note: Option<&str>) -> Block {
        Block::Pair {
            label: label.to_owned(),
            value,
            note: note.map(str::to_owned),
        }
    }

    fn page(blocks: Vec<Block>) -> Page {
        Page {
            title: "alpha: as wished".to_owned(),
            tone: Tone::Good,
            blocks,
        }
    }

    fn written(page: &Page, options: &TableOptions) -> String {
        let mut out = Vec::new();
        write_page(&mut out, page, options).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn narrow(width: usize) -> TableOptions {
        TableOptions {
            width: Some(width),
            ..TableOptions::default()
        }
    }

    #[test]
    fn reasons_hang_under_their_first_line() {
        let page = page(vec![
            Block::Heading("Why".to_owned()),
            item(
                0,
                Some("*"),
                "the quick brown fox jumps over the lazy dog and goes on",
            ),
            item(1, Some("-"), "file: 1"),
            item(1, None, "a\nb"),
        ]);
        let expected = "\
alpha: as wished

Why
  * the quick brown fox jumps over
    the lazy dog and goes on
    - file: 1
    a\\x0ab
";
        assert_eq!(written(&page, &narrow(36)), expected);
    }

    #[test]
    fn neighbouring_pairs_share_a_column() {
        let page = page(vec![
            pair(
                "size",
                Cell::Bytes(4_294_966_784),
                Some("as asked of the thing itself"),
            ),
            pair("read-only", Cell::Bool(false), None),
            item(0, None, "between"),
            pair("x", Cell::Missing("absent"), None),
        ]);
        let expected = "\
alpha: as wished
  size:       4G-512  as asked of
              the thing itself
  read-only:  no
  between
  x:  ?absent
";
        assert_eq!(written(&page, &narrow(36)), expected);
    }

    #[test]
    fn raw_bytes_stand_under_their_label() {
        let hex = Block::Hex {
            label: "raw".to_owned(),
            bytes: b"A\0".to_vec(),
            offset: 0x21,
        };
        let untitled = Page {
            blocks: vec![hex],
            ..Page::default()
        };
        let expected = "\
\x20 raw
    0021  41 00                    |A.|
";
        assert_eq!(written(&untitled, &narrow(60)), expected);
    }

    #[test]
    fn colours_come_after_the_layout() {
        let options = TableOptions {
            color: true,
            ..narrow(24)
        };
        let expected = "\
\x1b[1m\x1b[32malpha: as wished\x1b[0m
  x:  8M  \x1b[2mbecause it says\x1b[0m
      \x1b[2mso\x1b[0m
";
        let page = page(vec![pair(
            "x",
            Cell::Bytes(8 << 20),
            Some("because it says so"),
        )]);
        assert_eq!(written(&page, &options), expected);
    }
}
