//! Files as targets of the program itself: bad words, mixed targets, exit codes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
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

#[test]
fn bad_paths_are_told_and_counted() {
    let (folder, dangling) = in_folder("dangling");
    symlink("/nonexistent/x", &dangling).expect("link");
    let long = OsString::from(format!("/{}", "x/".repeat(2048)));
    let odd = folder.path().join(OsStr::from_bytes(b"no\xffsuch\x1b[31m"));
    for (path, says) in [
        (
            dangling.as_os_str(),
            "is a link to /nonexistent/x, which is not there",
        ),
        (long.as_os_str(), "ENAMETOOLONG (36)"),
        (
            odd.as_os_str(),
            "no\\xffsuch\\x1b[31m: cannot look at it: ENOENT (2)",
        ),
        (
            OsStr::from_bytes(b"\xff"),
            "no device's name has such bytes",
        ),
    ] {
        let output = zinspect(&[path]);
        assert_eq!(output.status.code(), Some(32), "{path:?}");
        assert!(errors(&output).contains(says), "{}", errors(&output));
        assert!(!output.stderr.contains(&0x1b), "{path:?}");
    }
    let some = zinspect(&[folder.path().as_os_str(), dangling.as_os_str()]);
    assert_eq!(some.status.code(), Some(64));
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
    for arguments in [["-o", "csv", path], ["-o", "prometheus", path]] {
        assert_eq!(zinspect(&arguments).status.code(), Some(2));
    }
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
