//! Nodes that more people can open than should.

use super::{Finding, finding};
use crate::facts::origin::Origin;
use crate::model::device::{BlockDevice, Kind};
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

pub(super) fn all(_: &Judge, device: &BlockDevice) -> Vec<Finding> {
    let Some(mode) = device.node_mode.get() else {
        return Vec::new();
    };
    let others = mode & 0o7;
    if others == 0 {
        return Vec::new();
    }
    // A partition's node takes no command without CAP_SYS_RAWIO (`scsi_ioctl`, ENOTTY).
    let scsi = device.kind == Kind::Disk && device.driver == Some("sd");
    let (level, what, why) = if others & 0o2 != 0 {
        (
            Level::Error,
            "anyone may write to its node",
            "every user and every service can destroy what is on it",
        )
    } else if scsi {
        (
            Level::Error,
            "anyone may read its node",
            "whoever may read a SCSI disk's node reads all that is on it, and can send UNMAP through it: the kernel \
             takes opcode 42h for a read",
        )
    } else {
        (
            Level::Warning,
            "anyone may read its node",
            "every user and every service can read what is on it, whatever the filesystem's permissions",
        )
    };
    let mut found = finding(device, "node-open-to-others", level, what, why);
    let node = device.kname.node();
    found.evidence.push(Evidence::new(
        Origin::File(node.clone()),
        format!("mode {mode:04o}"),
    ));
    if scsi {
        found.evidence.push(Evidence::rule(
            "scsi_cmd_allowed (drivers/scsi/scsi_ioctl.c, 6.1 to 7.3)",
            "GPCMD_READ_SUBCHANNEL, 42h, is on the list for readers",
        ));
    }
    found.advice = Some(format!(
        "chmod o-rwx {node}, and look for the udev rule that set it"
    ));
    vec![found]
}
