//! Files as targets of the program itself: bad words, mixed targets, exit codes.

use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn zinspect<S: AsRef<OsStr>>(arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(arguments)
        .output()
        .expect("run zinspect")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(output)))
}

fn in_folder(name: impl AsRef<OsStr>) -> (TempDir, OsString) {
    let folder = TempDir::new().expect("temporary folder");
    let path = folder.path().join(name.as_ref()).into_os_string();
    (folder, path)
}

#[test]
fn a_file_of_this_machine_has_an_answer_for_each_mode() {
    let (_folder, path) = in_folder("journal");
    std::fs::write(&path, vec![1; 1 << 16]).expect("write");
    let output = zinspect(&[OsStr::new("-o"), OsStr::new("json"), &path]);
    let report = json(&output);
    let file = &report["files"][0];
    assert_eq!(file["kind"], "regular file");
    assert_eq!(file["modes"].as_array().map(Vec::len), Some(5));
    assert_eq!(file["inode"]["size_bytes"], 1 << 16);
    assert_eq!(std::fs::read(&path).expect("read"), vec![1; 1 << 16]);
    assert_eq!(zinspect(&[&path]).status.code(), Some(0));
}

/// What cannot have an answer is told by `zinspect PATH` and by `zinspect extents PATH`, with nothing on standard output.
fn refused(path: &OsStr, says: &str, of_extents: &str) {
    for (arguments, says) in [
        (vec![path], says),
        (vec![OsStr::new("extents"), path], of_extents),
        (
            vec![
                OsStr::new("extents"),
                OsStr::new("-o"),
                OsStr::new("csv"),
                path,
            ],
            of_extents,
        ),
    ] {
        let output = zinspect(&arguments);
        assert_eq!(output.status.code(), Some(32), "{arguments:?}");
        assert!(errors(&output).contains(says), "{}", errors(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(!output.stderr.contains(&0x1b), "{arguments:?}");
    }
}

#[test]
fn bad_paths_are_told_and_counted() {
    let (folder, dangling) = in_folder("dangling");
    symlink("/nonexistent/x", &dangling).expect("link");
    let place = |name: &str| folder.path().join(name).into_os_string();
    let round = place("round");
    symlink("round", &round).expect("link");
    let fifo = place("fifo");
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(
        rustix::fs::CWD,
        Path::new(&fifo),
        rustix::fs::FileType::Fifo,
        mode,
        0,
    )
    .expect("a FIFO");
    let socket = place("socket");
    let _socket = UnixListener::bind(&socket).expect("a socket");
    let long = OsString::from(format!("/{}", "x/".repeat(2048)));
    let name = folder.path().join("n".repeat(256)).into_os_string();
    let odd = folder.path().join(OsStr::from_bytes(b"no\xffsuch\x1b[31m"));
    let gone = "is a link to /nonexistent/x, which is not there";
    refused(&dangling, gone, gone);
    refused(&round, "ELOOP (40)", "ELOOP (40)");
    refused(
        &fifo,
        "is a FIFO: fallocate answers ESPIPE (29)",
        "is a FIFO; extents are those of regular files",
    );
    refused(
        &socket,
        "is a socket: it cannot be opened (ENXIO)",
        "is a socket; extents are those of regular files",
    );
    for path in [&long, &name] {
        let says = "ENAMETOOLONG (36): file name too long; a path has at most 4095 bytes";
        refused(path, says, says);
    }
    let odd_says = "no\\xffsuch\\x1b[31m: cannot look at it: ENOENT (2)";
    refused(odd.as_os_str(), odd_says, odd_says);
    let output = zinspect(&[OsStr::from_bytes(b"\xff")]);
    assert_eq!(output.status.code(), Some(32));
    assert!(errors(&output).contains("no device's name has such bytes"));
    let some = zinspect(&[folder.path().as_os_str(), dangling.as_os_str()]);
    assert_eq!(some.status.code(), Some(64));
}

#[test]
fn a_file_whose_name_is_not_utf_8_has_an_answer() {
    let (_folder, odd) = in_folder(OsStr::from_bytes(b"odd\xff\x1b[31m"));
    std::fs::write(&odd, vec![1; 4096]).expect("write");
    for arguments in [vec!["-o", "json"], vec!["extents", "-o", "json"]] {
        let mut arguments: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).collect();
        arguments.push(&odd);
        let report = json(&zinspect(&arguments));
        let path = report["files"][0]["path"].as_str().expect("a path");
        assert!(path.ends_with("odd\\xff\\x1b[31m"), "{path}");
    }
}

#[test]
fn a_plain_user_is_told_what_may_not_be_read() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root can become another user");
        return;
    }
    let (folder, private) = in_folder("private");
    std::fs::write(&private, vec![1; 4096]).expect("write");
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("mode");
    };
    mode(Path::new(&private), 0o600);
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).expect("folder");
    std::fs::write(closed.join("journal"), "x").expect("write");
    mode(&closed, 0o700);
    mode(folder.path(), 0o755);
    // The program's own folder may be closed to others too.
    let program = folder.path().join("zinspect");
    // By another process: a child that another test starts meanwhile would inherit a descriptor that writes to the copy,
    // and then it cannot be run (ETXTBSY).
    let copy = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_zinspect"))
        .arg(&program)
        .status();
    assert!(copy.expect("cp").success());
    mode(&program, 0o755);
    let plain = |arguments: &[&OsStr]| {
        let mut command = Command::new(&program);
        command.args(arguments).uid(65534).gid(65534);
        command.output().expect("run as nobody")
    };
    let report = json(&plain(&[OsStr::new("-o"), OsStr::new("json"), &private]));
    let file = &report["files"][0];
    assert_eq!(file["extents"], serde_json::Value::Null);
    let unread = file["unread"].as_array().expect("a list");
    let status = |field: &str| {
        let found = unread.iter().find(|one| one["field"] == field);
        found.map(|one| one["status"].clone())
    };
    assert_eq!(status("extents"), Some("denied".into()));
    let extents = plain(&[OsStr::new("extents"), &private]);
    assert_eq!(extents.status.code(), Some(32));
    assert!(errors(&extents).contains("EACCES (13)"));
    let inside = closed.join("journal");
    for arguments in [
        vec![inside.as_os_str()],
        vec![OsStr::new("extents"), inside.as_os_str()],
    ] {
        let output = plain(&arguments);
        assert_eq!(output.status.code(), Some(32));
        let says = "EACCES (13): permission denied; a directory on the way may not be searched";
        assert!(errors(&output).contains(says), "{}", errors(&output));
    }
}

