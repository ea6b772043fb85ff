//! What came of asking for one value: six findings that are never mixed up.

use rustix::io::Errno;

use crate::source::command::CommandError;
use crate::source::errno;

/// One value that was asked for. *Unknown is not zero*: only [`Reading::Present`] has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading<T> {
    /// It was read.
    Present(T),
    /// The kernel, the device's page or the table has no such thing.
    Absent,
    /// Permission was refused.
    Denied(Errno),
    /// It was asked, and the kernel or the device refused or failed; the text says how.
    Unsupported(Box<str>),
    /// Something was read that makes no sense; the text shows it and says why.
    Malformed(Box<str>),
    /// It was not asked for; the text says why.
    NotAsked(&'static str),
}

impl<T> Reading<T> {
    /// From the outcome of a system call on a file.
    pub fn from_errno(error: Errno) -> Self {
        match error {
            Errno::NOENT | Errno::NOTDIR => Self::Absent,
            Errno::ACCESS | Errno::PERM => Self::Denied(error),
            // A sysfs attribute whose device went away between open and read.
            Errno::NODEV | Errno::NXIO => Self::Unsupported(
                format!("the device went away ({})", errno::describe(error)).into(),
            ),
            Errno::LOOP => Self::Malformed("a link where a file belongs".into()),
            Errno::FBIG => Self::Malformed("longer than an attribute can be".into()),
            Errno::ISDIR => Self::Malformed("a directory where a file belongs".into()),
            other => Self::Unsupported(errno::describe(other).into()),
        }
    }

    /// A value that makes no sense, shown with its reason.
    pub fn malformed(why: impl Into<Box<str>>) -> Self {
        Self::Malformed(why.into())
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Present(value) => Some(value),
            _ => None,
        }
    }

    /// The value by copy, if there is one.
    pub fn get(&self) -> Option<T>
    where
        T: Copy,
    {
        self.value().copied()
    }

    /// Whether there is a value.
    pub fn is_present(&self) -> bool {
        matches!(self, Self::Present(_))
    }

    /// Whether the kernel or the device has no such thing (which is a finding of its own, not a failure).
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether it could not be known for a reason that another user, option or moment would remove.
    pub fn is_unknown(&self) -> bool {
        !matches!(self, Self::Present(_) | Self::Absent)
    }

    /// The same finding about something made from the value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Reading<U> {
        self.and_then(|value| Reading::Present(f(value)))
    }

    /// The same finding, or what `f` makes of the value.
    pub fn and_then<U>(self, f: impl FnOnce(T) -> Reading<U>) -> Reading<U> {
        match self {
            Self::Present(value) => f(value),
            Self::Absent => Reading::Absent,
            Self::Denied(error) => Reading::Denied(error),
            Self::Unsupported(why) => Reading::Unsupported(why),
            Self::Malformed(why) => Reading::Malformed(why),
            Self::NotAsked(why) => Reading::NotAsked(why),
        }
    }

    /// A reading of a reference.
    pub fn as_ref(&self) -> Reading<&T> {
        match self {
            Self::Present(value) => Reading::Present(value),
            Self::Absent => Reading::Absent,
            Self::Denied(error) => Reading::Denied(*error),
            Self::Unsupported(why) => Reading::Unsupported(why.clone()),
            Self::Malformed(why) => Reading::Malformed(why.clone()),
            Self::NotAsked(why) => Reading::NotAsked(why),
        }
    }

    /// The word of the JSON contract for a value that is not there; `None` where it is.
    pub fn status(&self) -> Option<&'static str> {
        match self {
            Self::Present(_) => None,
            Self::Absent => Some("absent"),
            Self::Denied(_) => Some("denied"),
            Self::Unsupported(_) => Some("unsupported"),
            Self::Malformed(_) => Some("malformed"),
            Self::NotAsked(_) => Some("not-asked"),
        }
    }

    /// What stands behind [`Reading::status`], for people.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::Present(_) | Self::Absent => None,
            Self::Denied(error) => Some(errno::describe(*error)),
            Self::Unsupported(why) | Self::Malformed(why) => Some(why.to_string()),
            Self::NotAsked(why) => Some((*why).to_owned()),
        }
    }
}

impl<T> Reading<T> {
    /// What a decoder made of bytes; what it refuses is malformed.
    pub fn from_decoded<E: std::fmt::Display>(decoded: Result<T, E>) -> Self {
        match decoded {
            Ok(value) => Self::Present(value),
            Err(error) => Self::malformed(error.to_string()),
        }
    }

    /// Why a command brought nothing back.
    pub fn from_command(error: CommandError) -> Self {
        match error {
            CommandError::NotAsked(why) => Self::NotAsked(why),
            CommandError::Open {
                errno: errno @ (Errno::ACCESS | Errno::PERM),
                ..
            }
            | CommandError::Ioctl {
                errno: errno @ (Errno::ACCESS | Errno::PERM),
                ..
            } => Self::Denied(errno),
            CommandError::Malformed { .. } => Self::malformed(error.to_string()),
            other => Self::Unsupported(other.to_string().into()),
        }
    }
}

impl<T> From<Result<T, Errno>> for Reading<T> {
    fn from(result: Result<T, Errno>) -> Self {
        match result {
            Ok(value) => Self::Present(value),
            Err(error) => Self::from_errno(error),
        }
    }
}
