//! `zinspect bench` on scratch files of this machine: what it says, not how quick the machine is.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::process::{Command, Output};

use serde_json::Value;

/// More than any machine has room for.
const NO_ROOM: &str = "1M,900000G";
const BRIEF: [&str; 4] = ["--runs", "1", "--seconds", "0.02"];

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn bench(folder: &tempfile::TempDir, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .arg("bench")
        .arg(folder.path())
        .args(BRIEF)
        .args(args)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn csv_has_plain_numbers_and_says_beside_them_what_is_not_there() {
    let output = bench(
        &folder(),
        &["--only", "zero", "--size", NO_ROOM, "-o", "csv"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let mut rows = text.lines().filter(|line| line.starts_with("zero,"));
    let first: Vec<&str> = rows.next().unwrap().split(',').collect();
    let [_, _, "rate", median, spread, "bytes/s", sample, ..] = first[..] else {
        panic!("{text}")
    };
    assert!(median.parse::<f64>().unwrap() > 0.0);
    assert_eq!((sample, spread), (median, ""), "of one run");
    let said = said(&output);
    assert!(said.contains("not measured: zero, "), "{said}");
    assert!(said.contains("bytes may be used here"), "{said}");
}

#[test]
fn what_was_not_asked_for_is_not_missed_and_a_preallocation_is_no_write() {
    let output = bench(
        &folder(),
        &["--only", "overwrite", "--size", NO_ROOM, "-o", "json"],
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = |key: &str| report[key].as_array().unwrap().clone();
    let left = rows("not_measured");
    assert!(left.iter().all(|left| left["benchmark"] != "zero"));
    // The first pass comes first; a case may say more, as of ext4's fast commits.
    let engine = |case: &str, metric: &str| {
        let runs = rows("runs");
        let of_case = |run: &&Value| {
            run["case"]
                .as_str()
                .is_some_and(|has| has.starts_with(case))
        };
        let run = runs
            .iter()
            .filter(of_case)
            .find(|run| run["metric"] == metric);
        run.and_then(|run| run["engine"].as_str().map(str::to_owned))
    };
    let case = "preallocated unwritten, 4 KiB O_DSYNC";
    let prepared = engine(case, "preallocation").unwrap();
    assert_eq!(prepared, "fallocate and fdatasync");
    let pass = engine(case, "operations").unwrap();
    assert!(pass.contains("at a time"), "{pass}");
    if let Some(both) = engine(case, "preallocation and first pass") {
        assert_eq!(both, format!("{prepared}, then {pass}"));
    }
    let written = engine("written, 4 KiB O_DSYNC", "preallocation").unwrap();
    assert!(written.contains("at a time"), "{written}");
}

#[test]
fn nothing_measured_is_a_failure_with_its_reasons() {
    let folder = folder();
    let output = bench(&folder, &["--only", "discard", "--size", "1M"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(output.stdout.is_empty(), "no empty table");
    let said = said(&output);
    assert!(
        said.contains("nothing was measured on ") && said.contains("discard, all: "),
        "{said}"
    );
    let output = bench(
        &folder,
        &["--only", "discard", "--size", "1M", "-o", "json"],
    );
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!report["not_measured"].as_array().unwrap().is_empty());
}

#[test]
fn a_page_without_a_folder_is_noticed_before_anything_is_measured() {
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    for place in [folder.path().join("none/x.html"), file.join("x.html")] {
        let page = place.to_str().unwrap();
        let output = bench(&folder, &["--only", "zero", "--size", "1M", "--html", page]);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty(), "measured all the same");
        let said = said(&output);
        assert!(
            said.contains(&format!("cannot write {page}: its folder: ")),
            "{said}"
        );
    }
    let page = folder.path().join("x.html");
    let output = Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(["bench", ".", "--only", "zero", "--size", "1M"])
        .args(BRIEF)
        .args(["--html", "x.html"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(std::fs::read_to_string(page).unwrap().contains("<svg"));
}

#[test]
fn what_goes_on_is_shown_at_a_terminal_only() {
    let folder = folder();
    let args = ["--only", "zero", "--size", "1M"];
    let output = bench(&folder, &args);
    assert_eq!(said(&output), "", "of no terminal");
    let line = format!(
        "'{}' bench '{}' {} {} >/dev/null",
        env!("CARGO_BIN_EXE_zinspect"),
        folder.path().display(),
        args.join(" "),
        BRIEF.join(" ")
    );
    let terminal = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .output();
    let Ok(terminal) = terminal else {
        eprintln!("skipped: no script(1), which makes a terminal");
        return;
    };
    let shown = String::from_utf8_lossy(&terminal.stdout);
    assert!(shown.contains("1M: write 1 MiB"), "{shown:?}");
    assert!(shown.contains("zero          [...."), "{shown:?}");
    assert!(shown.trim_end().ends_with("\x1b[K"), "cleared: {shown:?}");
}
