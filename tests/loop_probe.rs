//! The probe on loop devices and scratch files of this machine. Needs root and loop devices; skipped with a reason
//! otherwise.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

const MIB: u64 = 1 << 20;

/// A loop device on a file in memory, with a state directory on disk; detached when dropped.
struct Loop {
    node: String,
    dir: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Loop {
    /// `None`, with the reason on stderr, where this machine cannot have one.
    fn new(megabytes: u64) -> Option<Self> {
        let skip = |why: &str| eprintln!("skipped: {why}");
        if !rustix::process::geteuid().is_root() {
            skip("loop devices need root");
            return None;
        }
        let Ok(dir) = tempfile::tempdir_in("/dev/shm") else {
            skip("no /dev/shm, and the journal must lie elsewhere than the device");
            return None;
        };
        let state = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let image = dir.path().join("image");
        let mut file = File::create(&image).unwrap();
        for block in 0..megabytes {
            file.write_all(&noise(block)).unwrap();
        }
        let output = Command::new("losetup")
            .args(["--find", "--show"])
            .arg(&image)
            .output();
        match output {
            Ok(output) if output.status.success() => {
                let node = String::from_utf8(output.stdout).unwrap().trim().to_owned();
                Some(Self { node, dir, state })
            }
            other => {
                skip(&format!("losetup: {other:?}"));
                None
            }
        }
    }

    fn image(&self) -> PathBuf {
        self.dir.path().join("image")
    }

    fn probe(&self, args: &[&str]) -> Output {
        probe(self.state.path(), args)
    }

    fn bench(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_zinspect"))
            .args(["bench", &self.node])
            .args(args)
            .env("STATE_DIRECTORY", self.state.path())
            .output()
            .unwrap()
    }

    fn identity(&self) -> String {
        let output = self.probe(&[&self.node, "--destroy", "--dry-run", "-o", "json"]);
        json(&output)["identity"].as_str().unwrap().to_owned()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup")
            .arg("--detach")
            .arg(&self.node)
            .status();
    }
}

/// A MiB that no other block number gives.
fn noise(block: u64) -> Vec<u8> {
    let mut state = block.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..MIB / 8).flat_map(|_| next()).collect()
}

