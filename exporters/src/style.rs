//! What the tones look like on a terminal.

use anstyle::{AnsiColor, Style};

use crate::field::Tone;

impl Tone {
    /// The terminal style of this tone: green, yellow, red, faint, or none.
    ///
    /// Only the sixteen colours that every terminal theme chooses for itself are used.
    #[must_use]
    pub const fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Fair => AnsiColor::Yellow.on_default(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Dim => Style::new().dimmed(),
        }
    }
}

/// The style of column headings and section titles.
pub(crate) const HEADING: Style = Style::new().bold();

/// Adds a text in a style to a line. Spaces at its ends take no style, nor does an empty style.
pub(crate) fn paint(line: &mut String, style: Style, text: &str) {
    use std::fmt::Write as _;
    let end = text.trim_end_matches(' ').len();
    let start = end - text[..end].trim_start_matches(' ').len();
    line.push_str(&text[..start]);
    if start < end {
        // Writing to a string can't fail.
        let _ = write!(line, "{style}{}{style:#}", &text[start..end]);
    }
    line.push_str(&text[end..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(tone: Tone) -> String {
        let mut line = String::new();
        paint(&mut line, tone.style(), "x");
        line
    }

    #[test]
    fn spaces_at_the_ends_take_no_style() {
        let mut line = String::new();
        paint(&mut line, HEADING, "  a b ");
        paint(&mut line, HEADING, "  ");
        assert_eq!(line, "  \x1b[1ma b\x1b[0m   ");
    }

    #[test]
    fn each_tone_has_its_own_look() {
        assert_eq!(painted(Tone::Plain), "x");
        assert_eq!(painted(Tone::Good), "\x1b[32mx\x1b[0m");
        assert_eq!(painted(Tone::Fair), "\x1b[33mx\x1b[0m");
        assert_eq!(painted(Tone::Bad), "\x1b[1m\x1b[31mx\x1b[0m");
        assert_eq!(painted(Tone::Dim), "\x1b[2mx\x1b[0m");
    }
}
