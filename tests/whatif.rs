//! `zinspect whatif` and `zinspect doctor` on a small captured root.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// UINT_MAX sectors, as zram has it.
const UNLIMITED: u64 = 2_199_023_255_040;

fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("parent")).expect("folders");
    fs::write(path, content).expect("file");
}

/// Two zram disks with a zeroes command, and a null_blk disk without one.
fn root(release: &str) -> TempDir {
    let dir = TempDir::new().expect("temporary folder");
    for (name, devno, block, wz) in [
        ("zram0", "252:0", "4096", UNLIMITED),
        ("zram1", "252:1", "4096", UNLIMITED),
        ("nullb0", "250:0", "512", 0),
    ] {
        let disk = format!("sys/devices/virtual/block/{name}");
        for (file, value) in [("dev", devno), ("size", "81920"), ("ro", "0")] {
            write(dir.path(), &format!("{disk}/{file}"), &format!("{value}\n"));
        }
        let wz = wz.to_string();
        for (file, value) in [
            ("write_zeroes_max_bytes", wz.as_str()),
            ("write_zeroes_unmap_max_hw_bytes", "0"),
            ("write_zeroes_unmap_max_bytes", "0"),
            ("logical_block_size", block),
            ("physical_block_size", block),
            ("optimal_io_size", "4293918720"),
        ] {
            write(
                dir.path(),
                &format!("{disk}/queue/{file}"),
                &format!("{value}\n"),
            );
        }
        fs::create_dir_all(dir.path().join("sys/class/block")).expect("class");
        symlink(
            format!("../../devices/virtual/block/{name}"),
            dir.path().join(format!("sys/class/block/{name}")),
        )
        .expect("link");
    }
    write(dir.path(), "proc/sys/kernel/osrelease", release);
    dir
}

fn zinspect(root: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .arg("--sysroot")
        .arg(root.path())
        .args(arguments)
        .output()
        .expect("run zinspect")
}

fn json(output: &Output) -> serde_json::Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

