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

/// A name that a user can give a null_blk device in configfs (since Linux 6.5), with what means something somewhere.
const HOSTILE: &str = "a\"'<b,onload=x>{}&|`\\$(id);%";

/// A disk of that name, one with a line break in its own, and a world-wide name.
fn hostile_host() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("folder");
    for (name, number) in [(HOSTILE, 1), ("two\nlines", 2)] {
        let disk = root.path().join("sys/devices/virtual/block").join(name);
        fs::create_dir_all(disk.join("queue")).expect("folders");
        let number = format!("240:{number}\n");
        for (file, value) in [
            ("dev", number.as_str()),
            ("size", "8192\n"),
            ("ro", "0\n"),
            ("wwid", "naa.1\n"),
            ("queue/write_zeroes_max_bytes", "512\n"),
            ("queue/write_zeroes_unmap_max_hw_bytes", "512\n"),
            ("queue/write_zeroes_unmap_max_bytes", "512\n"),
            ("queue/logical_block_size", "512\n"),
        ] {
            fs::write(disk.join(file), value).expect("file");
        }
        let links = root.path().join("sys/class/block");
        fs::create_dir_all(&links).expect("class");
        let to = Path::new("../../devices/virtual/block").join(name);
        std::os::unix::fs::symlink(to, links.join(name)).expect("link");
    }
    root
}

#[test]
fn a_hostile_name_means_nothing_in_any_format() {
    let root = hostile_host();
    let sysroot = root.path().to_str().expect("UTF-8");
    let say = |arguments: &[&str]| {
        let output = zinspect(&[&["--sysroot", sysroot], arguments].concat());
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("two\\x0alines"),
            "{}",
            stderr(&output)
        );
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let json: serde_json::Value = serde_json::from_str(&say(&["-o", "json"])).expect("JSON");
    assert_eq!(json["devices"][0]["kname"], HOSTILE);
    assert_eq!(json["devices"].as_array().map(Vec::len), Some(1));
    let line: serde_json::Value =
        serde_json::from_str(say(&["-o", "ndjson"]).trim_end()).expect("one line");
    assert_eq!(line["kname"], HOSTILE);

    let csv = say(&["-o", "csv", "--columns", "kname,kind"]);
    let quoted = HOSTILE.replace('"', "\"\"");
    assert!(csv.contains(&format!("\"{quoted}\",")), "{csv}");

    for format in ["html", "svg"] {
        let text = say(&["-o", format]);
        assert!(!text.contains("<b,"), "{format}: {text}");
        assert!(text.contains("&lt;b,onload"), "{format}: {text}");
    }
    let markdown = say(&["-o", "markdown"]);
    assert!(
        !markdown.contains("<b,") && markdown.contains("onload"),
        "{markdown}"
    );
    let dot = say(&["-o", "dot"]);
    let named = dot.lines().filter(|line| line.contains("onload"));
    for line in named {
        let bare = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(bare.matches('"').count() % 2, 0, "{line}");
    }

    let metrics = say(&["export", "prometheus"]);
    let label = HOSTILE.replace('\\', "\\\\").replace('"', "\\\"");
    let sample = format!("zinspect_max_bytes{{device=\"{label}\"}} 512\n");
    assert!(metrics.contains(&sample), "{metrics}");
}

#[test]
fn a_hostile_name_means_nothing_to_udev() {
    let root = hostile_host();
    let sysroot = root.path().to_str().expect("UTF-8");
    let output = zinspect(&["--sysroot", sysroot, "export", "udev", HOSTILE]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("ID_ZINSPECT_ZEROING=unmap\n"),
        "{said}{}",
        stderr(&output)
    );
    let safe = |c: char| c.is_ascii_alphanumeric() || "#+-.:=@_/!,\\".contains(c);
    for line in said.lines() {
        let (key, value) = line.split_once('=').expect("key and value");
        assert!(
            key.starts_with("ID_ZINSPECT_") && value.chars().all(safe),
            "{line}"
        );
    }
    assert!(
        said.contains("ID_ZINSPECT_DECIDED_AT=a\\x22\\x27\\x3cb,onload"),
        "{said}"
    );
}

fn with_results(files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let root = hostile_host();
    let state = tempfile::tempdir().expect("folder");
    let results = state.path().join("results");
    fs::create_dir(&results).expect("folder");
    for (name, content) in files {
        fs::write(results.join(name), content).expect("file");
    }
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .env("STATE_DIRECTORY", state.path())
        .arg("--sysroot")
        .arg(root.path())
        .args(arguments)
        .output()
        .expect("run zinspect")
}

const RESULT: &str = r#"{"version": 1, "identity": "naa.1", "identity_lasts": true, "boot_id": "", "kname": "x",
    "target": "/dev/x", "mode": "preserve", "time": 1700000000, "times_faster_than_writing": 1.04,
    "summary": "claims unmap, but no faster than writing",
    "results": [{"method": "blkzeroout", "leg": null, "outcome": "zeroed-unmapped", "bytes_per_second": 1e9}]}"#;

