//! Recorded hosts of others, where they lie beside the project: what lsblk prints for them, zinspect must say too.
//!
//! The recordings are not part of the project. Where they are absent the tests say so and end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A recorded root, unpacked; `None`, with the reason printed, where it is not there.
fn unpacked(name: &str) -> Option<(TempDir, PathBuf)> {
    let archive = hosts().join(format!("{name}.tar.xz"));
    if !archive.exists() {
        eprintln!(
            "skipped: the recorded host {} is not there",
            archive.display()
        );
        return None;
    }
    let dir = TempDir::new().expect("temporary folder");
    let status = Command::new("tar")
        .arg("xJf")
        .arg(&archive)
        .arg("-C")
        .arg(dir.path())
        .status();
    if !status.is_ok_and(|status| status.success()) {
        eprintln!("skipped: tar with xz cannot unpack {}", archive.display());
        return None;
    }
    let root = dir.path().join(name);
    Some((dir, root))
}

fn hosts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/hosts/util-linux")
}

/// The rows of a table by their first words after the tree's branches, as columns by heading.
fn lsblk(file: &str) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(hosts().join(file)).expect("lsblk's output");
    let mut lines = text.lines();
    let headings: Vec<&str> = lines.next().expect("headings").split_whitespace().collect();
    let row = |line: &str| {
        let words = line
            .trim_start_matches(['|', '`', '-', ' '])
            .split_whitespace();
        headings
            .iter()
            .zip(words)
            .map(|(heading, word)| ((*heading).to_owned(), word.to_owned()))
            .collect()
    };
    lines.map(row).collect()
}

/// The devices of a root by kernel name.
fn report(root: &Path) -> BTreeMap<String, serde_json::Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(["--all", "-o", "json", "--sysroot"])
        .arg(root)
        .output()
        .expect("run zinspect");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let devices = document["devices"].as_array().expect("devices").clone();
    devices
        .into_iter()
        .map(|device| (device["kname"].as_str().expect("kname").to_owned(), device))
        .collect()
}

#[test]
fn names_and_numbers_are_those_that_lsblk_prints() {
    for name in ["simple-lvm", "simple-nvme"] {
        let Some((_dir, root)) = unpacked(name) else {
            return;
        };
        let devices = report(&root);
        let rows = lsblk(&format!("lsblk-{name}-basic"));
        assert!(rows.len() > 5, "{name}");
        for row in rows {
            let device = devices
                .get(&row["KNAME"])
                .unwrap_or_else(|| panic!("{name}: {row:?}"));
            assert_eq!(device["devno"], row["MAJ:MIN"], "{name}: {row:?}");
            let removable = match row["TYPE"].as_str() {
                // A partition has no such file; lsblk shows its disk's.
                "part" => serde_json::Value::Null,
                _ => (row["RM"] == "1").into(),
            };
            assert_eq!(device["removable"], removable, "{name}: {row:?}");
            let kind = match row["TYPE"].as_str() {
                "part" => "partition",
                "lvm" => "dm",
                other => other,
            };
            assert_eq!(device["kind"], kind, "{name}: {row:?}");
        }
    }
}

#[test]
fn block_sizes_are_those_that_lsblk_prints_a_partition_with_its_disks() {
    for name in ["simple-lvm", "simple-nvme"] {
        let Some((_dir, root)) = unpacked(name) else {
            return;
        };
        let devices = report(&root);
        let mut compared = 0;
        for row in lsblk(&format!("lsblk-{name}-topo")) {
            // In this table a dm device has its mapper name.
            let mapped = |device: &&serde_json::Value| device["dm"]["name"] == row["NAME"];
            let device = devices
                .get(&row["NAME"])
                .or_else(|| devices.values().find(mapped));
            let device = device.unwrap_or_else(|| panic!("{name}: {row:?}"));
            for (heading, attribute) in [
                ("LOG-SEC", "logical_block_size"),
                ("PHY-SEC", "physical_block_size"),
                ("MIN-IO", "minimum_io_size"),
                ("OPT-IO", "optimal_io_size"),
                ("RQ-SIZE", "nr_requests"),
            ] {
                let wanted: u64 = row[heading].parse().expect("number");
                assert_eq!(
                    device["queue"][attribute], wanted,
                    "{name}: {heading} of {row:?}"
                );
                compared += 1;
            }
        }
        assert!(compared > 30, "{name}: {compared}");
    }
}
