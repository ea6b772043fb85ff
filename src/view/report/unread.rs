//! What could not be read, with its reason: the other half of every `null`.

use std::borrow::Cow;

use crate::facts::reading::Reading;

/// A value that is null, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Unread {
    /// Path of the value in the device's object: `queue.write_zeroes_unmap_max_bytes`.
    pub field: Cow<'static, str>,
    /// `absent`: kernel, page or table has no such thing. `denied`: permission refused. `unsupported`: asked, and
    /// refused or failed. `malformed`: read, and makes no sense. `not-asked`: not asked for.
    pub status: Status,
    /// How it was refused, what made no sense, or why it was not asked for.
    pub detail: Option<String>,
}

/// Why a value is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "`Unread::status` says what each means")]
pub enum Status {
    Absent,
    Denied,
    Unsupported,
    Malformed,
    NotAsked,
}

impl Status {
    /// The word for it in every output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Denied => "denied",
            Self::Unsupported => "unsupported",
            Self::Malformed => "malformed",
            Self::NotAsked => "not-asked",
        }
    }

    /// Of a reading; `None` where it has a value.
    pub fn of<T>(reading: &Reading<T>) -> Option<Self> {
        match reading {
            Reading::Present(_) => None,
            Reading::Absent => Some(Self::Absent),
            Reading::Denied(_) => Some(Self::Denied),
            Reading::Unsupported(_) => Some(Self::Unsupported),
            Reading::Malformed(_) => Some(Self::Malformed),
            Reading::NotAsked(_) => Some(Self::NotAsked),
        }
    }
}

/// Turns readings into values and keeps the reason of each that has none.
#[derive(Debug, Default)]
pub struct Taker {
    /// The reasons so far.
    pub unread: Vec<Unread>,
}

impl Taker {
    /// The value of a reading, or null with its reason.
    pub fn take<T: Clone>(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        reading: &Reading<T>,
    ) -> Option<T> {
        if let Some(status) = Status::of(reading) {
            self.unread.push(Unread {
                field: field.into(),
                status,
                detail: reading.detail(),
            });
        }
        reading.value().cloned()
    }

    /// A value that a page or a structure leaves out: null, absent.
    pub fn absent<T>(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        value: Option<T>,
    ) -> Option<T> {
        if value.is_none() {
            self.unread.push(Unread {
                field: field.into(),
                status: Status::Absent,
                detail: None,
            });
        }
        value
    }

    /// A part of the report that hangs on one reading: null with its reason, or made from the value.
    pub fn part<T, U>(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        reading: &Reading<T>,
        make: impl FnOnce(&mut Self, &T) -> U,
    ) -> Option<U> {
        match reading {
            Reading::Present(value) => Some(make(self, value)),
            other => {
                let status = Status::of(other)?;
                let detail = other.detail();
                self.unread.push(Unread {
                    field: field.into(),
                    status,
                    detail,
                });
                None
            }
        }
    }
}
