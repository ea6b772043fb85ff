//! The structures and numbers here against the C headers of this machine.

use std::fmt::Write as _;
use std::mem::offset_of;
use std::process::Command;

use super::scsi::{SG_IO, SgIoHdr};
use super::{dm, nvme};
use crate::wire::dm::ioctl::{DmFlags, HEADER_LEN, Header, Request};
use crate::wire::nvme::command::PassthruCommand;

/// Prints what each C expression is worth here. `None` where there is no compiler or header.
fn ask_c(expressions: &[&str]) -> Option<Vec<u64>> {
    let directory = tempfile::tempdir().unwrap();
    let (source, program) = (directory.path().join("ask.c"), directory.path().join("ask"));
    let mut text = String::from(
        "#include <stddef.h>\n#include <stdio.h>\n#include <sys/ioctl.h>\n\
         #include <linux/dm-ioctl.h>\n#include <linux/nvme_ioctl.h>\n#include <scsi/sg.h>\n\
         int main(void) {\n",
    );
    for expression in expressions {
        writeln!(
            text,
            "printf(\"%llu\\n\", (unsigned long long)({expression}));"
        )
        .unwrap();
    }
    text += "return 0; }\n";
    std::fs::write(&source, text).unwrap();
    match Command::new("cc")
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
    {
        Err(error) => {
            println!("skipped: cc: {error}");
            return None;
        }
        Ok(output) if !output.status.success() => {
            println!("skipped: cc: {}", String::from_utf8_lossy(&output.stderr));
            return None;
        }
        Ok(_) => {}
    }
    let output = Command::new(&program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.parse().unwrap()).collect())
}

fn check(pairs: &[(&str, u64)]) {
    let expressions: Vec<&str> = pairs.iter().map(|(expression, _)| *expression).collect();
    let Some(values) = ask_c(&expressions) else {
        return;
    };
    assert_eq!(values.len(), pairs.len());
    for ((expression, here), there) in pairs.iter().zip(values) {
        assert_eq!(*here, there, "{expression}");
    }
}

macro_rules! layout {
    ($c:literal, $rust:ty, $($field:ident)*) => {
        check(&[
            (concat!("sizeof(", $c, ")"), size_of::<$rust>() as u64),
            $((
                concat!("offsetof(", $c, ", ", stringify!($field), ")"),
                offset_of!($rust, $field) as u64,
            ),)*
        ]);
    };
}

#[test]
fn sg_io_hdr_is_laid_out_as_in_the_header() {
    layout!("struct sg_io_hdr", SgIoHdr,
        interface_id dxfer_direction cmd_len mx_sb_len iovec_count dxfer_len dxferp cmdp sbp
        timeout flags pack_id usr_ptr status masked_status msg_status sb_len_wr host_status
        driver_status resid duration info);
}

#[test]
fn dm_ioctl_is_laid_out_as_in_the_header() {
    layout!("struct dm_ioctl", Header,
        version data_size data_start target_count open_count flags event_nr dev);
    check(&[
        ("sizeof(struct dm_ioctl)", u64::from(HEADER_LEN)),
        ("sizeof(struct dm_target_spec)", 40),
        ("offsetof(struct dm_target_spec, next)", 20),
        ("offsetof(struct dm_target_spec, target_type)", 24),
        ("offsetof(struct dm_target_deps, dev)", 8),
        ("offsetof(struct dm_target_versions, version)", 4),
        ("offsetof(struct dm_target_versions, name)", 16),
    ]);
}

#[test]
fn passthru_command_is_laid_out_as_in_the_header() {
    layout!("struct nvme_passthru_cmd", PassthruCommand,
        opcode flags rsvd1 nsid cdw2 cdw3 metadata addr metadata_len data_len cdw10 cdw11 cdw12
        cdw13 cdw14 cdw15 timeout_ms result);
}

#[test]
fn numbers_are_those_of_the_headers() {
    let flag = |flag: DmFlags| u64::from(flag.bits());
    check(&[
        ("SG_IO", u64::from(SG_IO)),
        (
            "NVME_IOCTL_ADMIN_CMD",
            u64::from(nvme::NVME_IOCTL_ADMIN_CMD),
        ),
        ("DM_VERSION", u64::from(dm::number(Request::Version))),
        (
            "DM_LIST_VERSIONS",
            u64::from(dm::number(Request::ListVersions)),
        ),
        ("DM_TABLE_DEPS", u64::from(dm::number(Request::TableDeps))),
        (
            "DM_TABLE_STATUS",
            u64::from(dm::number(Request::TableStatus)),
        ),
        ("DM_READONLY_FLAG", flag(DmFlags::READONLY)),
        ("DM_SUSPEND_FLAG", flag(DmFlags::SUSPEND)),
        ("DM_STATUS_TABLE_FLAG", flag(DmFlags::STATUS_TABLE)),
        ("DM_ACTIVE_PRESENT_FLAG", flag(DmFlags::ACTIVE_PRESENT)),
        ("DM_INACTIVE_PRESENT_FLAG", flag(DmFlags::INACTIVE_PRESENT)),
        ("DM_BUFFER_FULL_FLAG", flag(DmFlags::BUFFER_FULL)),
        ("DM_NOFLUSH_FLAG", flag(DmFlags::NOFLUSH)),
        ("DM_SECURE_DATA_FLAG", flag(DmFlags::SECURE_DATA)),
        ("DM_DEFERRED_REMOVE", flag(DmFlags::DEFERRED_REMOVE)),
        ("DM_INTERNAL_SUSPEND_FLAG", flag(DmFlags::INTERNAL_SUSPEND)),
        ("SG_DXFER_FROM_DEV + 3", 0),
        ("SG_DXFER_NONE + 1", 0),
    ]);
}
