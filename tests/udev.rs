//! `zinspect export udev` as udevd runs it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Output};

const HOST: &str = "tests/hosts/vm-7.3.tar.gz";

fn export(node: impl AsRef<OsStr>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zinspect"))
        .args(["--snapshot", HOST, "export", "udev"])
        .arg(node)
        .output()
        .expect("run zinspect")
}

#[test]
fn properties_are_lines_of_key_and_value() {
    let output = export("/dev/sda");
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "ID_ZINSPECT_ZEROING=software\nID_ZINSPECT_MAX_BYTES=0\nID_ZINSPECT_AGREEMENT=agree\n\
         ID_ZINSPECT_DECIDED_AT=sda\nID_ZINSPECT_RULE=scsi-no-write-same\n"
    );
}

#[test]
fn an_event_of_a_device_that_is_gone_is_not_failed() {
    for node in ["/dev/gone", "", "/dev/a\"b\nc{d}", "/dev/../etc/passwd"] {
        let output = export(node);
        assert!(output.status.success(), "{node:?}");
        assert_eq!(output.stdout, b"", "{node:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn a_name_that_is_no_utf_8_does_not_fail_an_event() {
    let output = export(OsStr::from_bytes(b"/dev/a\xff\x1bb"));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, b"");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "zinspect: /dev/a\\xff\\x1bb: not read: the name is no UTF-8\n"
    );
}
