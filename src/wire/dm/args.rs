//! The words of a table line, taken one by one.

use std::str::FromStr;

use super::table::{DeviceId, TableError};

pub(super) fn number<T: FromStr>(word: &str) -> Option<T> {
    word.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| word.parse().ok())
        .flatten()
}

/// The words of a line, taken one by one; each is asked for by its name, for the message.
#[derive(Debug)]
pub(super) struct Args<'a> {
    target: &'a str,
    words: &'a [String],
    last: String,
}

impl<'a> Args<'a> {
    pub(super) fn new(target: &'a str, words: &'a [String]) -> Self {
        Self {
            target,
            words,
            last: "target type".to_owned(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<&'a str> {
        self.words.get(ahead).map(String::as_str)
    }

    pub(super) fn word(&mut self, argument: &str) -> Result<&'a str, TableError> {
        argument.clone_into(&mut self.last);
        let (word, rest) = self
            .words
            .split_first()
            .ok_or_else(|| TableError::Missing {
                target: self.target.to_owned(),
                argument: argument.to_owned(),
            })?;
        self.words = rest;
        Ok(word)
    }

    pub(super) fn number(&mut self, argument: &str) -> Result<u64, TableError> {
        let word = self.word(argument)?;
        number(word).ok_or_else(|| self.invalid(argument, word, "a number"))
    }

    /// A count of things that follow. More than there are words would only waste memory.
    pub(super) fn count(&mut self, argument: &str) -> Result<usize, TableError> {
        let word = self.word(argument)?;
        number(word).ok_or_else(|| self.invalid(argument, word, "a number"))
    }

    /// A count of at least one.
    pub(super) fn some(&mut self, argument: &str) -> Result<usize, TableError> {
        let word = self.word(argument)?;
        let count = number(word).filter(|count| *count > 0);
        count.ok_or_else(|| self.invalid(argument, word, "a number of 1 or more"))
    }

    /// The number of one of so many, counted from 1; 0 where there is none.
    pub(super) fn first_of(&mut self, count: usize, argument: &str) -> Result<(), TableError> {
        let wanted = match count {
            0 => "0, for there is none",
            _ => "a number of 1 or more",
        };
        let word = self.word(argument)?;
        match number::<u64>(word) {
            Some(first) if (first == 0) == (count == 0) => Ok(()),
            _ => Err(self.invalid(argument, word, wanted)),
        }
    }

    pub(super) fn device_id(&mut self, argument: &str) -> Result<DeviceId, TableError> {
        let word = self.word(argument)?;
        let wanted = "MAJ:MIN or a path under /dev";
        DeviceId::parse(word).ok_or_else(|| self.invalid(argument, word, wanted))
    }

    /// `<n> <word>…`
    pub(super) fn group(&mut self, argument: &str) -> Result<Vec<String>, TableError> {
        let count = self.count(&format!("number of {argument}s"))?;
        let mut words = Vec::new();
        for index in 1..=count {
            words.push(
                self.word(&format!("{argument} {index} of {count}"))?
                    .to_owned(),
            );
        }
        Ok(words)
    }

    /// [`Args::group`] that may be left out at the end of the line.
    pub(super) fn optional_group(&mut self, argument: &str) -> Result<Vec<String>, TableError> {
        if self.words.is_empty() {
            Ok(Vec::new())
        } else {
            self.group(argument)
        }
    }

    pub(super) fn end(&self) -> Result<(), TableError> {
        self.words.first().map_or(Ok(()), |word| {
            let (target, after) = (self.target.to_owned(), self.last.clone());
            Err(TableError::Surplus {
                target,
                after,
                word: word.clone(),
            })
        })
    }

    fn invalid(&self, argument: &str, word: &str, wanted: &'static str) -> TableError {
        TableError::Invalid {
            target: self.target.to_owned(),
            argument: argument.to_owned(),
            word: word.to_owned(),
            wanted,
        }
    }
}
