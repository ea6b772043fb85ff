//! Bytes as text, sixteen on a line, lines of zeroes left out.

use std::fmt::Write as _;

const WIDTH: usize = 16;

/// "70 00 05"
pub(super) fn bytes(data: &[u8]) -> String {
    let mut text = String::with_capacity(3 * data.len());
    for byte in data {
        let between = if text.is_empty() { "" } else { " " };
        // Writing to a String never fails.
        let _ = write!(text, "{between}{byte:02x}");
    }
    text
}

/// The bytes of "70 00 05": two digits each, in lower case, one space between.
pub(super) fn parse_bytes(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(' ').map(parse_byte).collect()
}

fn parse_byte(word: &str) -> Option<u8> {
    let plain = word.len() == 2
        && word
            .bytes()
            .all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit));
    plain.then(|| u8::from_str_radix(word, 16).ok()).flatten()
}

/// The dump of some data, without its length.
pub(super) fn dump(data: &[u8]) -> String {
    let mut text = String::new();
    let mut skipping = false;
    for (index, line) in data.chunks(WIDTH).enumerate() {
        if line.iter().all(|byte| *byte == 0) {
            if !skipping {
                text.push_str("*\n");
            }
            skipping = true;
        } else {
            skipping = false;
            let _ = writeln!(text, "{:04x}: {}", index * WIDTH, bytes(line));
        }
    }
    text
}

/// A dump that is being read.
#[derive(Debug)]
pub(super) struct Dump {
    length: usize,
    data: Vec<u8>,
    skipping: bool,
}

impl Dump {
    pub(super) fn new(length: usize) -> Self {
        Self {
            length,
            data: Vec::new(),
            skipping: false,
        }
    }

    /// Takes one line; the error says what is wrong with it.
    pub(super) fn line(&mut self, line: &str) -> Result<(), String> {
        if line == "*" {
            if self.skipping {
                return Err("two lines of \"*\" in a row".to_owned());
            }
            self.skipping = true;
            return Ok(());
        }
        let (offset, rest) = line.split_once(": ").ok_or("it is no line of a dump")?;
        let offset = usize::from_str_radix(offset, 16).map_err(|_| "its offset is no number")?;
        let line = parse_bytes(rest).ok_or("it has something else than bytes")?;
        let wanted = WIDTH.min(self.length.saturating_sub(offset));
        if line.len() != wanted {
            let count = line.len();
            return Err(format!(
                "it has {count} bytes, but there should be {wanted}"
            ));
        }
        let end = self.data.len();
        let follows = if self.skipping {
            offset > end && offset.is_multiple_of(WIDTH)
        } else {
            offset == end
        };
        if !follows || wanted == 0 {
            return Err(format!("its offset {offset:04x} does not follow {end:04x}"));
        }
        self.skipping = false;
        self.data.resize(offset, 0);
        self.data.extend(line);
        Ok(())
    }

    /// The data, once all lines were taken.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, String> {
        if self.skipping && self.data.len() < self.length {
            self.data.resize(self.length, 0);
        } else if self.skipping || self.data.len() != self.length {
            let (found, length) = (self.data.len(), self.length);
            return Err(format!("the dump has {found} bytes instead of {length}"));
        }
        Ok(self.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(length: usize, text: &str) -> Result<Vec<u8>, String> {
        let mut dump = Dump::new(length);
        text.lines().try_for_each(|line| dump.line(line))?;
        dump.finish()
    }

    #[test]
    fn lines_of_zeroes_are_left_out() {
        let mut data = vec![0; 100];
        data[40] = 0xab;
        let text = "*\n0020: 00 00 00 00 00 00 00 00 ab 00 00 00 00 00 00 00\n*\n";
        assert_eq!(dump(&data), text);
        assert_eq!(read(100, text), Ok(data));
        assert_eq!(dump(&[]), "");
        assert_eq!(dump(&[1, 2]), "0000: 01 02\n");
        assert_eq!(dump(&[0]), "*\n");
    }

    #[test]
    fn a_dump_that_lies_is_refused() {
        let full = "0000: 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n";
        for (length, text) in [
            (16, ""),
            (0, "*\n"),
            (16, "*\n*\n"),
            (32, full),
            (15, full),
            (
                16,
                "0010: 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n",
            ),
            (
                17,
                "*\n0001: 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n",
            ),
            (2, "0000: 01\n"),
            (2, "0000: 01 0x\n"),
            (2, "0000: 01 +1\n"),
            (1, "0000: AB\n"),
            (2, "0000 01 02\n"),
            (2, "ffffffffffffffffffff: 01 02\n"),
            (2, "ffffffffffffffff: 01 02\n"),
        ] {
            assert!(read(length, text).is_err(), "{length} {text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_data_reads_back(
            data in proptest::collection::vec(proptest::sample::select(vec![0_u8, 0, 0, 9]), 0..200)
        ) {
            proptest::prop_assert_eq!(read(data.len(), &dump(&data)), Ok(data));
        }
    }
}
