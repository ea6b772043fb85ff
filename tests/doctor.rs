//! `zinspect doctor` on captured SCSI disks: which rule for udev it prints, and on which proof.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const SCSI: &str = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/host0/target0:0:0/0:0:0:0";
const WWID: &str = "naa.5000c500a1b2c3d4";

fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("parent")).expect("folders");
    fs::write(path, content).expect("file");
}

fn page(code: u8, body: &[u8]) -> Vec<u8> {
    let length = u8::try_from(body.len()).expect("a short page");
    [&[0, code, 0, length], body].concat()
}

/// A disk with what sd has of it, and these VPD pages.
fn disk(vendor: &str, settings: &[(&str, &str)], pages: &[(u8, Vec<u8>)]) -> TempDir {
    let dir = TempDir::new().expect("temporary folder");
    let root = dir.path();
    let codes: Vec<u8> = [0]
        .into_iter()
        .chain(pages.iter().map(|(code, _)| *code))
        .collect();
    write(root, &format!("{SCSI}/vpd_pg0"), page(0, &codes));
    for (code, bytes) in pages {
        write(root, &format!("{SCSI}/vpd_pg{code:x}"), bytes);
    }
    for (file, value) in [
        ("vendor", vendor),
        ("model", "Disk [old] \"x\" "),
        ("rev", "0100"),
        ("type", "0"),
        ("scsi_level", "7"),
        ("wwid", WWID),
    ] {
        write(root, &format!("{SCSI}/{file}"), format!("{value}\n"));
    }
    for (file, value) in settings {
        write(
            root,
            &format!("{SCSI}/scsi_disk/0:0:0:0/{file}"),
            format!("{value}\n"),
        );
    }
    let block = format!("{SCSI}/block/sdx");
    for (file, value) in [("dev", "8:0"), ("size", "2097152"), ("ro", "0")] {
        write(root, &format!("{block}/{file}"), format!("{value}\n"));
    }
    for (file, value) in [
        ("write_zeroes_max_bytes", "33553920"),
        ("write_zeroes_unmap_max_hw_bytes", "0"),
        ("write_zeroes_unmap_max_bytes", "0"),
        ("logical_block_size", "512"),
        ("physical_block_size", "512"),
    ] {
        write(root, &format!("{block}/queue/{file}"), format!("{value}\n"));
    }
    symlink("../../../0:0:0:0", root.join(format!("{block}/device"))).expect("link");
    fs::create_dir_all(root.join("sys/bus/scsi/drivers/sd")).expect("driver");
    let up = "../".repeat(SCSI.matches('/').count());
    let driver = format!("{up}bus/scsi/drivers/sd");
    symlink(driver, root.join(format!("{SCSI}/driver"))).expect("link");
    fs::create_dir_all(root.join("sys/class/block")).expect("class");
    let place = format!("../../{}", block.trim_start_matches("sys/"));
    symlink(place, root.join("sys/class/block/sdx")).expect("link");
    write(root, "proc/sys/kernel/osrelease", "7.3.4\n");
    dir
}

/// LBPU and LBPWS in page B2h behind LBPME 0.
fn bridge() -> TempDir {
    let settings = [
        ("thin_provisioning", "0"),
        ("zeroing_mode", "writesame"),
        ("provisioning_mode", "full"),
        ("max_write_same_blocks", "65535"),
    ];
    let pages = [(0xb2, page(0xb2, &[0, 0b1100_0000, 0, 0]))];
    disk("ACME", &settings, &pages)
}

fn doctor(root: &TempDir, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .arg("--sysroot")
        .arg(root.path())
        .args(["doctor", "-o", "json"])
        .args(more)
        .output()
        .expect("run zinspect")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn finding(output: &Output, lint: &str) -> serde_json::Value {
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(output)));
    let all = report["findings"].as_array().expect("a list");
    let found = all.iter().find(|finding| finding["lint"] == lint);
    found
        .unwrap_or_else(|| panic!("no {lint} in {report:#}"))
        .clone()
}

/// Results as `zinspect probe -o json` prints them.
fn result(folder: &TempDir, identity: &str, results: &[(&str, &str)]) -> String {
    let results: Vec<serde_json::Value> = results
        .iter()
        .map(|(method, outcome)| serde_json::json!({"method": method, "outcome": outcome}))
        .collect();
    let identity = (!identity.is_empty()).then_some(identity);
    let report = serde_json::json!({"identity": identity, "results": results});
    let path = folder.path().join("result.json");
    fs::write(&path, report.to_string()).expect("file");
    path.to_str().expect("a path").to_owned()
}

#[test]
fn a_reader_that_went_away_takes_no_finding_along() {
    let root = bridge();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .arg("--sysroot")
        .arg(root.path())
        .args(["doctor", "--fail-on", "warning"])
        .stdout(writer)
        .status()
        .expect("run zinspect");
    assert_eq!(status.code(), Some(1));
}

const BRIDGE: &str = "scsi-lbpu-without-lbpme";

