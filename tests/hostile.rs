//! Bad input: trees, archives and words that no kernel and no friend would give.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn zinspect(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(arguments)
        .output()
        .expect("run zinspect")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("parent")).expect("folders");
    fs::write(path, content).expect("file");
}

/// A root with one disk that reads well.
fn root() -> TempDir {
    let dir = TempDir::new().expect("temporary folder");
    let disk = "sys/devices/virtual/block/nullb0";
    for (name, value) in [("dev", "250:0"), ("size", "8192"), ("ro", "0")] {
        write(dir.path(), &format!("{disk}/{name}"), format!("{value}\n"));
    }
    for (name, value) in [
        ("write_zeroes_max_bytes", "0"),
        ("write_zeroes_unmap_max_hw_bytes", "0"),
        ("write_zeroes_unmap_max_bytes", "0"),
        ("logical_block_size", "512"),
    ] {
        write(
            dir.path(),
            &format!("{disk}/queue/{name}"),
            format!("{value}\n"),
        );
    }
    write(dir.path(), "proc/sys/kernel/osrelease", "7.3.4\n");
    fs::create_dir_all(dir.path().join("sys/class/block")).expect("class");
    symlink(
        "../../devices/virtual/block/nullb0",
        dir.path().join("sys/class/block/nullb0"),
    )
    .expect("link");
    dir
}

