//! Nodes that more people can open than should.

use super::{Finding, finding};
use crate::facts::origin::Origin;
use crate::model::device::{BlockDevice, Kind};
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

pub(super) fn all(_: &Judge, device: &BlockDevice) -> Vec<Finding> {
    // A partition's node takes no command without CAP_SYS_RAWIO (`scsi_ioctl`, ENOTTY).
    let scsi = device.kind == Kind::Disk && device.driver == Some("sd");
    let own = device
        .node_mode
        .get()
        .and_then(|mode| open_to_others(device, &device.kname.node(), mode, scsi));
    let generic = device
        .sg_node
        .as_ref()
        .and_then(|(node, mode)| open_to_others(device, node, mode.get()?, scsi));
    own.into_iter().chain(generic).collect()
}

fn open_to_others(device: &BlockDevice, node: &str, mode: u32, scsi: bool) -> Option<Finding> {
    let others = mode & 0o7;
    if others == 0 {
        return None;
    }
    let whose = if node == device.kname.node() {
        "its node".to_owned()
    } else {
        format!("its SCSI generic node {node}")
    };
    let (level, what, why) = if others & 0o2 != 0 {
        (
            Level::Error,
            format!("anyone may write to {whose}"),
            "every user and every service can destroy what is on it",
        )
    } else if scsi {
        (
            Level::Error,
            format!("anyone may read {whose}"),
            "whoever may read a SCSI disk's node reads all that is on it, and can send UNMAP through it: the kernel \
             takes opcode 42h for a read",
        )
    } else {
        (
            Level::Warning,
            format!("anyone may read {whose}"),
            "every user and every service can read what is on it, whatever the filesystem's permissions",
        )
    };
    let mut found = finding(device, "node-open-to-others", level, what, why);
    found.evidence.push(Evidence::new(
        Origin::File(node.to_owned()),
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
    Some(found)
}
