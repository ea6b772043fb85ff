//! From files and answers to the three numbers.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;
use crate::facts::collect::Collector;
use crate::facts::needs::Needs;
use crate::facts::walk::{self, Collected};
use crate::source::command::{
    Command, CommandError, Commands, DmLine, DmTargetVersion, Node, Reply,
};
use crate::source::root::Root;
use crate::source::{Host, Source};

/// device-mapper with one device, 253:0, as root sees it.
struct Mapper;

impl Commands for Mapper {
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError> {
        assert_eq!(*node, Node::dm_control());
        let line = |params: &str| DmLine {
            start: 0,
            length: 2048,
            target: "linear".into(),
            params: params.into(),
        };
        match command {
            Command::DmTable { devno: (253, 0) } => Ok(Reply::DmTable {
                flags: 0,
                lines: vec![line("254:0 0")],
            }),
            Command::DmStatus { devno: (253, 0) } => Ok(Reply::DmStatus {
                flags: 0,
                lines: vec![line("")],
            }),
            Command::DmTargets => Ok(Reply::DmTargets(vec![DmTargetVersion {
                name: "linear".into(),
                version: [1, 5, 0],
            }])),
            _ => Err(CommandError::NotAsked("a test")),
        }
    }
}

struct Denied;

impl Commands for Denied {
    fn command(&self, node: &Node, _: &Command) -> Result<Reply, CommandError> {
        let errno = rustix::io::Errno::ACCESS;
        Err(CommandError::Open {
            errno,
            path: node.path.clone(),
        })
    }
}

