//! What is opened: each file once, and only what belongs to the target and to what it stands on.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use rustix::io::Errno;
use zinspect::facts::collect::Collector;
use zinspect::facts::needs::Needs;
use zinspect::facts::walk;
use zinspect::model::ids::KName;
use zinspect::source::command::Silent;
use zinspect::source::files::{Dir, Files};
use zinspect::source::{Host, Source, snapshot};

/// Counts what is read of a capture.
struct Counting {
    files: snapshot::Archive,
    read: Rc<RefCell<HashMap<String, usize>>>,
}

impl Counting {
    fn count(&self, path: String) {
        *self.read.borrow_mut().entry(path).or_default() += 1;
    }
}

impl Files for Counting {
    fn dir(&self, path: &str) -> Result<Dir, Errno> {
        self.files.dir(path)
    }

    fn subdir(&self, dir: &Dir, name: &str) -> Result<Dir, Errno> {
        self.files.subdir(dir, name)
    }

    fn read_in(&self, dir: &Dir, name: &str, buffer: &mut [u8]) -> Result<usize, Errno> {
        self.count(format!("{}/{name}", dir.path));
        self.files.read_in(dir, name, buffer)
    }

    fn read(&self, path: &str, cap: usize) -> Result<Vec<u8>, Errno> {
        self.count(path.to_owned());
        self.files.read(path, cap)
    }

    fn link(&self, path: &str) -> Result<String, Errno> {
        self.files.link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        self.count(format!("{path}/"));
        self.files.list(path)
    }

    fn is_live(&self) -> bool {
        false
    }
}

fn read_by(needs: Needs, target: Option<&str>) -> HashMap<String, usize> {
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts/vm-7.3.tar.gz");
    let (files, _) = snapshot::load(&capture).expect("capture");
    let read = Rc::new(RefCell::new(HashMap::new()));
    let host = Host {
        files: Box::new(Counting {
            files,
            read: read.clone(),
        }),
        commands: Box::new(Silent("no devices")),
        source: Source::Snapshot,
    };
    let collector = Collector::new(&host, needs);
    match target {
        Some(name) => {
            let kname = KName::new(name).expect("name");
            let collected = walk::with_stacks(&collector, &[kname]);
            assert_eq!(collected.missing, []);
        }
        None => assert!(walk::all(&collector).expect("listed").topology.len() > 30),
    }
    read.take()
}

#[test]
fn each_file_is_read_once() {
    for needs in [Needs::VERDICT, Needs::ALL] {
        let again: Vec<(String, usize)> = read_by(needs, None)
            .into_iter()
            .filter(|(_, times)| *times > 1)
            .collect();
        assert_eq!(again, []);
    }
}

#[test]
fn a_target_opens_only_its_own_stack() {
    // dm-1 is striped over sdf and sdg.
    let read = read_by(Needs::ALL, Some("dm-1"));
    let block = |path: &str, name: &str| path.contains(&format!("/block/{name}/"));
    for path in read.keys().filter(|path| path.contains("/block/")) {
        let own = ["dm-1", "sdf", "sdg"].iter().any(|name| block(path, name));
        assert!(own, "{path} belongs to another device");
    }
    assert!(read.keys().any(|path| block(path, "sdg")));
}

#[test]
fn a_verdict_alone_reads_a_fraction_of_all_there_is() {
    let few = read_by(Needs::VERDICT, None).len();
    let all = read_by(Needs::ALL, None).len();
    assert!(few * 3 < all, "{few} of {all} files");
}
