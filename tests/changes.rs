//! A host that changes while it is read: limits that move, devices that go away.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::symlink;

use rustix::io::Errno;
use tempfile::TempDir;
use zinspect::facts::collect::Collector;
use zinspect::facts::needs::Needs;
use zinspect::facts::queue::Attr;
use zinspect::facts::reading::Reading;
use zinspect::facts::walk;
use zinspect::model::ids::KName;
use zinspect::source::command::Silent;
use zinspect::source::files::{Dir, Files};
use zinspect::source::root::Root;
use zinspect::source::{Host, Source};

/// Reads a laid-out tree as if it were live, and changes it by a script.
struct Changing<F: Fn(&str, usize) -> Result<Option<&'static str>, Errno>> {
    tree: Root,
    reads: Cell<usize>,
    script: F,
}

impl<F: Fn(&str, usize) -> Result<Option<&'static str>, Errno>> Files for Changing<F> {
    fn dir(&self, path: &str) -> Result<Dir, Errno> {
        (self.script)(path, 0)?;
        self.tree.dir(path)
    }

    fn subdir(&self, dir: &Dir, name: &str) -> Result<Dir, Errno> {
        self.tree.subdir(dir, name)
    }

    fn read_in(&self, dir: &Dir, name: &str, buffer: &mut [u8]) -> Result<usize, Errno> {
        if name.starts_with("write_zeroes") {
            self.reads.set(self.reads.get() + 1);
        }
        match (self.script)(name, self.reads.get())? {
            Some(content) => {
                buffer[..content.len()].copy_from_slice(content.as_bytes());
                Ok(content.len())
            }
            None => self.tree.read_in(dir, name, buffer),
        }
    }

    fn read(&self, path: &str, cap: usize) -> Result<Vec<u8>, Errno> {
        self.tree.read(path, cap)
    }

    fn link(&self, path: &str) -> Result<String, Errno> {
        self.tree.link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        self.tree.list(path)
    }

    fn is_live(&self) -> bool {
        true
    }
}

fn laid_out() -> TempDir {
    let dir = TempDir::new().expect("temporary folder");
    for disk in ["nullb0", "nullb1"] {
        let place = dir.path().join(format!("sys/devices/virtual/block/{disk}"));
        fs::create_dir_all(place.join("queue")).expect("folders");
        fs::write(place.join("size"), "8192\n").expect("size");
        for name in [
            "write_zeroes_max_bytes",
            "write_zeroes_unmap_max_hw_bytes",
            "write_zeroes_unmap_max_bytes",
        ] {
            fs::write(place.join("queue").join(name), "8388608\n").expect("limit");
        }
        fs::create_dir_all(dir.path().join("sys/class/block")).expect("class");
        symlink(
            format!("../../devices/virtual/block/{disk}"),
            dir.path().join(format!("sys/class/block/{disk}")),
        )
        .expect("link");
    }
    dir
}

fn host(
    dir: &TempDir,
    script: impl Fn(&str, usize) -> Result<Option<&'static str>, Errno> + 'static,
) -> Host {
    let tree = Root::captured(dir.path()).expect("root");
    let files = Box::new(Changing {
        tree,
        reads: Cell::new(0),
        script,
    });
    Host {
        files,
        commands: Box::new(Silent("no devices")),
        source: Source::Live,
    }
}

#[test]
fn limits_that_move_between_two_reads_are_read_again_together() {
    let dir = laid_out();
    // The three files in the order of names, then wz again: by then a command failed, and wz and un are 0.
    let host = host(&dir, |name, reads| {
        let disabled = reads > 3;
        Ok(match name {
            "write_zeroes_max_bytes" | "write_zeroes_unmap_max_bytes" if disabled => Some("0\n"),
            _ => None,
        })
    });
    let collector = Collector::new(&host, Needs::VERDICT);
    let device = collector
        .device(&KName::new("nullb0").expect("name"))
        .expect("read");
    let number = |attr| device.queue.number(attr);
    assert_eq!(number(Attr::WriteZeroesMaxBytes), Reading::Present(0));
    assert_eq!(
        number(Attr::WriteZeroesUnmapMaxHwBytes),
        Reading::Present(8_388_608)
    );
    assert_eq!(
        number(Attr::WriteZeroesUnmapMaxBytes),
        Reading::Present(0),
        "not the torn 8388608"
    );
}

#[test]
fn a_device_that_vanishes_after_it_was_listed_is_named_and_the_rest_is_read() {
    let dir = laid_out();
    let host = host(&dir, |path, _| {
        if path.ends_with("block/nullb1") {
            Err(Errno::NOENT)
        } else {
            Ok(None)
        }
    });
    let collector = Collector::new(&host, Needs::VERDICT);
    let collected = walk::all(&collector).expect("listed");
    assert_eq!(collected.topology.len(), 1);
    let missing: Vec<String> = collected.missing.iter().map(ToString::to_string).collect();
    assert!(
        matches!(&missing[..], [one] if one.contains("nullb1") && one.contains("ENOENT")),
        "{missing:?}"
    );
}

#[test]
fn a_device_that_vanishes_while_it_is_read_says_so_in_each_value() {
    let dir = laid_out();
    let host = host(&dir, |name, _| {
        if name.starts_with("write_zeroes_unmap") {
            Err(Errno::NODEV)
        } else {
            Ok(None)
        }
    });
    let collector = Collector::new(&host, Needs::VERDICT);
    let device = collector
        .device(&KName::new("nullb0").expect("name"))
        .expect("read");
    let reading = device.queue.number(Attr::WriteZeroesUnmapMaxBytes);
    assert_eq!(reading.status(), Some("unsupported"));
    assert!(
        reading
            .detail()
            .is_some_and(|detail| detail.contains("went away")),
        "{reading:?}"
    );
}