fn put(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn link(root: &Path, path: &str, target: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

/// A device with its attributes, and the devices it stands on.
fn block(root: &Path, name: &str, devno: &str, slaves: &[&str], files: &[(&str, &str)]) {
    let place = format!("sys/devices/virtual/block/{name}");
    let numbered = format!("{devno}\n");
    for (file, content) in files
        .iter()
        .copied()
        .chain([("dev", numbered.as_str()), ("ro", "0\n")])
    {
        put(root, &format!("{place}/{file}"), content);
    }
    for slave in slaves {
        link(
            root,
            &format!("{place}/slaves/{slave}"),
            &format!("../../{slave}"),
        );
    }
    link(
        root,
        &format!("sys/class/block/{name}"),
        &format!("../../devices/virtual/block/{name}"),
    );
    link(
        root,
        &format!("sys/dev/block/{devno}"),
        &format!("../../devices/virtual/block/{name}"),
    );
}

const WZ: &str = "queue/write_zeroes_max_bytes";

fn host(root: &Path) {
    put(root, "proc/sys/kernel/osrelease", "7.3.4+deb13-amd64\n");
    let mounts = "21 1 254:9 / / rw - ext4 /dev/vdz rw\n22 21 0:6 / /dev rw - devtmpfs udev rw\n\
                  23 21 8:1 / /with\\040blank rw - vfat /dev/sda1 rw\n";
    put(root, "proc/self/mountinfo", mounts);
    put(
        root,
        "run/udev/data/b254:0",
        "S:disk/by-id/virtio-1\nE:ID_SERIAL=1\nG:systemd\n",
    );
    block(root, "vda", "254:0", &[], &[(WZ, "2147483136\n")]);
    let dm = [
        ("dm/name", "root\n"),
        ("dm/uuid", "\n"),
        ("dm/suspended", "0\n"),
    ];
    block(root, "dm-0", "253:0", &["vda"], &dm);
    let md = [
        ("md/level", "raid0\n"),
        ("md/chunk_size", "524288\n"),
        ("md/array_state", "clean\n"),
    ];
    block(root, "md0", "9:0", &["vda", "dm-0"], &md);
    for (name, slot) in [("vda", "1\n"), ("dm-0", "0\n")] {
        put(
            root,
            &format!("sys/devices/virtual/block/md0/md/dev-{name}/slot"),
            slot,
        );
        link(
            root,
            &format!("sys/devices/virtual/block/md0/md/dev-{name}/block"),
            &format!("../../../{name}"),
        );
    }
    for (at, file) in [
        "/dev/dm-0",
        "/dev/mapper/root",
        "/with blank/a (deleted)",
        "/srv/a",
    ]
    .iter()
    .enumerate()
    {
        let backing = format!("{file}\n");
        block(
            root,
            &format!("loop{at}"),
            &format!("7:{at}"),
            &[],
            &[("loop/backing_file", &backing)],
        );
    }
    block(root, "loop9", "7:9", &[], &[(WZ, "0\n")]);
}

fn collected(commands: Box<dyn Commands>, needs: Needs) -> (Collected, Kernel) {
    let dir = tempfile::tempdir().unwrap();
    host(dir.path());
    let files = Box::new(Root::captured(dir.path()).unwrap());
    let host = Host {
        files,
        commands,
        source: Source::Sysroot,
    };
    let collector = Collector::new(&host, needs);
    let collected = walk::all(&collector).unwrap();
    assert_eq!(collected.missing, []);
    (collected, collector.kernel.clone())
}

fn three(judge: &Judge, name: &str) -> Option<Three> {
    let limits = judge.predict(&kname(name)).limits.clone().ok()?;
    Some((
        limits.write_zeroes_max_bytes,
        limits.write_zeroes_unmap_max_hw_bytes,
        limits.write_zeroes_unmap_max_bytes,
    ))
}

#[test]
fn a_captured_host_is_worked_out_from_its_leaves_files_alone() {
    let (collected, kernel) = collected(Box::new(Mapper), Needs::VERDICT);
    let judge = Judge::new(&collected.topology, &kernel);
    assert_eq!(three(&judge, "vda"), Some((2_147_483_136, 0, 0)));
    assert_eq!(three(&judge, "dm-0"), Some((2_147_483_136, 0, 0)));
    assert_eq!(three(&judge, "md0"), Some((524_288, 0, 0)));
    assert_eq!(three(&judge, "loop0"), Some((2_147_483_136, 0, 0)));
    assert_eq!(three(&judge, "loop1"), Some((2_147_483_136, 0, 0)));
    assert_eq!(three(&judge, "loop2"), Some((4_294_966_784, 0, 0)));
    assert_eq!(three(&judge, "loop3"), Some((4_294_966_784, 0, 0)));
    assert_eq!(three(&judge, "loop9"), None);
    let chain: Vec<String> = judge
        .predict(&kname("loop0"))
        .reasons
        .iter()
        .map(|reason| format!("{}@{}", reason.rule, reason.at))
        .collect();
    assert_eq!(
        chain,
        ["loop-block@loop0", "dm-min@dm-0", "driver-limit@vda"]
    );
}

#[test]
fn without_root_a_mapped_device_stays_open() {
    let (collected, kernel) = collected(Box::new(Denied), Needs::VERDICT);
    let judge = Judge::new(&collected.topology, &kernel);
    let prediction = judge.predict(&kname("dm-0"));
    let unpredicted = prediction
        .limits
        .as_ref()
        .expect_err("the table was denied");
    assert!(
        unpredicted
            .to_know
            .as_ref()
            .is_some_and(|what| what.starts_with("run as root"))
    );
    assert_eq!(three(&judge, "md0"), None);
}

#[test]
fn every_fact_is_there_where_it_is_wanted() {
    let (collected, _) = collected(Box::new(Mapper), Needs::ALL);
    let device = |name: &str| collected.topology.get(&kname(name)).unwrap();
    let dm = device("dm-0").dm.as_deref().unwrap();
    assert_eq!(dm.name, Reading::Present("root".into()));
    assert_eq!(dm.uuid, Reading::Absent);
    assert_eq!(dm.suspended, Reading::Present(false));
    assert_eq!(dm.status.value().map(Vec::len), Some(1));
    assert_eq!(
        dm.target_versions,
        Reading::Present(vec!["linear 1.5.0".into()])
    );
    let md = device("md0").md.as_deref().unwrap();
    let members: Vec<&str> = md
        .members
        .iter()
        .map(|member| member.kname.as_str())
        .collect();
    assert_eq!(members, ["dm-0", "vda"]);
    assert_eq!(md.metadata_version, Reading::Absent);
    let deleted = device("loop2").loop_.as_deref().unwrap();
    assert_eq!(
        deleted.backing_file,
        Reading::Present("/with blank/a (deleted)".into())
    );
    assert_eq!(deleted.backing_filesystem, Reading::Present("vfat".into()));
    assert_eq!(deleted.backing_device, None);
    let node = device("loop0").loop_.as_deref().unwrap();
    assert_eq!(node.backing_filesystem, Reading::Present("devtmpfs".into()));
    assert_eq!(device("loop0").slaves, [kname("dm-0")]);
    assert!(
        device("loop9")
            .loop_
            .as_deref()
            .unwrap()
            .backing_file
            .is_absent()
    );
    let udev = device("vda").udev.value().unwrap();
    assert_eq!(udev.links, ["/dev/disk/by-id/virtio-1"]);
    assert!(device("dm-0").udev.is_absent());
}

#[test]
fn a_loop_device_that_was_refused_says_so() {
    let (mut collected, kernel) = collected(Box::new(Mapper), Needs::VERDICT);
    for (name, wz) in [("loop2", 0), ("loop0", 65_536)] {
        let device = collected.topology.get_mut(&kname(name)).unwrap();
        Rc::make_mut(&mut device.queue).set(
            Attr::WriteZeroesMaxBytes,
            Reading::Present(Value::Number(wz)),
        );
    }
    let judge = Judge::new(&collected.topology, &kernel);
    let rules = |name: &str| -> Vec<&'static str> {
        let device = collected.topology.get(&kname(name)).unwrap();
        let found = crate::verdict::leaf::loop_::conflicts(&judge, device);
        found.iter().map(|conflict| conflict.rule).collect()
    };
    assert_eq!(rules("loop2"), ["loop-refused"]);
    assert_eq!(rules("loop0"), ["stacked-snapshot-stale"]);
    assert_eq!(rules("loop3"), [""; 0]);
    assert_eq!(
        judge
            .predict(&kname("loop2"))
            .passed
            .map(|passed| passed.wz),
        Some(0)
    );
}