#[test]
fn the_last_result_of_a_probe_is_a_metric_and_a_finding() {
    let files = [("id-1.json", RESULT)];
    let metrics = with_results(&files, &["export", "prometheus"]);
    let text = String::from_utf8_lossy(&metrics.stdout).into_owned();
    assert!(
        text.contains("blkzeroout=\"zeroed-unmapped\",device="),
        "{text}"
    );
    assert!(text.contains("mode=\"preserve\"} 1700000000\n"), "{text}");
    assert!(
        text.contains("\nzinspect_probe_results_unreadable 0\n"),
        "{text}"
    );
    let doctor = with_results(&files, &["doctor", "-o", "json"]);
    let found: serde_json::Value = serde_json::from_slice(&doctor.stdout).expect("JSON");
    let slow = &found["findings"][0];
    assert_eq!(
        (
            slow["lint"].as_str(),
            slow["level"].as_str(),
            slow["at"].as_str()
        ),
        (Some("probed-slow"), Some("warning"), Some(HOSTILE))
    );
}

#[test]
fn what_a_file_name_brings_reaches_no_terminal() {
    let odd = "id-\x1b[31m\n.json";
    let metrics = with_results(&[(odd, "half")], &["export", "prometheus"]);
    let there = zinspect(&[
        "--snapshot",
        HOST,
        "export",
        "prometheus",
        "--output",
        "/\x1b[31m/z.prom",
    ]);
    let name = zinspect(&[
        "--snapshot",
        HOST,
        "export",
        "prometheus",
        "--output",
        "/\x1b[31m\n",
    ]);
    for (output, lines) in [(metrics, 2), (there, 1), (name, 1)] {
        let said = stderr(&output);
        assert!(said.contains("\\x1b[31m"), "{said}");
        assert!(
            !said.contains('\x1b') && said.lines().count() == lines,
            "{said:?}"
        );
    }
}

#[test]
fn a_name_that_is_no_utf_8_is_said_and_counted() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let root = hostile_host();
    let class = root.path().join("sys/class/block");
    fs::rename(
        class.join("two\nlines"),
        class.join(OsStr::from_bytes(b"no\xffutf")),
    )
    .expect("renamed");
    let sysroot = root.path().to_str().expect("UTF-8");
    for (arguments, unread) in [
        (&["export", "prometheus"][..], "collector=\"other\"} 0\n"),
        (&["-o", "csv"], ""),
    ] {
        let output = zinspect(&[&["--sysroot", sysroot], arguments].concat());
        let said = stderr(&output);
        assert!(
            said.lines().count() == 1 && said.contains("no\u{fffd}utf: not read: its name"),
            "{said}"
        );
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(unread), "{text}");
    }
}

#[test]
fn watch_refuses_what_is_not_there_and_takes_a_path() {
    if fs::read_dir("/sys/class/block").map_or(0, Iterator::count) == 0 {
        eprintln!("skipped: there is no block device here");
        return;
    }
    let watch = |target: &str| {
        zinspect(&[
            "--no-ioctl",
            "watch",
            "--looks",
            "1",
            "--interval",
            "1",
            target,
        ])
    };
    for gone in ["loop99999", "/dev/loop99999", "999:9"] {
        let output = watch(gone);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(gone) && said.contains("has to be there when watching begins"),
            "{said}"
        );
    }
    let first = fs::read_dir("/sys/class/block").expect("list").next();
    let there = first.expect("one").expect("entry").path();
    let number = fs::read_to_string(there.join("dev")).expect("number");
    for target in [there.to_str().expect("UTF-8"), number.trim()] {
        let output = watch(target);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("watching 1 devices"), "{said}");
    }
}

#[test]
fn a_result_that_is_none_is_counted_and_named() {
    let files = [
        ("id-1.json", RESULT),
        ("id-2.json", "{\"version\": 9}"),
        ("id-3.json", "half"),
    ];
    let metrics = with_results(&files, &["export", "prometheus"]);
    assert!(metrics.status.success());
    let text = String::from_utf8_lossy(&metrics.stdout).into_owned();
    assert!(
        text.contains("\nzinspect_probe_results_unreadable 2\n"),
        "{text}"
    );
    assert!(text.contains("zinspect_probe_speed_ratio{"), "{text}");
    let said = stderr(&metrics);
    assert!(
        said.contains("its version is 9") && said.contains("id-3.json"),
        "{said}"
    );
    let doctor = with_results(&files, &["doctor", "-o", "json", "--fail-on", "warning"]);
    assert_eq!(doctor.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&doctor.stdout).expect("JSON");
    let of = |finding: &&serde_json::Value| finding["lint"] == "probe-result-unreadable";
    let findings = found["findings"].as_array().expect("findings");
    assert_eq!(findings.iter().filter(of).count(), 2);
}