fn limit(root: &TempDir, arguments: &[&str]) -> (u64, String) {
    let words: Vec<&str> = ["whatif", "-o", "json"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    let output = zinspect(root, &words);
    let report = json(&output);
    assert_eq!(report["source"], "what-if");
    let top = &report["devices"][0];
    assert_eq!(top["agreement"], "kernel-silent");
    let number = top["predicted"]["write_zeroes_max_bytes"].as_u64();
    let rule = top["verdict"]["reasons"][0]["rule"].as_str();
    (number.expect("a number"), rule.expect("a rule").to_owned())
}

#[test]
fn a_stack_that_does_not_exist_has_a_verdict_with_its_reason() {
    let root = root("7.3.4\n");
    let is = |arguments: &[&str], wz: u64, rule: &str| {
        assert_eq!(
            limit(&root, arguments),
            (wz, rule.to_owned()),
            "{arguments:?}"
        );
    };
    is(&["--dm", "0 8192 linear /dev/zram0 0"], UNLIMITED, "dm-min");
    is(&["--dm", "0 8192 linear 252:0 0"], UNLIMITED, "dm-min");
    is(
        &["--dm", "0 8192 linear /dev/zram0 0; 8192 8 zero"],
        0,
        "dm-target-unsupported",
    );
    is(
        &[
            "--dm",
            "0 8192 linear /dev/zram0 0",
            "--dm",
            "8192 8 linear /dev/nullb0 0",
        ],
        0,
        "dm-min",
    );
    is(
        &["--md", "raid0,chunk=64k,/dev/zram0,zram1"],
        65536,
        "md-raid0-min",
    );
    is(&["--md", "raid1,/dev/zram0,/dev/nullb0"], 0, "md-level");
    // By name, in whatever order.
    is(
        &[
            "--dm",
            "top=0 8 linear /dev/fast 0",
            "--md",
            "fast=raid0,chunk=4k,/dev/mapper/leg,/dev/zram0",
            "--dm",
            "leg=0 8 linear /dev/zram0 0",
        ],
        4096,
        "dm-min",
    );
}

fn refused(root: &TempDir, arguments: &[&str]) -> String {
    let words: Vec<&str> = ["whatif"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    let output = zinspect(root, &words);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_cannot_be_built_is_refused_with_a_reason() {
    let root = root("7.3.4\n");
    let refused = |arguments: &[&str]| refused(&root, arguments);
    let circle = refused(&[
        "--dm",
        "a=0 8 linear /dev/b 0",
        "--dm",
        "b=0 8 linear /dev/a 0",
    ]);
    assert!(circle.contains("would stand on itself"), "{circle}");
    let missing = refused(&["--dm", "0 8 linear /dev/nosuch 0"]);
    assert!(missing.contains("nosuch"), "{missing}");
    assert!(refused(&["--dm", "zram0=0 8 zero"]).contains("there is a device of this name"));
    assert!(refused(&["--nvme-paths", "zram0"]).contains("no NVMe namespace"));
    assert!(refused(&[]).contains("nothing to build"));
}

#[test]
fn what_no_kernel_would_load_is_refused_with_a_reason() {
    let root = root("7.3.4\n");
    let refused = |arguments: &[&str]| refused(&root, arguments);
    // Of 81920 sectors.
    let long = refused(&["--dm", "0 81921 linear /dev/zram0 0"]);
    assert!(
        long.contains("table line 1 reaches to sector 81921 of zram0, which has 81920"),
        "{long}"
    );
    let far = refused(&["--dm", "0 8 linear /dev/zram0 18446744073709551615"]);
    assert!(far.contains("of zram0, which has 81920"), "{far}");
    let upper = refused(&[
        "--dm",
        "a=0 8 linear /dev/zram0 0",
        "--dm",
        "b=0 16 linear /dev/mapper/a 0",
    ]);
    assert!(
        upper.contains("reaches to sector 16 of a, which has 8"),
        "{upper}"
    );
    let overflow = refused(&[
        "--dm",
        "0 9223372036854775808 zero; 9223372036854775808 9223372036854775808 zero",
    ]);
    assert!(overflow.contains("past the last byte"), "{overflow}");
    let three = refused(&[
        "--md",
        "x=raid0,/dev/y,/dev/zram0",
        "--md",
        "y=raid0,/dev/z,/dev/zram0",
        "--dm",
        "z=0 8 linear /dev/x 0",
    ]);
    assert!(
        three.contains("x on y on z on x: would stand on itself"),
        "{three}"
    );
    assert!(refused(&["--md", "raid0,chunk=0,/dev/zram0"]).contains("a chunk of 0 bytes"));
    let several = refused(&["--dm", "0 8 linear /dev/zram0 0", "--dm", "16 8 zero"]);
    assert!(several.contains("begins at sector 16"), "{several}");
    let number = refused(&["--dm", "0 8 linear 999:999 0"]);
    assert!(
        number.contains("no block device has the number 999:999"),
        "{number}"
    );
    for text in [
        "0 8 linear /dev/\u{1b}[31m 0",
        "\u{1b}[31m=0 8 linear /dev/x 0",
    ] {
        assert!(!refused(&["--dm", text]).contains('\u{1b}'), "{text:?}");
    }
}

#[test]
fn what_a_name_or_a_block_stands_against_is_refused() {
    let root = root("7.3.4\n");
    let mapped = "sys/devices/virtual/block/dm-0";
    for (file, value) in [("dev", "253:0"), ("size", "8"), ("dm/name", "vg-root")] {
        write(
            root.path(),
            &format!("{mapped}/{file}"),
            &format!("{value}\n"),
        );
    }
    symlink(
        "../../devices/virtual/block/dm-0",
        root.path().join("sys/class/block/dm-0"),
    )
    .expect("link");
    let refused = |arguments: &[&str]| refused(&root, arguments);
    // A name that device-mapper has given already.
    let taken = refused(&["--dm", "vg-root=0 8 linear /dev/zram0 0"]);
    assert!(
        taken.contains("vg-root: there is a device of this name"),
        "{taken}"
    );
    // One device for two members, whatever it is called.
    for members in ["/dev/zram0,/dev/zram0", "zram0,/dev/zram0", "252:0,zram0"] {
        let twice = refused(&["--md", &format!("raid0,{members}")]);
        assert!(
            twice.contains("zram0 stands in it twice"),
            "{members}: {twice}"
        );
    }
    // Blocks of 4 KiB, in sectors of 512 bytes.
    let start = refused(&["--dm", "0 8 linear /dev/zram0 4"]);
    assert!(
        start.contains("takes 8 sectors from sector 4 of zram0, whose blocks are of 4096 bytes"),
        "{start}"
    );
    let length = refused(&["--dm", "0 12 linear /dev/zram0 0"]);
    assert!(
        length.contains("takes 12 sectors from sector 0"),
        "{length}"
    );
    // A path has all the sectors of the whole.
    let path = "multipath 0 0 1 1 round-robin 0 1 0 /dev/zram0";
    let long = refused(&["--dm", &format!("0 81928 {path}")]);
    assert!(long.contains("reaches to sector 81928 of zram0"), "{long}");
}

#[test]
fn a_vendors_kernel_is_judged_by_its_files_and_not_by_its_number() {
    // The number is one that knows no unmap limits, and the files are there: they count.
    let vendor = root("5.14.0-503.el9.x86_64\n");
    let (wz, rule) = limit(&vendor, &["--dm", "0 8192 linear /dev/zram0 0"]);
    assert_eq!((wz, rule.as_str()), (UNLIMITED, "dm-min"));
    let found = |root: &TempDir| {
        let report = json(&zinspect(root, &["doctor", "-o", "json"]));
        let all = report["findings"].as_array().expect("a list").clone();
        let old = all
            .into_iter()
            .find(|finding| finding["lint"] == "kernel-no-unmap-limits");
        old.map(|finding| finding["what"].as_str().expect("text").to_owned())
    };
    assert_eq!(found(&vendor), None);
    for name in ["zram0", "zram1", "nullb0"] {
        for file in [
            "write_zeroes_unmap_max_hw_bytes",
            "write_zeroes_unmap_max_bytes",
        ] {
            let path = format!("sys/devices/virtual/block/{name}/queue/{file}");
            fs::remove_file(vendor.path().join(path)).expect("file");
        }
    }
    let what = found(&vendor).expect("a finding");
    assert!(
        what.contains("other backports are not known here"),
        "{what}"
    );
    // Debian's own old kernel carries nothing, and no such words.
    write(
        vendor.path(),
        "proc/sys/kernel/osrelease",
        "6.12.117+deb13-amd64\n",
    );
    let what = found(&vendor).expect("a finding");
    assert!(!what.contains("backports"), "{what}");
}

#[test]
fn doctor_tells_and_its_exit_status_follows_the_level() {
    let old = root("7.0.13\n");
    let output = zinspect(&old, &["doctor", "-o", "json"]);
    assert_eq!(output.status.code(), Some(1), "an error on 7.0");
    let report = json(&output);
    assert_eq!(report["schema_version"], 1);
    let first = &report["findings"][0];
    assert_eq!(first["lint"], "kernel-uring-discard-range");
    for field in ["level", "at", "what", "why", "evidence", "advice"] {
        assert!(!first[field].is_null(), "{field}");
    }
    let newest = root("7.3.4\n");
    let code = |arguments: &[&str]| zinspect(&newest, arguments).status.code();
    assert_eq!(code(&["doctor"]), Some(0), "warnings alone");
    assert_eq!(code(&["doctor", "--fail-on", "warning"]), Some(1));
    assert_eq!(code(&["doctor", "nosuch"]), Some(32));
    assert_eq!(code(&["doctor", "nullb0", "nosuch"]), Some(64));
}
