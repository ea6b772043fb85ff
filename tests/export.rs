//! `zinspect export` as its users run it: what it writes, and what it says when it cannot.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const HOST: &str = "tests/hosts/vm-7.3.tar.gz";

fn zinspect(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(arguments)
        .output()
        .expect("run zinspect")
}

fn to_file(path: &Path) -> Output {
    let path = path.to_str().expect("UTF-8");
    zinspect(&["--snapshot", HOST, "export", "prometheus", "--output", path])
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_file_holds_what_standard_output_does() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("zinspect.prom");
    let output = to_file(&path);
    assert!(output.status.success(), "{}", stderr(&output));
    let printed = zinspect(&["--snapshot", HOST, "export", "prometheus"]);
    let without_times = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| !line.starts_with("zinspect_scrape_collector_duration_seconds{"))
            .map(str::to_owned)
            .collect()
    };
    let file = fs::read_to_string(&path).expect("file");
    assert_eq!(
        without_times(&file),
        without_times(&String::from_utf8_lossy(&printed.stdout))
    );
    let mode = fs::metadata(&path).expect("stat").permissions().mode();
    assert_eq!(mode & 0o7777, 0o644);
    // A time stamp would be a third word; node_exporter refuses those.
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').expect("name and value");
        assert!(value.parse::<f64>().is_ok(), "{line}");
        assert!(line.ends_with(&format!("}} {value}")) || line.split(' ').count() == 2);
    }
}

#[test]
fn a_name_that_node_exporter_passes_over_is_refused() {
    let output = to_file(Path::new("/tmp/zinspect.txt"));
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("end in .prom"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_folder_that_is_gone_is_said_with_what_to_do() {
    let output = to_file(Path::new("/nonexistent/zinspect.prom"));
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("ENOENT") || said.contains("No such file"),
        "{said}"
    );
    assert!(said.contains("make its directory"), "{said}");
}

/// A mount point with these options; `None`, with the reason on stderr, where mounting is not allowed.
fn tmpfs(options: &str) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().to_str().expect("UTF-8");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", options, "zinspect-test", path])
        .output();
    if mounted.is_ok_and(|output| output.status.success()) {
        return Some(folder);
    }
    eprintln!("skipped: a tmpfs cannot be mounted here (needs CAP_SYS_ADMIN)");
    None
}

fn unmount(folder: &tempfile::TempDir) {
    let done = Command::new("umount").arg(folder.path()).status();
    assert!(done.expect("umount").success());
}

#[test]
fn a_full_folder_keeps_the_old_file_and_nothing_half_written() {
    let Some(folder) = tmpfs("size=8k") else {
        return;
    };
    let path = folder.path().join("zinspect.prom");
    fs::write(&path, "old 1\n").expect("the old file");
    let output = to_file(&path);
    let old = fs::read_to_string(&path);
    let left = fs::read_dir(folder.path()).expect("list").count();
    unmount(&folder);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("make room there"),
        "{}",
        stderr(&output)
    );
    assert_eq!((old.expect("old").as_str(), left), ("old 1\n", 1));
}

#[test]
fn a_read_only_folder_is_said() {
    let Some(folder) = tmpfs("ro") else {
        return;
    };
    let output = to_file(&folder.path().join("zinspect.prom"));
    unmount(&folder);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("can be written to"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn promtool_has_nothing_to_say() {
    use std::io::Write;
    use std::process::Stdio;
    for more in [&[][..], &["--all-limits", "--partitions", "--all"]] {
        let arguments = [&["--snapshot", HOST, "export", "prometheus"], more].concat();
        let text = zinspect(&arguments).stdout;
        let promtool = Command::new("promtool")
            .args(["check", "metrics"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut promtool) = promtool else {
            eprintln!("skipped: promtool is not installed (Debian: prometheus)");
            return;
        };
        let mut input = promtool.stdin.take().expect("stdin");
        input.write_all(&text).expect("write");
        drop(input);
        let output = promtool.wait_with_output().expect("promtool");
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stderr(&output), "");
    }
}