fn probe(state: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .arg("probe")
        .args(args)
        .env("STATE_DIRECTORY", state)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!(
            "{error}: {text} {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn outcome<'v>(report: &'v Value, method: &str) -> &'v str {
    let results = report["results"].as_array().unwrap();
    let found = results.iter().find(|result| result["method"] == method);
    found
        .and_then(|result| result["outcome"].as_str())
        .unwrap_or("none")
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn loop_preserve_puts_every_byte_back() {
    let Some(disk) = Loop::new(16) else { return };
    let before = fs::read(disk.image()).unwrap();
    let output = disk.probe(&[&disk.node, "--preserve", "-o", "json"]);
    let report = json(&output);
    assert_eq!(report["restored"], true);
    assert_eq!(outcome(&report, "pwrite"), "zeroed-written");
    assert_eq!(outcome(&report, "nvme-write-zeroes"), "skipped");
    assert!(fs::read(disk.image()).unwrap() == before);
    let left: Vec<_> = fs::read_dir(disk.state.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["results"], "the journal is gone, the result is kept");
}

#[test]
fn loop_destroy_wants_the_identity_and_stays_in_its_span() {
    let Some(disk) = Loop::new(16) else { return };
    let before = fs::read(disk.image()).unwrap();
    for wrong in [&[][..], &["--yes-destroy=loop0.diskseq-0"]] {
        let output = disk.probe(&[&[disk.node.as_str(), "--destroy"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    }
    assert!(
        fs::read(disk.image()).unwrap() == before,
        "a refusal writes nothing"
    );
    let named = format!("--yes-destroy={}", disk.identity());
    let range = ["--range", "8M:4M", "-m", "pwrite,blkdiscard", "-o", "json"];
    let output = disk.probe(&[&[disk.node.as_str(), "--destroy", &named], &range[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let after = fs::read(disk.image()).unwrap();
    let at = |mib: usize| mib << 20;
    assert!(after[..at(7)] == before[..at(7)] && after[at(13)..] == before[at(13)..]);
    assert!(after[at(8)..at(12)].iter().all(|byte| *byte == 0));
}

#[test]
fn loop_dry_run_writes_nothing() {
    let Some(disk) = Loop::new(8) else { return };
    let before = fs::read(disk.image()).unwrap();
    let output = disk.probe(&[&disk.node, "--preserve", "--dry-run", "-o", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    assert_eq!(report["results"].as_array().map(Vec::len), Some(0));
    assert!(report["identity"].as_str().unwrap().contains("diskseq"));
    assert!(fs::read(disk.image()).unwrap() == before);
}

#[test]
fn loop_refusals_name_their_reason() {
    let Some(disk) = Loop::new(8) else { return };
    let refused = |args: &[&str], words: &str| {
        let output = disk.probe(&[&[disk.node.as_str()], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            message(&output).contains(words),
            "{args:?}: {}",
            message(&output)
        );
    };
    refused(&[], "--preserve");
    refused(&["--preserve", "--range", "7M:2M"], "not within");
    refused(&["--preserve", "--range", "1:512"], "whole blocks");
    // Also where the bytes would be put back: who names a device means no other.
    refused(&["--preserve", "--yes-destroy=other"], "another device");
    let beside = disk.dir.path().join("journal");
    assert!(!beside.exists());
    let open = File::open(&disk.node).unwrap();
    refused(&["--preserve"], "has it open");
    refused(&["--preserve", "--dry-run"], "has it open");
    drop(open);
    refused(
        &["--preserve", "--backing", "/nonexistent/image"],
        "--backing /nonexistent/image: No such file",
    );
    let output = disk.probe(&[disk.image().to_str().unwrap()]);
    assert!(
        message(&output).contains("existing file"),
        "{}",
        message(&output)
    );
}

#[test]
fn loop_signature_is_refused_until_agreed() {
    let Some(disk) = Loop::new(8) else { return };
    File::options()
        .write(true)
        .open(disk.image())
        .and_then(|file| std::os::unix::fs::FileExt::write_all_at(&file, &[0x53, 0xef], 0x438))
        .unwrap();
    // The plan and the identity are printed, and what becomes of them is said.
    let planned = disk.probe(&[&disk.node, "--destroy", "--dry-run", "-o", "json"]);
    assert_eq!(planned.status.code(), Some(2));
    assert!(message(&planned).contains("ext4"), "{}", message(&planned));
    let named = format!(
        "--yes-destroy={}",
        json(&planned)["identity"].as_str().unwrap()
    );
    let asked = disk.probe(&[&disk.node, "--preserve", "--dry-run"]);
    assert_eq!(asked.status.code(), Some(0));
    assert!(
        String::from_utf8_lossy(&asked.stdout).contains("it carries"),
        "{asked:?}"
    );
    for args in [&["--preserve"][..], &["--destroy", &named]] {
        let output = disk.probe(&[&[disk.node.as_str()], args].concat());
        assert!(message(&output).contains("ext4"), "{}", message(&output));
    }
    let args = [
        &disk.node,
        "--preserve",
        &named,
        "-m",
        "pwrite",
        "--range",
        "0:2M",
        "-o",
        "json",
    ];
    let report = json(&disk.probe(&args));
    assert_eq!(report["restored"], true);
}

#[test]
fn loop_a_killed_probe_is_reported_and_recovered() {
    let Some(disk) = Loop::new(64) else { return };
    let before = fs::read(disk.image()).unwrap();
    let mut interrupted = 0;
    for wait in [0, 30, 120, 300] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_zinspect"))
            .args(["probe", &disk.node, "--preserve"])
            .env("STATE_DIRECTORY", disk.state.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let journals = || {
            let entries = fs::read_dir(disk.state.path())
                .unwrap()
                .flatten()
                .map(|entry| entry.path());
            entries
                .filter(|path| path.extension().is_some_and(|end| end == "journal"))
                .collect::<Vec<_>>()
        };
        while journals().is_empty() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let Some(journal) = journals().pop() else {
            continue;
        };
        interrupted += 1;
        let again = disk.probe(&[&disk.node, "--preserve"]);
        assert!(message(&again).contains("--recover"), "{}", message(&again));
        // Its child has the device claimed until it is gone.
        let recovered = (0..50).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            disk.probe(&["--recover", journal.to_str().unwrap()])
                .status
                .code()
                == Some(0)
        });
        assert!(recovered && journals().is_empty());
        assert!(fs::read(disk.image()).unwrap() == before, "after {wait} ms");
    }
    assert!(interrupted > 0, "no run was killed in its middle");
}

#[test]
fn loop_a_damaged_journal_is_not_put_back() {
    let Some(disk) = Loop::new(8) else { return };
    let journal = disk.state.path().join("x.journal");
    fs::write(&journal, b"ZINSPJ1\nnonsense").unwrap();
    let output = disk.probe(&["--recover", journal.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("not a whole journal"),
        "{}",
        message(&output)
    );
}

#[test]
fn scratch_file_leaves_nothing_behind() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let state = tempfile::tempdir().unwrap();
    let output = probe(
        state.path(),
        &[
            dir.path().to_str().unwrap(),
            "--range",
            "1M:4M",
            "-o",
            "json",
        ],
    );
    let report = json(&output);
    assert_eq!(report["mode"], "scratch");
    assert!(outcome(&report, "pwrite").starts_with("zeroed"), "{report}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_captured_host_is_never_written_to() {
    let state = tempfile::tempdir().unwrap();
    let output = probe(state.path(), &["--sysroot", "/", "sda", "--preserve"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("captured host"),
        "{}",
        message(&output)
    );
}

/// Types at a terminal: the question is only asked at one.
fn at_a_terminal(state: &Path, command: &str) -> std::process::Child {
    Command::new("script")
        .args(["--quiet", "--return", "--flush", "--command", command])
        .arg("/dev/null")
        .env("STATE_DIRECTORY", state)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn loop_replaced_while_the_identity_was_typed_is_not_written_to() {
    use std::io::Read;
    let Some(disk) = Loop::new(8) else { return };
    let identity = disk.identity();
    let command = format!(
        "{} probe {} --destroy --method blkzeroout",
        env!("CARGO_BIN_EXE_zinspect"),
        disk.node
    );
    let mut child = at_a_terminal(disk.state.path(), &command);
    let mut asked = Vec::new();
    let mut out = child.stdout.take().unwrap();
    while !String::from_utf8_lossy(&asked).contains("to go on: ") {
        let mut byte = [0];
        assert_eq!(
            out.read(&mut byte).unwrap(),
            1,
            "{}",
            String::from_utf8_lossy(&asked)
        );
        asked.push(byte[0]);
    }
    // Another device under the same name, on the same file: only its diskseq differs.
    let losetup = |args: &[&str]| {
        let status = Command::new("losetup").args(args).status().unwrap();
        assert!(status.success(), "losetup {args:?}");
    };
    losetup(&["--detach", &disk.node]);
    losetup(&[&disk.node, disk.image().to_str().unwrap()]);
    let before = fs::read(disk.image()).unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(format!("{identity}\n").as_bytes())
        .unwrap();
    let mut said = String::new();
    out.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "{said}");
    assert!(
        said.contains("not the device of the plan any more"),
        "{said}"
    );
    assert!(said.contains("diskseq"), "{said}");
    assert!(fs::read(disk.image()).unwrap() == before);
}

#[test]
fn loop_a_probe_holds_little_memory() {
    let Some(disk) = Loop::new(128) else { return };
    let named = format!("--yes-destroy={}", disk.identity());
    let mut child = Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args([
            "probe",
            &disk.node,
            "--destroy",
            &named,
            "--range",
            "8M:96M",
        ])
        .args(["--method", "pwrite,blkzeroout,uring-discard"])
        .env("STATE_DIRECTORY", disk.state.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut most = 0;
    let status = loop {
        most = most.max(peak_with_children(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(0));
    assert!(most > 0, "never seen");
    assert!(most <= 64 << 10, "{most} KiB");
}

/// The most memory that a process ever held and its children that run now, in KiB (VmHWM, proc_pid_status(5)). What
/// getrusage(2) tells of a child has in it what its parent held when it was started.
fn peak_with_children(pid: u32) -> u64 {
    let peak = |pid: &str| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok())
            .unwrap_or(0)
    };
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children: u64 = children.unwrap_or_default().split(' ').map(peak).sum();
    peak(&pid.to_string()) + children
}

/// `ZINSPECT_KILLS` of them (18), at moments drawn from `ZINSPECT_SEED`. With a volatile cache and power cuts:
/// tests/vm/scenarios/power.py.
#[test]
fn loop_a_probe_killed_at_any_moment_loses_nothing() {
    let Some(disk) = Loop::new(8) else { return };
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let (kills, seed) = (
        number("ZINSPECT_KILLS", 18),
        number("ZINSPECT_SEED", std::process::id().into()),
    );
    let before = fs::read(disk.image()).unwrap();
    let journal = disk.state.path().join("kept.journal");
    let shown = journal.to_str().unwrap();
    let probing = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zinspect"));
        command
            .args(["probe", &disk.node, "--preserve", "--range", "2M:2M"])
            .args(["--method", "blkzeroout,pwrite", "--journal", shown])
            .env("STATE_DIRECTORY", disk.state.path())
            .stdout(Stdio::null());
        command
    };
    let begin = std::time::Instant::now();
    assert!(probing().status().unwrap().success());
    let whole = u64::try_from(begin.elapsed().as_micros()).unwrap();
    let (mut state, mut left) = (seed, 0);
    for kill in 0..kills {
        // The generator of Knuth's MMIX.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let moment = (state >> 33) % (whole * 11 / 10);
        let mut child = probing().spawn().unwrap();
        std::thread::sleep(Duration::from_micros(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        if journal.exists() {
            left += 1;
            // Its child may have the device for a moment longer.
            let recovered = || disk.probe(&["--recover", shown]).status.success();
            let back = (0..50).any(|_| {
                recovered() || {
                    std::thread::sleep(Duration::from_millis(100));
                    false
                }
            });
            assert!(back, "kill {kill} of seed {seed}");
        }
        assert!(
            fs::read(disk.image()).unwrap() == before,
            "kill {kill} of seed {seed}"
        );
    }
    eprintln!("{kills} kills of seed {seed}, {left} of them left a journal");
}

/// A run that was killed after its journal was there. The journal's copy is given back; the device is as it was left.
fn killed(disk: &Loop, journal: &Path) -> Vec<u8> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(["probe", &disk.node, "--preserve", "--range", "2M:4M"])
        .args(["--journal", journal.to_str().unwrap()])
        .env("STATE_DIRECTORY", disk.state.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The state directory has it or points to it before the first byte is written over.
    let known = || {
        let entries = fs::read_dir(disk.state.path()).unwrap().flatten();
        let mut paths = entries.map(|entry| entry.path());
        paths.any(|path| path.extension().is_some_and(|end| end == "journal"))
    };
    while !known() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Its child has the device for a moment longer.
    std::thread::sleep(Duration::from_millis(500));
    fs::read(journal).unwrap()
}

#[test]
fn loop_a_journal_is_not_put_back_over_what_was_written_since() {
    let Some(disk) = Loop::new(8) else { return };
    let journal = disk.state.path().join("kept.journal");
    let shown = journal.to_str().unwrap();
    let named = format!("--yes-destroy={}", disk.identity());
    let copy = killed(&disk, &journal);
    let recovered = disk.probe(&["--recover", shown]);
    assert_eq!(recovered.status.code(), Some(0), "{}", message(&recovered));
    // As where it could not be removed.
    fs::write(&journal, copy).unwrap();
    let again = disk.probe(&["--recover", shown]);
    assert_eq!(
        again.status.code(),
        Some(0),
        "its own bytes: {}",
        message(&again)
    );
    let copy = killed(&disk, &journal);
    disk.probe(&["--recover", shown]);
    fs::write(&journal, copy).unwrap();
    let image = File::options().write(true).open(disk.image()).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&image, &noise(99), 3 * MIB).unwrap();
    let before = fs::read(disk.image()).unwrap();
    // What the device's own cache still holds is not what was written to its file.
    let flushed = Command::new("blockdev")
        .args(["--flushbufs", &disk.node])
        .status();
    assert!(flushed.unwrap().success());
    let refused = disk.probe(&["--recover", shown]);
    assert_eq!(refused.status.code(), Some(2), "{}", message(&refused));
    assert!(
        message(&refused).contains("somebody wrote there since"),
        "{}",
        message(&refused)
    );
    let wrong = disk.probe(&["--recover", shown, "--yes-destroy=other"]);
    assert!(
        message(&wrong).contains("another device"),
        "{}",
        message(&wrong)
    );
    assert!(fs::read(disk.image()).unwrap() == before);
    let agreed = disk.probe(&["--recover", shown, &named]);
    assert_eq!(agreed.status.code(), Some(0), "{}", message(&agreed));
    assert!(fs::read(disk.image()).unwrap() != before);
}

#[test]
fn loop_a_journal_that_is_out_of_reach_bars_its_device() {
    let Some(disk) = Loop::new(8) else { return };
    let elsewhere = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let journal = elsewhere.path().join("kept.journal");
    let named = format!("--yes-destroy={}", disk.identity());
    killed(&disk, &journal);
    let away = elsewhere.path().join("away");
    fs::rename(&journal, &away).unwrap();
    for output in [
        disk.probe(&[&disk.node, "--preserve"]),
        disk.probe(&[&disk.node, "--destroy", &named]),
        disk.bench(&["--destroy", &named, "--size", "1M", "--only", "zero"]),
    ] {
        assert_eq!(output.status.code(), Some(2));
        let said = message(&output);
        assert!(
            said.contains("whether the bytes of an earlier probe are back"),
            "{said}"
        );
    }
    fs::rename(&away, &journal).unwrap();
    let output = disk.bench(&["--destroy", &named, "--size", "1M", "--only", "zero"]);
    assert!(
        message(&output).contains("--recover"),
        "{}",
        message(&output)
    );
    let output = disk.probe(&["--recover", journal.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let output = disk.bench(&["--destroy", &named, "--size", "1G"]);
    assert_eq!(
        output.status.code(),
        Some(2),
        "smaller than what was asked for"
    );
    assert!(
        message(&output).contains("not within"),
        "{}",
        message(&output)
    );
}

#[test]
fn loop_a_benchmark_names_what_it_needs_and_what_it_did() {
    let Some(disk) = Loop::new(8) else { return };
    // The command that the help names prints the identity.
    let help = String::from_utf8(disk.bench(&["--help"]).stdout).unwrap();
    let command = help
        .split('`')
        .find_map(|part| part.strip_prefix("zinspect probe "));
    let words: Vec<&str> = command.unwrap().split_whitespace().collect();
    let words: Vec<&str> = words
        .into_iter()
        .map(|word| {
            if word == "DEVICE" {
                disk.node.as_str()
            } else {
                word
            }
        })
        .collect();
    let named = disk.probe(&words);
    assert_eq!(named.status.code(), Some(0), "{}", message(&named));
    let identity = disk.identity();
    assert!(String::from_utf8_lossy(&named.stdout).contains(&identity));

    let agreed = format!("--yes-destroy={identity}");
    let output = disk.bench(&["--destroy", &agreed, "--only", "overwrite"]);
    assert_eq!(output.status.code(), Some(2), "nothing was measured");
    let said = message(&output);
    assert!(
        said.contains("overwrite, all: it is about files") && !said.contains("zero, "),
        "{said}"
    );
    assert!(output.stdout.is_empty(), "no empty table");

    let brief = ["--size", "1M", "--runs", "1", "--seconds", "0.2"];
    let discard = ["--destroy", &agreed, "--only", "discard", "-o", "json"];
    let report = json(&disk.bench(&[&discard[..], &brief[..]].concat()));
    // A busy machine may end none in the time: then the case is named among what was not measured.
    let cases: Vec<&str> = ["runs", "not_measured"]
        .iter()
        .filter_map(|key| report[key].as_array())
        .flatten()
        .filter_map(|one| one["case"].as_str())
        .collect();
    for case in ["BLKDISCARD, 1 thread", "BLKDISCARD, 4 threads"] {
        assert!(cases.contains(&case), "{report}");
    }
}

#[test]
fn loop_a_plan_makes_nothing() {
    let Some(disk) = Loop::new(8) else { return };
    let folder = disk.state.path().join("new");
    let journal = folder.join("deep/j.journal");
    let args = [
        &disk.node,
        "--preserve",
        "--journal",
        journal.to_str().unwrap(),
    ];
    let output = disk.probe(&[&args[..], &["--dry-run"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    assert!(!folder.exists());
    let output = disk.probe(&[&args[..], &["-m", "pwrite"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    assert_eq!(fs::read_dir(folder.join("deep")).unwrap().count(), 0);
}

#[test]
fn loop_what_was_found_decides_the_exit_status_whoever_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let Some(disk) = Loop::new(8) else { return };
    let mode = |mode| fs::set_permissions(disk.state.path(), fs::Permissions::from_mode(mode));
    mode(0o1777).unwrap();
    let status = |method: &str, out: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zinspect"));
        command.args(["probe", &disk.node, "--preserve", "-m", method]);
        command
            .env("STATE_DIRECTORY", disk.state.path())
            .stdout(out);
        command.stderr(Stdio::null()).status().unwrap().code()
    };
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let closed = || Stdio::from(std::io::pipe().unwrap().1);
    // No NVMe namespace: nothing zeroed the range.
    for out in [Stdio::null(), full(), closed()] {
        assert_eq!(status("nvme-write-zeroes", out), Some(1));
    }
    assert_eq!(status("pwrite", full()), Some(2));
    assert_eq!(status("pwrite", closed()), Some(0));
    let left = fs::metadata(disk.state.path())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(
        left & 0o7777,
        0o1777,
        "nothing was taken from a folder's mode"
    );
}

#[test]
fn loop_on_a_file_that_another_has_mounted_is_refused() {
    let Some(disk) = Loop::new(16) else { return };
    let made = Command::new("mkfs.ext4")
        .args(["-q", "-F", &disk.node])
        .status();
    let image = disk.image();
    let losetup = |args: &[&str]| Command::new("losetup").args(args).output().unwrap();
    let other = losetup(&["--find", "--show", image.to_str().unwrap()]);
    let other = String::from_utf8(other.stdout).unwrap().trim().to_owned();
    let place = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount").arg(&other).arg(place.path()).status();
    if made.is_ok_and(|made| made.success()) && mounted.is_ok_and(|done| done.success()) {
        // A plan for it is refused too.
        let kname = disk.node.trim_start_matches("/dev/");
        let diskseq = fs::read_to_string(format!("/sys/block/{kname}/diskseq")).unwrap();
        let named = format!("--yes-destroy={kname}.diskseq-{}", diskseq.trim());
        let output = disk.probe(&[&disk.node, "--preserve", &named, "-m", "pwrite"]);
        Command::new("umount").arg(place.path()).status().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = message(&output);
        assert!(
            said.contains("stands on the same file") && said.contains("mounted on"),
            "{said}"
        );
    } else {
        eprintln!("skipped: no ext4 can be made and mounted here");
    }
    losetup(&["--detach", &other]);
}
