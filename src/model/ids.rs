//! Names and numbers that stand for one device.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A block device's number, `MAJ:MIN` as in `/sys/dev/block` and `/proc/self/mountinfo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DevNo {
    /// Driver, or 259 for the shared extended range.
    pub major: u32,
    /// Device within the driver.
    pub minor: u32,
}

impl fmt::Display for DevNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// Why a text is no device number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a device number: wanted MAJ:MIN in decimal, as in \"8:16\"")]
pub struct NotADevNo;

impl FromStr for DevNo {
    type Err = NotADevNo;

    fn from_str(text: &str) -> Result<Self, NotADevNo> {
        let (major, minor) = text.split_once(':').ok_or(NotADevNo)?;
        let number = |digits: &str| {
            // `u32::from_str` takes a leading '+', the kernel never writes one.
            if digits.bytes().all(|b| b.is_ascii_digit()) {
                digits.parse().map_err(|_| NotADevNo)
            } else {
                Err(NotADevNo)
            }
        };
        Ok(Self {
            major: number(major)?,
            minor: number(minor)?,
        })
    }
}

/// A kernel device name, as in `/sys/class/block`: `sda1`, `dm-3`, `cciss!c0d0`.
///
/// Cheap to clone: every edge of the topology holds one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KName(Arc<str>);

impl KName {
    /// The longest name the kernel gives (`DISK_NAME_LEN`, include/linux/blkdev.h), with room for a partition number.
    const LONGEST: usize = 48;

    /// Takes a name if a kernel could have given it: no slash, no dots alone, no control character, and
    /// only if it can be looked up again: what is no UTF-8 in a listing is U+FFFD.
    pub fn new(name: &str) -> Option<Self> {
        const NO_UTF_8: char = char::REPLACEMENT_CHARACTER;
        let fits = !name.is_empty()
            && name.len() <= Self::LONGEST
            && name != "."
            && name != ".."
            && name
                .chars()
                .all(|c| !c.is_control() && !c.is_whitespace() && c != '/' && c != NO_UTF_8);
        fits.then(|| Self(name.into()))
    }

    /// The name as the kernel writes it in sysfs.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its node below `/dev`: the kernel writes `!` in sysfs for the `/` of a name such as `cciss/c0d0`.
    pub fn node(&self) -> String {
        format!("/dev/{}", self.0.replace('!', "/"))
    }
}

impl fmt::Display for KName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for KName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The order people expect: `sda2` before `sda10`, `nvme2n1` before `nvme10n1`.
pub fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a.first(), b.first()) {
            (None, None) => return std::cmp::Ordering::Equal,
            (None, _) => return std::cmp::Ordering::Less,
            (_, None) => return std::cmp::Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (left, rest_a) = digits(a);
                let (right, rest_b) = digits(b);
                let by_value = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
                if by_value.is_ne() {
                    return by_value;
                }
                (a, b) = (rest_a, rest_b);
            }
            (Some(x), Some(y)) if x != y => return x.cmp(y),
            _ => (a, b) = (a.split_at(1).1, b.split_at(1).1),
        }
    }
}

/// The leading number without its leading zeroes, and what follows it.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let zeroes = number.iter().take_while(|b| **b == b'0').count();
    (number.split_at(zeroes).1, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_numbers_are_decimal_pairs() {
        assert_eq!(
            "259:12".parse(),
            Ok(DevNo {
                major: 259,
                minor: 12
            })
        );
        for bad in [
            "",
            "8",
            "8:",
            ":0",
            "8:16 ",
            "+8:1",
            "8:16:0",
            "4294967296:0",
            "a:b",
        ] {
            assert_eq!(bad.parse::<DevNo>(), Err(NotADevNo), "{bad:?}");
        }
    }

    #[test]
    fn a_name_with_a_slash_or_an_escape_is_no_kernel_name() {
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "a\u{1b}[0m",
            "a\nb",
            "a b",
            &"x".repeat(49),
        ] {
            assert_eq!(KName::new(bad), None, "{bad:?}");
        }
        let cciss = KName::new("cciss!c0d0").expect("legal name");
        assert_eq!(cciss.node(), "/dev/cciss/c0d0");
    }

    #[test]
    fn numbers_in_names_are_ordered_by_value() {
        let mut names = [
            "sda10", "sdb", "sda2", "sda", "nvme10n1", "nvme2n1", "sda02",
        ];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            [
                "nvme2n1", "nvme10n1", "sda", "sda2", "sda02", "sda10", "sdb"
            ]
        );
    }
}