/// The one device of a report in JSON.
fn report(root: &Path) -> serde_json::Value {
    let output = zinspect(&[
        "--sysroot",
        root.to_str().expect("UTF-8"),
        "-o",
        "json",
        "nullb0",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    document["devices"][0].clone()
}

#[test]
fn null_blk_under_a_name_of_the_users_is_known_by_its_major_number() {
    let dir = root();
    let path = dir.path().join("sys/class/block/scratch");
    let disk = "sys/devices/virtual/block/scratch";
    fs::create_dir_all(dir.path().join("sys/devices/virtual/block")).expect("folder");
    fs::rename(
        dir.path().join("sys/devices/virtual/block/nullb0"),
        dir.path().join(disk),
    )
    .expect("rename");
    symlink("../../devices/virtual/block/scratch", path).expect("link");
    let kind = || {
        let sysroot = dir.path().to_str().expect("UTF-8");
        let output = zinspect(&["--sysroot", sysroot, "-o", "json", "scratch"]);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        report["devices"][0]["kind"].clone()
    };
    assert_eq!(kind(), "other");
    write(
        dir.path(),
        "proc/devices",
        "Character devices:\n250 nullb\n\nBlock devices:\n  7 loop\n250 nullb\n",
    );
    assert_eq!(kind(), "null");
}

fn unread(device: &serde_json::Value, field: &str) -> (String, String) {
    let list = device["unread"].as_array().expect("list");
    let found = list
        .iter()
        .find(|entry| entry["field"] == field)
        .expect(field);
    let word = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    (word("status"), word("detail"))
}

#[test]
fn without_a_sysfs_the_message_says_what_was_looked_for() {
    let empty = TempDir::new().expect("temporary folder");
    let output = zinspect(&["--sysroot", empty.path().to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(
        message.contains("/sys/class/block") && message.contains("mounted"),
        "{message}"
    );
    let output = zinspect(&["--sysroot", "/nonexistent/root"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("ENOENT"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn nonsense_in_attributes_is_malformed_and_never_zero() {
    let queue = "sys/devices/virtual/block/nullb0/queue/write_zeroes_max_bytes";
    let mebibyte = vec![b'9'; 1 << 20];
    let cases: [(&[u8], &str); 5] = [
        (b"", "empty"),
        (b"\xff\xfe\x00\x01", "number"),
        (b"99999999999999999999999\n", "number"),
        (b"-1\n", "below zero"),
        (&mebibyte, "longer"),
    ];
    for (content, says) in cases {
        let dir = root();
        write(dir.path(), queue, content);
        let device = report(dir.path());
        assert_eq!(
            device["kernel"]["write_zeroes_max_bytes"],
            serde_json::Value::Null
        );
        let (status, detail) = unread(&device, "kernel.write_zeroes_max_bytes");
        assert_eq!(status, "malformed", "{says}");
        assert!(detail.contains(says), "{detail}");
    }
}

#[test]
fn what_is_no_file_is_not_opened() {
    let dir = root();
    let queue = dir.path().join("sys/devices/virtual/block/nullb0/queue");
    for name in ["write_zeroes_max_bytes", "logical_block_size"] {
        fs::remove_file(queue.join(name)).expect("remove");
    }
    fs::create_dir(queue.join("logical_block_size")).expect("folder");
    // Opening a FIFO to read would wait for a writer for ever.
    let fifo = queue.join("write_zeroes_max_bytes");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o644),
        0,
    )
    .expect("FIFO");
    let device = report(dir.path());
    assert_eq!(
        unread(&device, "kernel.write_zeroes_max_bytes").0,
        "unsupported"
    );
    assert_eq!(unread(&device, "queue.logical_block_size").0, "malformed");
}

#[test]
fn links_cannot_leave_the_root() {
    let dir = root();
    let class = dir.path().join("sys/class/block");
    let secret = TempDir::new().expect("temporary folder");
    write(secret.path(), "size", "4096\n");
    let outside = secret.path().to_str().expect("UTF-8");
    symlink(outside, class.join("sdx")).expect("absolute link");
    symlink(
        format!("../../../../../../../../{outside}"),
        class.join("sdy"),
    )
    .expect("relative link");
    symlink("sdz", class.join("sdz")).expect("link to itself");
    symlink("../../devices/gone", class.join("sdw")).expect("dangling link");
    let queue = dir
        .path()
        .join("sys/devices/virtual/block/nullb0/queue/max_sectors_kb");
    symlink(secret.path().join("size"), &queue).expect("attribute that is a link");
    let output = zinspect(&[
        "--sysroot",
        dir.path().to_str().expect("UTF-8"),
        "-c",
        "all",
        "-o",
        "csv",
    ]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        !shown.contains("2097152"),
        "a size from outside was read:\n{shown}"
    );
    let device = report(dir.path());
    assert_eq!(unread(&device, "queue.max_sectors_kb").0, "malformed");
    for name in ["sdx", "sdy", "sdz", "sdw"] {
        assert!(
            text(&output.stderr).contains(name),
            "{name}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_cycle_of_slaves_ends() {
    let dir = root();
    for (name, other) in [("dm-0", "dm-1"), ("dm-1", "dm-0")] {
        let place = format!("sys/devices/virtual/block/{name}");
        write(dir.path(), &format!("{place}/size"), "8192\n");
        write(dir.path(), &format!("{place}/dm/name"), name);
        fs::create_dir_all(dir.path().join(format!("{place}/slaves"))).expect("slaves");
        symlink(
            format!("../../{other}"),
            dir.path().join(format!("{place}/slaves/{other}")),
        )
        .expect("slave");
        symlink(
            format!("../../devices/virtual/block/{name}"),
            dir.path().join(format!("sys/class/block/{name}")),
        )
        .expect("class");
    }
    let path = dir.path().to_str().expect("UTF-8");
    for command in [
        &["tree"][..],
        &["tree", "--inverse"],
        &["-o", "json"],
        &["dm-0"],
        &["tree", "dm-0"],
    ] {
        let output = zinspect(&[command, &["--sysroot", path]].concat());
        assert_eq!(
            output.status.code(),
            Some(0),
            "{command:?}: {}",
            text(&output.stderr)
        );
        assert!(text(&output.stdout).contains("dm-0"), "{command:?}");
    }
}

#[test]
fn escapes_in_names_cannot_reach_the_terminal() {
    let dir = root();
    let place = "sys/devices/virtual/block/dm-0";
    write(dir.path(), &format!("{place}/size"), "8192\n");
    write(
        dir.path(),
        &format!("{place}/dm/name"),
        "evil\x1b[2J\x1b]0;x\x07\nsda  disk",
    );
    symlink(
        "../../devices/virtual/block/dm-0",
        dir.path().join("sys/class/block/dm-0"),
    )
    .expect("class");
    let path = dir.path().to_str().expect("UTF-8");
    for command in [
        &["-c", "path,dm.name"][..],
        &["dm-0"],
        &["tree"],
        &["-o", "json"],
        &["-o", "csv", "-c", "dm.name"],
        &["-o", "prometheus"],
    ] {
        let output = zinspect(&[command, &["--sysroot", path]].concat());
        let controls = output
            .stdout
            .iter()
            .filter(|byte| **byte < b' ' && **byte != b'\n')
            .count();
        assert_eq!(controls, 0, "{command:?}: {}", text(&output.stdout));
    }
}

#[test]
fn words_that_name_nothing_get_a_way_on() {
    let dir = root();
    let path = dir.path().to_str().expect("UTF-8");
    for (word, says) in [
        ("nullb1", "no block device"),
        ("nullb", "did you mean nullb0?"),
        ("/dev/mapper/x", "mapper name"),
        ("99:99", "number 99:99"),
        ("8:x", "MAJ:MIN"),
        ("", "no block device"),
        ("/etc/passwd", "below /dev"),
    ] {
        let output = zinspect(&["--sysroot", path, word]);
        assert_eq!(output.status.code(), Some(32), "{word:?}");
        assert!(
            text(&output.stderr).contains(says),
            "{word:?}: {}",
            text(&output.stderr)
        );
    }
    let output = zinspect(&["--sysroot", path, "nullb0", "nullb1"]);
    assert_eq!(output.status.code(), Some(64));
    let output = zinspect(&[
        "--sysroot",
        path,
        "250:0",
        "/sys/block/nullb0",
        "/dev/nullb0",
    ]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stdout).matches("Why").count(),
        1,
        "one device, named three times"
    );
}

#[test]
fn a_verdict_can_be_required() {
    let dir = root();
    let path = dir.path().to_str().expect("UTF-8");
    for require in ["unmap", "offload"] {
        let output = zinspect(&["--sysroot", path, "--require", require, "nullb0"]);
        assert_eq!(output.status.code(), Some(1), "{require}");
    }
    let output = zinspect(&["--sysroot", path, "--require", "unmap", "nullb9"]);
    assert_eq!(
        output.status.code(),
        Some(32),
        "what was not read is worse than what is not met"
    );
}

#[test]
fn a_capture_that_is_none_is_refused() {
    let dir = TempDir::new().expect("temporary folder");
    let file = dir.path().join("x.tar.gz");
    fs::write(&file, b"hello").expect("file");
    let output = zinspect(&["--snapshot", file.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("no whole .tar.gz"),
        "{}",
        text(&output.stderr)
    );
    let output = zinspect(&["--snapshot", "/nonexistent.tar.gz"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_capture_leaves_nothing_half_written() {
    let dir = root();
    let path = dir.path().to_str().expect("UTF-8");
    let target = TempDir::new().expect("temporary folder");
    let file = target.path().join("no/such/folder/x.tar.gz");
    let output = zinspect(&["capture", "--sysroot", path, file.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("cannot write the capture"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(fs::read_dir(target.path()).expect("list").count(), 0);
}

#[test]
fn a_capture_gives_the_same_report_and_the_same_bytes() {
    let dir = root();
    let path = dir.path().to_str().expect("UTF-8");
    let target = TempDir::new().expect("temporary folder");
    let file = |name: &str| target.path().join(name).to_str().expect("UTF-8").to_owned();
    for name in ["a.tar.gz", "b.tar.gz"] {
        let output = zinspect(&["capture", "--sysroot", path, &file(name)]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert!(fs::read(file("a.tar.gz")).expect("a") == fs::read(file("b.tar.gz")).expect("b"));
    let live = text(&zinspect(&["--sysroot", path, "-o", "json"]).stdout);
    let again = text(&zinspect(&["--snapshot", &file("a.tar.gz"), "-o", "json"]).stdout);
    assert_eq!(live.replace("\"sysroot\"", "\"snapshot\""), again);
}

#[test]
fn a_capture_takes_no_other_things_place() {
    let dir = root();
    let path = dir.path().to_str().expect("UTF-8");
    let target = TempDir::new().expect("temporary folder");
    let file = |name: &str| target.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::create_dir(file("folder")).expect("folder");
    symlink("nowhere", file("dangling")).expect("link");
    for name in ["folder", "dangling"] {
        let output = zinspect(&["capture", "--sysroot", path, &file(name)]);
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
    fs::write(file("real"), "").expect("file");
    symlink("real", file("link")).expect("link");
    assert_eq!(
        zinspect(&["capture", "--sysroot", path, &file("link")])
            .status
            .code(),
        Some(0)
    );
    assert!(
        fs::symlink_metadata(file("link"))
            .expect("link")
            .is_symlink()
    );
    assert!(fs::metadata(file("real")).expect("file").len() > 0);
}

#[test]
fn every_bit_of_a_capture_is_checked() {
    let whole = fs::read("tests/hosts/vm-7.3.tar.gz").expect("capture");
    let dir = TempDir::new().expect("temporary folder");
    let file = dir.path().join("x.tar.gz");
    let code = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("file");
        zinspect(&[
            "--snapshot",
            file.to_str().expect("UTF-8"),
            "-o",
            "csv",
            "sda",
        ])
        .status
        .code()
    };
    assert_eq!(code(&whole), Some(0));
    for cut in [1, 8, 13, whole.len() / 2] {
        assert_eq!(
            code(&whole[..whole.len() - cut]),
            Some(2),
            "{cut} bytes short"
        );
    }
    for place in (20..whole.len()).step_by(whole.len() / 12) {
        let mut flipped = whole.clone();
        flipped[place] ^= 0x10;
        assert_eq!(code(&flipped), Some(2), "bit of byte {place}");
    }
}

#[test]
fn who_cannot_read_our_errors_still_gets_the_exit_status() {
    let dir = root();
    let path = dir.path().to_str().expect("UTF-8");
    let program = env!("CARGO_BIN_EXE_zinspect");
    for (line, wanted) in [
        (
            format!("{program} --sysroot {path} nope 2>/dev/full; echo $?"),
            "32",
        ),
        (
            format!(
                "{{ {program} --sysroot {path} --require unmap nullb0; echo $? >&3; }} 3>&1 >/dev/null | cat"
            ),
            "1",
        ),
        (
            format!(
                "{{ {{ {program} --sysroot {path} --require unmap nullb0; echo $? >&3; }} | true; }} 3>&1"
            ),
            "1",
        ),
    ] {
        let output = Command::new("sh").args(["-c", &line]).output().expect("sh");
        let shown = text(&output.stdout);
        assert_eq!(
            shown.lines().last(),
            Some(wanted),
            "{line}: {shown}{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let dir = root();
    let path = dir.path().to_str().expect("UTF-8");
    for options in [
        &["-o", "json", "--columns", "name"][..],
        &["--raw"],
        &["-o", "tree", "--sort", "size"],
        &["--list-columns", "-o", "json"],
    ] {
        let output = zinspect(&[options, &["--sysroot", path]].concat());
        assert_eq!(
            output.status.code(),
            Some(2),
            "{options:?}: {}",
            text(&output.stderr)
        );
    }
    let output = zinspect(&["-n", "-o", "csv", "-c", "kname", "--sysroot", path]);
    assert_eq!(text(&output.stdout), "nullb0\n");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let dir = root();
    let path = dir.path().to_str().expect("UTF-8");
    let script = format!(
        "{} --sysroot {path} -o json; echo $? >&2",
        env!("CARGO_BIN_EXE_zinspect")
    );
    let output = Command::new("sh")
        .args(["-c", &format!("({script}) | true")])
        .output()
        .expect("sh");
    assert_eq!(text(&output.stderr).trim(), "0", "{}", text(&output.stderr));
}

#[test]
fn help_that_cannot_be_written_is_no_success() {
    let program = env!("CARGO_BIN_EXE_zinspect");
    for words in ["--help", "-h", "--version", "help doctor", "probe --help"] {
        for (line, wanted) in [
            (
                format!("{program} {words} >/dev/full 2>/dev/null; echo $?"),
                "2",
            ),
            (format!("{program} {words} >/dev/null; echo $?"), "0"),
            (
                format!("{{ {{ {program} {words}; echo $? >&3; }} | true; }} 3>&1"),
                "0",
            ),
        ] {
            let output = Command::new("sh").args(["-c", &line]).output().expect("sh");
            assert_eq!(text(&output.stdout).trim(), wanted, "{line}");
        }
    }
}

/// A controller with a namespace as nvme-cli's own test trees have it: nothing of the block layer.
fn nvme_alone() -> TempDir {
    let dir = TempDir::new().expect("temporary folder");
    let controller = "sys/devices/pci0000:00/0000:00:04.0/nvme/nvme0";
    write(dir.path(), &format!("{controller}/model"), "Disk\n");
    for (name, value) in [("dev", "259:0"), ("size", "8192"), ("ro", "0")] {
        write(
            dir.path(),
            &format!("{controller}/nvme0n1/{name}"),
            format!("{value}\n"),
        );
    }
    for (name, value) in [
        ("write_zeroes_max_bytes", "131072"),
        ("write_zeroes_unmap_max_hw_bytes", "0"),
        ("write_zeroes_unmap_max_bytes", "0"),
        ("logical_block_size", "512"),
    ] {
        write(
            dir.path(),
            &format!("{controller}/nvme0n1/queue/{name}"),
            format!("{value}\n"),
        );
    }
    fs::create_dir_all(dir.path().join("sys/class/nvme")).expect("class");
    symlink(
        "../../devices/pci0000:00/0000:00:04.0/nvme/nvme0",
        dir.path().join("sys/class/nvme/nvme0"),
    )
    .expect("link");
    write(dir.path(), "proc/sys/kernel/osrelease", "7.3.4\n");
    dir
}

#[test]
fn a_root_with_nvme_classes_alone_has_its_namespaces() {
    let dir = nvme_alone();
    let root = dir.path().to_str().expect("UTF-8");
    for words in [&[][..], &["nvme0n1"], &["/dev/nvme0n1"], &["nvme0"]] {
        let arguments = [&["--sysroot", root, "-o", "json"], words].concat();
        let output = zinspect(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["devices"][0]["kname"], "nvme0n1", "{words:?}");
        let kernel = &report["devices"][0]["kernel"];
        assert_eq!(kernel["write_zeroes_max_bytes"], 131_072);
    }
    // And one with neither says what it looked for.
    fs::remove_dir_all(dir.path().join("sys/class")).expect("remove");
    let output = zinspect(&["--sysroot", root]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/sys/class/block"));
}

#[test]
fn paths_that_cannot_be_listed_are_no_empty_list() {
    let dir = nvme_alone();
    // A head with a file where the folder of its paths belongs.
    let subsystem = "sys/devices/virtual/nvme-subsystem/nvme-subsys1";
    for (name, value) in [
        ("dev", "259:5"),
        ("size", "8192"),
        ("multipath", "no folder"),
    ] {
        write(
            dir.path(),
            &format!("{subsystem}/nvme1n1/{name}"),
            format!("{value}\n"),
        );
    }
    write(dir.path(), &format!("{subsystem}/subsysnqn"), "nqn.x\n");
    fs::create_dir_all(dir.path().join("sys/class/block")).expect("class");
    symlink(
        "../../devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1",
        dir.path().join("sys/class/block/nvme1n1"),
    )
    .expect("link");
    let root = dir.path().to_str().expect("UTF-8");
    let output = zinspect(&["--sysroot", root, "-o", "json", "nvme1n1"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let device = &report["devices"][0];
    assert_eq!(device["kind"], "nvme-head");
    let unread = device["unread"].as_array().expect("a list");
    assert!(
        unread.iter().any(|one| one["field"] == "slaves"),
        "{unread:?}"
    );
}
