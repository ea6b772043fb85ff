//! Text broken into lines at its spaces.

use crate::field::Tone;
use crate::text::{split_at_width, width};

/// A stretch of clean text in one tone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

/// A line under construction.
#[derive(Default)]
struct Line {
    runs: Vec<Run>,
    width: usize,
    /// Whether a word, if only an empty one, stands on it.
    begun: bool,
}

impl Line {
    fn push(&mut self, tone: Tone, text: &str) {
        self.width += width(text);
        match self.runs.last_mut() {
            Some(run) if run.tone == tone => run.text.push_str(text),
            _ => self.runs.push(Run {
                tone,
                text: text.to_owned(),
            }),
        }
    }

    fn word(&mut self, tone: Tone, word: &str) {
        if self.begun {
            // The space belongs to the run before it.
            let before = self.runs.last().map_or(tone, |run| run.tone);
            self.push(before, " ");
        }
        self.push(tone, word);
        self.begun = true;
    }

    fn finish(&mut self) -> Vec<Run> {
        let mut runs = std::mem::take(self).runs;
        while let Some(run) = runs.last_mut() {
            run.text.truncate(run.text.trim_end_matches(' ').len());
            if !run.text.is_empty() {
                break;
            }
            runs.pop();
        }
        runs
    }
}

/// Breaks runs, a space between each two, into lines of at most `limit` columns.
///
/// Spaces inside a line are kept, at a break they are dropped. A word longer than a line is broken
/// where the line ends. No line ends in a space. There is at least one line.
pub(crate) fn wrap(runs: &[Run], limit: usize) -> Vec<Vec<Run>> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    for (tone, word) in runs
        .iter()
        .flat_map(|run| run.text.split(' ').map(|word| (run.tone, word)))
    {
        if line.begun && line.width + 1 + width(word) > limit {
            lines.push(line.finish());
        }
        if word.is_empty() && !line.begun && !lines.is_empty() {
            continue;
        }
        let mut rest = word;
        while !line.begun && width(rest) > limit {
            let (head, tail) = split_at_width(rest, limit);
            if tail.is_empty() {
                break;
            }
            line.word(tone, head);
            lines.push(line.finish());
            rest = tail;
        }
        line.word(tone, rest);
    }
    if line.begun || lines.is_empty() {
        lines.push(line.finish());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, limit: usize) -> Vec<String> {
        let run = Run {
            tone: Tone::Plain,
            text: text.to_owned(),
        };
        let join = |line: Vec<Run>| line.into_iter().map(|run| run.text).collect::<String>();
        wrap(&[run], limit).into_iter().map(join).collect()
    }

    #[test]
    fn breaks_at_spaces() {
        assert_eq!(plain("one two three", 7), ["one two", "three"]);
        assert_eq!(plain("one two three", 6), ["one", "two", "three"]);
        assert_eq!(plain("", 6), [""]);
    }

    #[test]
    fn keeps_spaces_inside_and_drops_them_at_breaks() {
        assert_eq!(plain("  a  b   ", 20), ["  a  b"]);
        assert_eq!(plain("abc   def", 5), ["abc", "def"]);
    }

    #[test]
    fn breaks_words_that_are_too_long() {
        assert_eq!(plain("a bcdefghij k", 4), ["a", "bcde", "fghi", "j k"]);
        assert_eq!(plain("盘盘盘", 5), ["盘盘", "盘"]);
    }

    #[test]
    fn runs_keep_their_tones_over_breaks() {
        let run = |tone, text: &str| Run {
            tone,
            text: text.to_owned(),
        };
        let lines = wrap(&[run(Tone::Good, "8M"), run(Tone::Dim, "as it says")], 6);
        assert_eq!(
            lines,
            [
                vec![run(Tone::Good, "8M "), run(Tone::Dim, "as")],
                vec![run(Tone::Dim, "it")],
                vec![run(Tone::Dim, "says")]
            ]
        );
    }
}
