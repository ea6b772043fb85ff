//! What could not be read, said when it is news: a scrape comes every few seconds, and a log has no end.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::say::say;

/// What was said and still holds.
#[derive(Default)]
pub(super) struct Log {
    holds: RefCell<BTreeSet<String>>,
}

impl Log {
    /// Says the failures of a collection that the one before did not have: of a device that fails first, in another
    /// way, or again after it could be read.
    pub(super) fn tell(&self, failures: BTreeSet<String>) {
        self.news(failures).iter().for_each(say);
    }

    fn news(&self, failures: BTreeSet<String>) -> Vec<String> {
        let before = self.holds.replace(failures);
        self.holds.borrow().difference(&before).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_news_once_until_it_changes_or_comes_back() {
        let log = Log::default();
        let of = |failures: &[&str]| log.news(failures.iter().map(|&one| one.to_owned()).collect());
        assert_eq!(of(&["sda: EIO", "sdb: EIO"]), ["sda: EIO", "sdb: EIO"]);
        assert!(of(&["sda: EIO", "sdb: EIO"]).is_empty());
        assert_eq!(of(&["sda: EACCES", "sdb: EIO"]), ["sda: EACCES"]);
        assert!(of(&["sda: EACCES"]).is_empty());
        assert_eq!(of(&["sda: EACCES", "sdb: EIO"]), ["sdb: EIO"]);
    }
}
