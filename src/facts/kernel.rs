//! The running kernel's release, as far as a rule may rest on it.

use std::fmt;

/// A release such as `7.3.4+deb13-amd64`.
///
/// Vendors carry features back, so where a file tells whether the kernel has something, the file decides and not this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The release as the kernel gives it.
    pub release: String,
    /// Major and minor number, where the release begins with them.
    pub version: Option<(u32, u32)>,
}

impl Kernel {
    /// Reads a release.
    pub fn parse(release: &str) -> Self {
        let release = crate::model::text::attribute(release.as_bytes());
        let mut numbers = release
            .split(|c: char| !c.is_ascii_digit())
            .map(str::parse::<u32>);
        let version = match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Some((major, minor)),
            _ => None,
        };
        Self { release, version }
    }

    /// Whether it is of this version or newer; `None` where the release does not tell.
    pub fn at_least(&self, major: u32, minor: u32) -> Option<bool> {
        self.version.map(|version| version >= (major, minor))
    }

    /// Whether a vendor's kernel of an old number is likely to carry newer code (`5.14.0-503.el9`).
    pub fn may_carry_backports(&self) -> bool {
        self.may_carry(6, 17)
    }

    /// Whether a vendor's kernel of an older number is likely to carry what this version brought.
    pub fn may_carry(&self, major: u32, minor: u32) -> bool {
        [
            ".el", ".fc", "-default", "uek", "amzn", "azl", "cm2", ".oe", ".an", ".al", ".tl",
            "-android",
        ]
        .iter()
        .any(|mark| self.release.contains(mark))
            && self.at_least(major, minor) != Some(true)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_numbers_are_the_version() {
        let debian = Kernel::parse("7.3.4+deb13-amd64\n");
        assert_eq!(debian.release, "7.3.4+deb13-amd64");
        assert_eq!(debian.at_least(7, 3), Some(true));
        assert_eq!(debian.at_least(7, 10), Some(false));
        assert_eq!(Kernel::parse("").at_least(1, 0), None);
        let vendor = Kernel::parse("5.14.0-503.el9.x86_64");
        assert_eq!(vendor.version, Some((5, 14)));
        assert!(vendor.may_carry_backports());
        assert!(!debian.may_carry_backports());
    }
}
