use super::*;
use crate::facts::mount::Mounts;
use crate::facts::needs::Needs;
use crate::source::open;

fn captured_host(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (path, content) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, content).expect("a file");
    }
    dir
}

fn at(dir: &Path, path: &str) -> FileFacts {
    let host = open::sysroot(dir).expect("a host");
    let collector = Collector::new(&host, Needs::ALL);
    collect(&collector, &FileTarget::new(path, View::Own)).expect("facts")
}

const SDA: &[(&str, &str)] = &[
    ("sys/class/block/sda/dev", "8:0\n"),
    ("sys/class/block/sda/size", "2048\n"),
    ("sys/class/block/sdb/dev", "8:16\n"),
    ("sys/class/block/sdb/size", "2048\n"),
];

fn names(facts: &FileFacts) -> Vec<String> {
    facts
        .devices
        .value()
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_captured_path_is_found_by_its_mount_and_says_that_there_is_no_file() {
    let mut files = SDA.to_vec();
    files.push((
        "proc/self/mountinfo",
        "1 0 8:0 / /a\\040b rw - ext4 /dev/sda rw\n2 0 0:9 / /t rw - tmpfs t rw\n",
    ));
    files.push(("proc/fs/jbd2/sda-8/info", ""));
    let host = captured_host(&files);
    let facts = at(host.path(), "/a b/journal");
    assert_eq!(
        (facts.filesystem(), names(&facts)),
        (Some("ext4"), vec!["sda".to_owned()])
    );
    assert_eq!(facts.features, ["internal journal"]);
    assert_eq!(facts.stat, Reading::NotAsked(NO_LIVE_FILE));
    assert_eq!(facts.layout, Reading::NotAsked(NO_LIVE_FILE));
    let memory = at(host.path(), "/t/x");
    assert_eq!(
        (memory.filesystem(), memory.devices.status()),
        (Some("tmpfs"), Some("absent"))
    );
    let host = open::sysroot(host.path()).expect("a host");
    let nowhere = collect(
        &Collector::new(&host, Needs::ALL),
        &FileTarget::new("/nowhere", View::Own),
    );
    let error = nowhere.expect_err("no mount").to_string();
    assert!(error.contains("/proc/self/mountinfo has none"), "{error}");
}

#[test]
fn btrfs_has_the_devices_that_sysfs_lists() {
    let mut files = SDA.to_vec();
    files.push((
        "proc/self/mountinfo",
        "1 0 0:40 / /m rw - btrfs /dev/sda rw,subvol=/\n",
    ));
    files.push(("sys/fs/btrfs/0a0b/devices/sda/x", ""));
    files.push(("sys/fs/btrfs/0a0b/devices/sdb/x", ""));
    files.push(("sys/fs/btrfs/0a0b/features/zoned", "1\n"));
    files.push(("sys/fs/btrfs/features/raid56", "1\n"));
    let host = captured_host(&files);
    let facts = at(host.path(), "/m/x");
    assert_eq!(names(&facts), ["sda", "sdb"]);
    assert_eq!(facts.features, ["zoned", "uuid 0a0b"]);
}

#[test]
fn btrfs_whose_members_cannot_be_listed_is_not_taken_for_one_device() {
    let mut files = SDA.to_vec();
    files.push((
        "proc/self/mountinfo",
        "1 0 0:40 / /m rw - btrfs /dev/sda rw,subvol=/\n",
    ));
    files.push(("sys/fs/btrfs/0a0b/devices", "no directory"));
    files.push(("sys/fs/btrfs/features/raid56", "1\n"));
    let host = captured_host(&files);
    let facts = at(host.path(), "/m/x");
    assert!(!facts.devices.is_present(), "{:?}", facts.devices);
}

#[test]
fn xfs_with_a_realtime_device_has_no_answer_without_the_inode() {
    let mut files = SDA.to_vec();
    let mounts = "1 0 8:0 / /m rw - xfs /dev/sda rw,logdev=/dev/sdc\n2 0 8:0 / /r rw - xfs /dev/sda rw,rtdev=/dev/sdb\n";
    files.push(("proc/self/mountinfo", mounts));
    let host = captured_host(&files);
    let plain = at(host.path(), "/m/x");
    assert_eq!(names(&plain), ["sda"]);
    assert_eq!(
        plain.beside,
        [Beside {
            role: "log",
            node: "/dev/sdc".into()
        }]
    );
    let realtime = at(host.path(), "/r/x");
    assert_eq!(realtime.devices.status(), Some("not-asked"));
}

#[test]
fn an_overlay_leads_to_its_upper_layer_and_never_round_in_circles() {
    let mut files = SDA.to_vec();
    let mounts = "1 0 8:0 / / rw - ext4 /dev/sda rw\n\
        2 1 0:50 / /m rw - overlay none rw,lowerdir=/low,upperdir=/up,workdir=/work\n\
        3 1 0:51 / /c rw - overlay none rw,lowerdir=/low,upperdir=/c/up,workdir=/work\n";
    files.push(("proc/self/mountinfo", mounts));
    let host = captured_host(&files);
    let facts = at(host.path(), "/m/a/x");
    let under = facts.under.as_deref().expect("an upper file");
    assert_eq!(
        (under.path.as_str(), under.filesystem()),
        ("/up/a/x", Some("ext4"))
    );
    assert_eq!(names(&facts), ["sda"]);
    assert!(names(&at(host.path(), "/c/x")).is_empty());
}

fn live(path: &Path) -> Result<FileFacts, TargetError> {
    let host = open::live(false).expect("a host");
    let collector = Collector::new(&host, Needs::VERDICT);
    collect(&collector, &FileTarget::new(path, View::Own))
}

#[test]
fn bad_paths_say_what_they_are_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("/nonexistent/x", path("dangling")).expect("a link");
    std::os::unix::fs::symlink(path("loop"), path("loop")).expect("a link");
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path("fifo"),
        rustix::fs::FileType::Fifo,
        mode,
        0,
    )
    .expect("a fifo");
    let _socket = std::os::unix::net::UnixListener::bind(path("socket")).expect("a socket");
    let says = |name: &str| live(&path(name)).expect_err(name).to_string();
    assert!(
        says("dangling").contains("is a link to /nonexistent/x, which is not there"),
        "{}",
        says("dangling")
    );
    assert!(says("loop").contains("ELOOP (40)"), "{}", says("loop"));
    assert!(
        says("fifo").contains("is a FIFO: fallocate answers ESPIPE"),
        "{}",
        says("fifo")
    );
    assert!(says("socket").contains("is a socket"), "{}", says("socket"));
    assert!(says("none").contains("ENOENT (2)"), "{}", says("none"));
    assert!(says(&"x/".repeat(2048)).contains("ENAMETOOLONG (36)"));
    let odd = std::ffi::OsStr::from_bytes(b"\xff\x1b[31m");
    std::fs::write(folder.path().join(odd), "x").expect("a file");
    let facts = live(&folder.path().join(odd)).expect("facts");
    assert!(facts.path.ends_with("\\xff\\x1b[31m"), "{}", facts.path);
    assert_eq!(facts.stat.value().map(|stat| stat.size_bytes), Some(1));
}

#[test]
fn a_stale_handle_and_a_mount_that_went_away_are_told() {
    let target = FileTarget::new("/nfs/x", View::Own);
    let stale = unreachable_path(target.view, &target.path, Errno::STALE);
    assert!(
        stale.contains("ESTALE (116)") && stale.contains("mount it anew"),
        "{stale}"
    );
    let gone = target.failed(stale).to_string();
    assert!(gone.starts_with("/nfs/x: cannot look at it"), "{gone}");
    let folder = tempfile::tempdir().expect("a folder");
    let inode = inode::look(View::Own, folder.path()).expect("a look");
    let nothing = Reading::Present(Mounts::default());
    let mount = mount_of(&nothing, View::Own, Some(&inode.stat), Some(folder.path()));
    assert_eq!(mount.status(), Some("malformed"));
}