#[test]
fn files_have_columns_of_their_own() {
    let (folder, path) = in_folder("journal");
    std::fs::write(&path, vec![1; 1 << 16]).expect("write");
    let csv = |more: &[&str]| {
        let mut arguments: Vec<&OsStr> = vec![OsStr::new("-o"), OsStr::new("csv")];
        arguments.extend(more.iter().map(OsStr::new));
        arguments.extend([path.as_os_str(), folder.path().as_os_str()]);
        let output = zinspect(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        String::from_utf8(output.stdout).expect("text")
    };
    let head = "path,filesystem,devices,write_zeroes,zero_range,punch_hole,allocate,summary\n";
    assert!(csv(&[]).starts_with(head));
    let chosen = csv(&["--columns", "path,size_bytes,kind"]);
    let file = path.to_str().expect("a path");
    assert!(
        chosen.contains(&format!("{file},65536,regular file\n")),
        "{chosen}"
    );
    assert_eq!(
        csv(&["--no-headings", "-c", "kind"]),
        "regular file\ndirectory\n"
    );
    let output = zinspect(&["-o", "csv", "-c", "kname", file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("unknown column \"kname\""));
    let lines = zinspect(&["-o", "ndjson", file]);
    let last = String::from_utf8_lossy(&lines.stdout);
    let last: serde_json::Value =
        serde_json::from_str(last.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["path"], file);
    let markdown = zinspect(&["-o", "markdown", file]);
    let text = String::from_utf8_lossy(&markdown.stdout).into_owned();
    assert!(text.starts_with("| PATH | FILESYSTEM |"), "{text}");
    assert!(text.contains("### Modes of fallocate"), "{text}");
    let html = zinspect(&["-o", "html", file]);
    assert!(String::from_utf8_lossy(&html.stdout).contains("Modes of fallocate"));
}

#[test]
fn a_word_without_a_slash_is_no_file_and_a_dot_is() {
    let folder = TempDir::new().expect("temporary folder");
    std::fs::write(folder.path().join("journal"), "x").expect("write");
    let run = |word: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zinspect"));
        command
            .current_dir(folder.path())
            .args(["-o", "json", word])
            .output()
            .expect("run")
    };
    assert_eq!(run("journal").status.code(), Some(32));
    assert!(errors(&run("journal")).contains("a file of that name is ./journal"));
    assert_eq!(json(&run("./journal"))["files"][0]["kind"], "regular file");
    assert_eq!(json(&run("."))["files"][0]["kind"], "directory");
}

#[test]
fn what_files_cannot_be_is_a_usage_error() {
    let folder = TempDir::new().expect("temporary folder");
    let path = folder.path().to_str().expect("a path");
    let metrics = zinspect(&["-o", "prometheus", path]);
    assert_eq!(metrics.status.code(), Some(2));
    assert!(errors(&metrics).contains("a file has no metrics"));
    assert_eq!(
        zinspect(&["extents", "--sysroot", "/", path]).status.code(),
        Some(2)
    );
    assert_eq!(
        zinspect(&["--pid", "1", "--sysroot", "/", path])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_process_that_is_not_there_is_told() {
    let output = zinspect(&["--pid", "4194304", "/etc"]);
    assert_eq!(output.status.code(), Some(32));
    assert!(
        errors(&output).contains("is process 4194304 there?"),
        "{}",
        errors(&output)
    );
}

#[test]
fn a_dangling_link_of_a_process_that_lives_is_told() {
    let (_folder, dangling) = in_folder("dangling");
    symlink("/nonexistent/x", &dangling).expect("link");
    let pid = std::process::id().to_string();
    let words: [&OsStr; 3] = ["--pid".as_ref(), pid.as_ref(), &dangling];
    let output = zinspect(&words);
    assert_eq!(output.status.code(), Some(32));
    let says = "is a link to /nonexistent/x, which is not there";
    assert!(errors(&output).contains(says), "{}", errors(&output));
}

#[test]
fn extents_are_of_regular_files() {
    let (_folder, path) = in_folder("journal");
    std::fs::write(&path, vec![1; 1 << 16]).expect("write");
    let output = zinspect(&[
        OsStr::new("extents"),
        OsStr::new("-o"),
        OsStr::new("json"),
        &path,
    ]);
    let extents = &json(&output)["files"][0];
    assert_eq!(extents["size_bytes"], 1 << 16);
    assert!(
        extents["extents"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    );
    assert_eq!(zinspect(&["extents", "/dev/null"]).status.code(), Some(32));
    assert_eq!(zinspect(&["extents", "/"]).status.code(), Some(32));
}

#[test]
fn a_captured_host_answers_by_its_mounts() {
    let root = TempDir::new().expect("temporary folder");
    let write = |path: &str, content: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        std::fs::write(path, content).expect("file");
    };
    write("proc/sys/kernel/osrelease", "7.3.4\n");
    write(
        "proc/self/mountinfo",
        "1 0 8:0 / /srv\\040a rw - xfs /dev/sda rw\n",
    );
    write("sys/class/block/sda/dev", "8:0\n");
    write("sys/class/block/sda/size", "8192\n");
    for name in ["write_zeroes_max_bytes", "write_zeroes_unmap_max_bytes"] {
        write(&format!("sys/class/block/sda/queue/{name}"), "0\n");
    }
    let arguments = [
        Path::new("--sysroot"),
        root.path(),
        Path::new("-o"),
        Path::new("json"),
    ];
    let mut arguments: Vec<&OsStr> = arguments.iter().map(|word| word.as_os_str()).collect();
    arguments.push(OsStr::new("/srv a/journal"));
    let report = json(&zinspect(&arguments));
    let file = &report["files"][0];
    for path in [
        "/srv a//journal",
        "/x/.././srv a/journal",
        "/dev/../srv a/journal",
    ] {
        arguments.pop();
        arguments.push(OsStr::new(path));
        let report = json(&zinspect(&arguments));
        let devices = &report["files"][0]["devices"];
        assert_eq!(devices, &serde_json::json!(["sda"]), "{path}");
    }
    assert_eq!(file["devices"], serde_json::json!(["sda"]));
    assert_eq!(file["write_zeroes"]["errno"], "EOPNOTSUPP");
    assert_eq!(file["extents"], serde_json::Value::Null);
    let unread = file["unread"].as_array().expect("a list");
    let extents = unread
        .iter()
        .find(|one| one["field"] == "extents")
        .expect("a reason");
    assert_eq!(extents["status"], "not-asked");
    assert_eq!(report["devices"][0]["kname"], "sda");
}
