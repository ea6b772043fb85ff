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
    /// The point release; not of names that stay at 0 through all of them (`6.1.0-31-amd64`).
    pub point: Option<u32>,
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
        let point = match (version, numbers.next()) {
            (Some(_), Some(Ok(point))) if point > 0 => Some(point),
            _ => None,
        };
        Self {
            release,
            version,
            point,
        }
    }

    /// Whether it is of this version or newer; `None` where the release does not tell.
    pub fn at_least(&self, major: u32, minor: u32) -> Option<bool> {
        self.version.map(|version| version >= (major, minor))
    }

    /// Whether it does what this version brought; `None` where the release does not tell, or a vendor may have carried
    /// it back. For rules that no file shows.
    pub fn has(&self, major: u32, minor: u32) -> Option<bool> {
        self.at_least(major, minor)
            .filter(|has| *has || !self.may_carry(major, minor))
    }

    /// Whether it has a fix of this version that went to some stable series, from which point release on; `None` where
    /// the release does not tell, and for series that nobody looked at.
    pub fn has_fix(&self, version: (u32, u32), stable: &[(u32, u32, u32)]) -> Option<bool> {
        if self.has(version.0, version.1)? {
            return Some(true);
        }
        let (major, minor) = self.version?;
        let (.., first) = stable.iter().find(|at| (at.0, at.1) == (major, minor))?;
        self.point.map(|point| point >= *first)
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

    #[test]
    fn what_a_vendor_may_have_carried_back_is_not_known() {
        assert_eq!(Kernel::parse("5.14.0-503.el9.x86_64").has(6, 12), None);
        assert_eq!(
            Kernel::parse("6.12.0-55.el10.x86_64").has(6, 12),
            Some(true)
        );
        assert_eq!(Kernel::parse("6.1.176").has(6, 12), Some(false));
        assert_eq!(Kernel::parse("rubbish").has(6, 12), None);
    }

    #[test]
    fn a_fix_of_a_stable_series_counts_from_its_point_release_on() {
        let fix =
            |release: &str| Kernel::parse(release).has_fix((7, 0), &[(6, 1, 175), (6, 12, 86)]);
        assert_eq!(fix("7.0.1"), Some(true));
        assert_eq!(fix("6.12.86+deb13-amd64"), Some(true));
        assert_eq!(fix("6.12.85"), Some(false));
        assert_eq!(fix("6.1.176"), Some(true));
        // Debian's name of every 6.1, and series that were not looked at.
        assert_eq!(fix("6.1.0-31-amd64"), None);
        assert_eq!(fix("6.6.50"), None);
        assert_eq!(fix("5.14.0-503.el9"), None);
    }
}
