//! Whether ext4 has a journal, and where it lies.
//!
//! The driver's folder in sysfs tells that there is one: `journal_task` is the number of its thread, or `<none>`
//! (`journal_task_show`, fs/ext4/sysfs.c). jbd2 names its folder in proc after the filesystem's device and, for a
//! journal in the filesystem, its inode (`jbd2_journal_init_inode`, fs/jbd2/journal.c): `sda-8`. A journal on a device
//! of its own is named after that device (`jbd2_journal_init_dev`), and stands in no option of the mount.

use crate::facts::collect::Collector;
use crate::facts::file::FileFacts;
use crate::facts::reading::Reading;
use crate::model::ids::KName;

/// Where metadata is committed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Journal {
    /// There is none.
    None,
    /// It lies in the filesystem.
    Internal,
    /// It has a device of its own, by its kernel name where that is known.
    External(Option<String>),
}

impl Journal {
    /// What the report says of it among the filesystem's features.
    pub fn feature(&self) -> String {
        match self {
            Self::None => "no journal".into(),
            Self::Internal => "internal journal".into(),
            Self::External(None) => "journal on a device of its own".into(),
            Self::External(Some(device)) => format!("journal on {device}"),
        }
    }
}

/// Reads it for a filesystem on a device.
pub(super) fn of(collector: &Collector, facts: &FileFacts, device: &KName) -> Reading<Journal> {
    // The ext2 driver knows none.
    if facts.ext2_driver {
        return Reading::Present(Journal::None);
    }
    let files = collector.host.files.as_ref();
    let listed = files.list("proc/fs/jbd2");
    let names = listed.as_deref().unwrap_or_default();
    if names.iter().any(|name| is_within(name, device)) {
        return Reading::Present(Journal::Internal);
    }
    match files.read(&format!("sys/fs/ext4/{device}/journal_task"), 64) {
        Ok(task) if task.starts_with(b"<none>") => Reading::Present(Journal::None),
        Ok(_) if listed.is_ok() => Reading::Present(Journal::External(own(collector, names))),
        // There is one, and nothing says where.
        Ok(_) => Reading::from(listed).and_then(|_| Reading::Absent),
        Err(error) => Reading::from_errno(error),
    }
}

fn is_within(name: &str, device: &KName) -> bool {
    name.strip_prefix(device.as_str())
        .and_then(|rest| rest.strip_prefix('-'))
        .is_some_and(|inode| !inode.is_empty() && inode.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The one device that is a journal; with several, nothing tells whose is which.
fn own(collector: &Collector, names: &[String]) -> Option<String> {
    let mut journals = names.iter().filter(|name| {
        KName::new(name.as_str()).is_some_and(|kname| collector.syspath(&kname).is_ok())
    });
    let only = journals.next()?;
    journals.next().is_none().then(|| only.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::file::{FileTarget, collect};
    use crate::facts::needs::Needs;
    use crate::source::inode::View;
    use crate::source::open;

    fn journal(files: &[(&str, &str)], line: &str) -> Reading<Journal> {
        let dir = tempfile::tempdir().expect("a folder");
        let mounts = format!("1 0 8:0 / /m rw - {line}\n");
        let always = [
            ("proc/self/mountinfo", mounts.as_str()),
            ("sys/class/block/sda/dev", "8:0\n"),
            ("sys/class/block/sdb/dev", "8:16\n"),
            ("sys/class/block/dm-0/dev", "254:0\n"),
        ];
        for (path, content) in always.iter().chain(files) {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            std::fs::write(path, content).expect("a file");
        }
        let host = open::sysroot(dir.path()).expect("a host");
        let collector = Collector::new(&host, Needs::ALL);
        let facts = collect(&collector, &FileTarget::new("/m/x", View::Own)).expect("facts");
        facts.journal
    }

    const EXT4: &str = "ext4 /dev/sda rw";

    #[test]
    fn none_is_told_from_one_elsewhere_and_from_not_knowing() {
        let task = |task| ("sys/fs/ext4/sda/journal_task", task);
        let internal = [task("171\n"), ("proc/fs/jbd2/sda-8/info", "")];
        assert_eq!(
            journal(&internal, EXT4),
            Reading::Present(Journal::Internal)
        );
        // Journals of others are there in both.
        let none = [task("<none>\n"), ("proc/fs/jbd2/sdb/info", "")];
        assert_eq!(journal(&none, EXT4), Reading::Present(Journal::None));
        let external = [
            task("171\n"),
            ("proc/fs/jbd2/sdb/info", ""),
            ("proc/fs/jbd2/sdc-8/info", ""),
        ];
        let on = |device: &str| Reading::Present(Journal::External(Some(device.into())));
        assert_eq!(journal(&external, EXT4), on("sdb"));
        // The name of a mapped device ends as an inode's number does.
        let mapped = [task("171\n"), ("proc/fs/jbd2/dm-0/info", "")];
        assert_eq!(journal(&mapped, EXT4), on("dm-0"));
        let two = [
            task("171\n"),
            ("proc/fs/jbd2/sdb/info", ""),
            ("proc/fs/jbd2/dm-0/info", ""),
        ];
        let somewhere = Reading::Present(Journal::External(None));
        assert_eq!(journal(&two, EXT4), somewhere);
        let silent = [("proc/fs/jbd2/sdb/info", "")];
        assert_eq!(journal(&silent, EXT4), Reading::Absent);
        let half = [task("171\n")];
        assert_eq!(journal(&half, EXT4), Reading::Absent);
    }

    #[test]
    fn the_ext2_driver_has_none() {
        let ext2 = journal(&[], "ext2 /dev/sda rw");
        assert_eq!(ext2, Reading::Present(Journal::None));
    }
}
