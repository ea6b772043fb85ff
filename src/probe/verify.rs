//! What stands on the device after a command, block by block, and what that makes of the command.

use serde::{Deserialize, Serialize};

use super::pattern::{self, Pattern, THIRD};
use super::span::Span;

/// What a block read back as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Zeroes.
    Zeroes,
    /// What had been written before the command.
    Pattern,
    /// Nothing: the buffer still holds what was put there before the read.
    Nothing,
    /// What an earlier method had written there.
    Stale,
    /// What had been written to another place.
    Misplaced,
    /// Zeroes and something else in one block, or neither.
    Other,
}

impl Found {
    /// In a sentence: "holds …".
    pub fn words(self) -> &'static str {
        match self {
            Self::Zeroes => "zeroes",
            Self::Pattern => "what stood there before the command",
            Self::Nothing => "nothing: the read succeeded without delivering data",
            Self::Stale => "what an earlier method wrote there",
            Self::Misplaced => "what was written to another place",
            Self::Other => "neither zeroes nor anything that was written",
        }
    }
}

/// The smallest block that any device has.
const BLOCK: usize = 512;
/// Blocks are looked at one by one only where a piece of this size is not all as it should be.
const PIECE: usize = 16 << 10;

/// How a block reads.
pub fn look(offset: u64, bytes: &[u8], pattern: Pattern, earlier: &[Pattern]) -> Found {
    if pattern::all(bytes, 0) {
        Found::Zeroes
    } else if pattern.is(offset, bytes) {
        Found::Pattern
    } else if pattern::all(bytes, THIRD) {
        Found::Nothing
    } else if earlier.iter().any(|earlier| earlier.is(offset, bytes)) {
        Found::Stale
    } else if pattern.place_of(bytes).is_some() {
        Found::Misplaced
    } else {
        Found::Other
    }
}

/// A place that is not as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrong {
    /// The first byte that is wrong.
    pub offset: u64,
    /// What its block holds.
    pub found: Found,
}

/// What was found in one part of the span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Bytes in blocks that are as they should be.
    pub right: u64,
    /// Bytes in blocks that are not.
    pub wrong: u64,
    /// The first of those.
    pub first: Option<Wrong>,
}

/// What should stand where.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Where zeroes should stand; `None` where none should.
    pub zeroes: Option<Span>,
    /// What should stand everywhere else.
    pub pattern: Pattern,
    /// What may have stood there before.
    pub earlier: Vec<Pattern>,
}

/// Holds what is read against what should be there.
#[derive(Debug)]
pub struct Verifier {
    expect: Expectation,
    /// Inside the range to be zeroed.
    pub inside: Tally,
    /// Around it.
    pub around: Tally,
}

impl Verifier {
    /// Begins.
    pub fn new(expect: Expectation) -> Self {
        Self {
            expect,
            inside: Tally::default(),
            around: Tally::default(),
        }
    }

    /// Takes the bytes from `offset` on; `offset` and the edges of the range are multiples of 512.
    pub fn feed(&mut self, offset: u64, bytes: &[u8]) {
        let mut at = offset;
        for piece in bytes.chunks(PIECE) {
            self.piece(at, piece);
            at += piece.len() as u64;
        }
    }

    fn piece(&mut self, offset: u64, bytes: &[u8]) {
        let span = Span {
            offset,
            length: bytes.len() as u64,
        };
        match self.expect.zeroes {
            Some(zeroes) if zeroes.holds(&span) && pattern::all(bytes, 0) => {
                self.inside.right += span.length;
            }
            zeroes
                if zeroes.is_none_or(|zeroes| !zeroes.meets(&span))
                    && self.expect.pattern.is(offset, bytes) =>
            {
                self.around.right += span.length;
            }
            _ => {
                for (block, bytes) in span.pieces(BLOCK as u64).zip(bytes.chunks(BLOCK)) {
                    self.block(block, bytes);
                }
            }
        }
    }

    fn block(&mut self, block: Span, bytes: &[u8]) {
        let Expectation {
            zeroes,
            pattern,
            ref earlier,
        } = self.expect;
        let found = look(block.offset, bytes, pattern, earlier);
        let inside = zeroes.is_some_and(|zeroes| zeroes.holds(&block));
        let (tally, wanted) = if inside {
            (&mut self.inside, Found::Zeroes)
        } else {
            (&mut self.around, Found::Pattern)
        };
        if found == wanted {
            tally.right += block.length;
            return;
        }
        tally.wrong += block.length;
        if tally.first.is_none() {
            let first = if inside {
                (block.offset..)
                    .zip(bytes)
                    .find(|(_, byte)| **byte != 0)
                    .map(|(at, _)| at)
            } else {
                pattern.first_difference(block.offset, bytes)
            };
            tally.first = Some(Wrong {
                offset: first.unwrap_or(block.offset),
                found,
            });
        }
    }