#[test]
fn a_bridge_gets_a_rule_only_after_a_probe_that_saw_it_unmap() {
    let root = bridge();
    let before = finding(&doctor(&root, &["sdx"]), BRIDGE);
    assert_eq!(before["udev_rule"], serde_json::Value::Null);
    let advice = before["advice"].as_str().expect("advice");
    assert!(
        advice.contains("zinspect probe --destroy -o json /dev/sdx > result.json"),
        "{advice}"
    );
    let unmapped = [
        ("pwrite", "zeroed-written"),
        ("scsi-write-same-16-unmap", "zeroed-unmapped"),
    ];
    let file = result(&root, WWID, &unmapped);
    let after = doctor(&root, &["sdx", "--probe-result", &file]);
    assert_eq!(after.status.code(), Some(0));
    let rule = &finding(&after, BRIDGE)["udev_rule"];
    assert_eq!(
        rule["line"],
        "ACTION==\"add|change\", SUBSYSTEM==\"scsi_disk\", ATTRS{vendor}==\"ACME\", \
         ATTRS{model}==\"Disk ?old? ?x?\", ATTR{provisioning_mode}=\"writesame_16\", \
         ATTR{zeroing_mode}=\"writesame_16_unmap\""
    );
    assert_eq!(rule["proof"][0]["origin"], file);
    assert_eq!(
        rule["proof"][0]["value"],
        "scsi-write-same-16-unmap zeroed-unmapped"
    );
}

#[test]
fn a_probe_that_saw_no_unmapping_or_harm_gives_no_rule() {
    let root = bridge();
    let with = |results: &[(&str, &str)]| {
        let file = result(&root, WWID, results);
        let output = doctor(&root, &["sdx", "--probe-result", &file]);
        (output.status.code(), finding(&output, BRIDGE))
    };
    for outcome in [
        "zeroed-unmap-unknown",
        "zeroed-written",
        "rejected",
        "not-zeroed",
    ] {
        let (code, found) = with(&[("scsi-write-same-16-unmap", outcome)]);
        assert_eq!(code, Some(0), "{outcome}");
        assert_eq!(found["udev_rule"], serde_json::Value::Null, "{outcome}");
        let advice = found["advice"].as_str().expect("advice");
        assert!(advice.contains("leave unmapping off"), "{advice}");
    }
    let (code, found) = with(&[
        ("scsi-write-same-16-unmap", "zeroed-unmapped"),
        ("blkdiscard", "collateral-damage"),
    ]);
    assert_eq!((code, &found["level"]), (Some(1), &"error".into()));
    assert_eq!(found["udev_rule"], serde_json::Value::Null);
    // A discard went out in a mode that nothing here knows.
    let (_, found) = with(&[("blkdiscard", "zeroed-unmapped")]);
    assert_eq!(found["udev_rule"], serde_json::Value::Null);
}

#[test]
fn a_result_of_something_else_proves_nothing() {
    let root = bridge();
    let unmapped = [("scsi-write-same-16-unmap", "zeroed-unmapped")];
    let refused = |identity: &str, says: &str| {
        let file = result(&root, identity, &unmapped);
        let output = doctor(&root, &["sdx", "--probe-result", &file]);
        assert_eq!(output.status.code(), Some(2), "{identity}");
        assert!(errors(&output).contains(says), "{}", errors(&output));
        assert!(output.stdout.is_empty());
    };
    refused("naa.5000c500ffffffff", "no device looked at is that one");
    refused(&format!("{WWID}9"), "no device looked at is that one");
    refused("", "is of a scratch file");
    let missing = doctor(&root, &["--probe-result", "/nonexistent/x"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(errors(&missing).contains("--probe-result /nonexistent/x"));
    // A partition's result is one of its disk's commands.
    let file = result(&root, &format!("{WWID}-part1"), &unmapped);
    let output = doctor(&root, &["sdx", "--probe-result", &file]);
    assert!(finding(&output, BRIDGE)["udev_rule"].is_object());
}

#[test]
fn a_limit_that_sd_ignores_is_proven_by_its_page() {
    let settings = [
        ("thin_provisioning", "0"),
        ("zeroing_mode", "writesame"),
        ("provisioning_mode", "full"),
        ("max_write_same_blocks", "65535"),
    ];
    // As LIO answers: 44 bytes, MAXIMUM WRITE SAME LENGTH 4096.
    let mut body = [0; 40];
    body[38] = 0x10;
    let root = disk("LIO-ORG", &settings, &[(0xb0, page(0xb0, &body))]);
    let found = finding(&doctor(&root, &["sdx"]), "scsi-write-same-limit-ignored");
    let line = found["udev_rule"]["line"].as_str().expect("a rule");
    assert!(line.contains("ATTRS{vendor}==\"LIO-ORG\""), "{line}");
    assert!(
        line.ends_with("ATTR{max_write_same_blocks}=\"4096\""),
        "{line}"
    );
    let proof = found["udev_rule"]["proof"].as_array().expect("a list");
    assert!(proof.iter().any(|one| one["value"] == "4096"), "{proof:?}");
}