    /// What a command did that said it succeeded.
    pub fn effect(&self) -> Effect {
        if let Some(wrong) = self.around.first {
            return Effect::Collateral {
                wrong,
                bytes: self.around.wrong,
            };
        }
        match (self.inside.right, self.inside.first) {
            (_, None) => Effect::Zeroed,
            (0, Some(wrong)) => Effect::NotZeroed { wrong },
            (zeroed, Some(wrong)) => Effect::PartlyZeroed { wrong, zeroed },
        }
    }
}

/// What a command did to the range and to its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// All of the range holds zeroes, nothing else changed.
    Zeroed,
    /// None of it does.
    NotZeroed {
        /// The first byte.
        wrong: Wrong,
    },
    /// Some of it does.
    PartlyZeroed {
        /// The first byte that is no zero.
        wrong: Wrong,
        /// Bytes of the blocks that hold zeroes.
        zeroed: u64,
    },
    /// Something outside the range changed.
    Collateral {
        /// The first byte.
        wrong: Wrong,
        /// Bytes of the blocks that changed.
        bytes: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Span = Span {
        offset: 4096,
        length: 64 << 10,
    };
    const RANGE: Span = Span {
        offset: 4096 + 8192,
        length: 32 << 10,
    };

    fn check(change: impl Fn(&mut [u8])) -> Effect {
        let pattern = Pattern::new(7, 1);
        let mut bytes = vec![0; 64 << 10];
        pattern.fill(SPAN.offset, &mut bytes);
        bytes[8192..8192 + (32 << 10)].fill(0);
        change(&mut bytes);
        let earlier = vec![Pattern::new(7, 0)];
        let expect = Expectation {
            zeroes: Some(RANGE),
            pattern,
            earlier,
        };
        let mut verifier = Verifier::new(expect);
        for (piece, bytes) in SPAN.pieces(20 << 10).zip(bytes.chunks(20 << 10)) {
            verifier.feed(piece.offset, bytes);
        }
        verifier.effect()
    }

    #[test]
    fn each_way_to_fail_is_told_apart_with_its_offset() {
        let at = |index: usize| SPAN.offset + index as u64;
        assert_eq!(check(|_| ()), Effect::Zeroed);
        let untouched = |bytes: &mut [u8]| Pattern::new(7, 1).fill(SPAN.offset, bytes);
        let wrong = Wrong {
            offset: RANGE.offset,
            found: Found::Pattern,
        };
        assert_eq!(check(untouched), Effect::NotZeroed { wrong });
        let second_half = |bytes: &mut [u8]| {
            let half = 8192 + (16 << 10);
            Pattern::new(7, 1).fill(at(half), &mut bytes[half..8192 + (32 << 10)]);
        };
        let wrong = Wrong {
            offset: at(8192 + (16 << 10)),
            found: Found::Pattern,
        };
        assert_eq!(
            check(second_half),
            Effect::PartlyZeroed {
                wrong,
                zeroed: 16 << 10
            }
        );
        let neighbour = |bytes: &mut [u8]| bytes[40 << 10..44 << 10].fill(0);
        let wrong = Wrong {
            offset: at(40 << 10),
            found: Found::Zeroes,
        };
        assert_eq!(check(neighbour), Effect::Collateral { wrong, bytes: 4096 });
        let stale = |bytes: &mut [u8]| {
            Pattern::new(7, 0).fill(RANGE.offset, &mut bytes[8192..8192 + (32 << 10)]);
        };
        let wrong = Wrong {
            offset: RANGE.offset,
            found: Found::Stale,
        };
        assert_eq!(check(stale), Effect::NotZeroed { wrong });
        let nothing = |bytes: &mut [u8]| bytes[8192..8192 + (32 << 10)].fill(THIRD);
        let wrong = Wrong {
            offset: RANGE.offset,
            found: Found::Nothing,
        };
        assert_eq!(check(nothing), Effect::NotZeroed { wrong });
        let one_byte = |bytes: &mut [u8]| bytes[9000] = 1;
        let Effect::PartlyZeroed { wrong, .. } = check(one_byte) else {
            panic!("not partly")
        };
        assert_eq!(
            wrong,
            Wrong {
                offset: at(9000),
                found: Found::Other
            }
        );
    }

    proptest::proptest! {
        #[test]
        fn no_changed_byte_passes(at in 0usize..64 << 10, change in 1u8..) {
            let effect = check(|bytes| bytes[at] ^= change);
            let inside = (8192..8192 + (32 << 10)).contains(&at);
            let offset = match effect {
                Effect::PartlyZeroed { wrong, .. } if inside => wrong.offset,
                Effect::Collateral { wrong, bytes: 512 } if !inside => wrong.offset,
                other => panic!("{other:?}"),
            };
            proptest::prop_assert_eq!(offset, SPAN.offset + at as u64);
        }
    }
}
