//! On this machine: commands that read, and nodes that must be refused. Nothing is written.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{FileType, Mode, makedev, mknodat};

use super::*;
use crate::source::command::{DM_CONTROL, NodeKind};
use crate::wire::nvme::command::Identify;
use crate::wire::scsi::cdb::ReadCdb;

fn identify() -> Command {
    Command::NvmeIdentify(Identify {
        cns: 1,
        nsid: 0,
        csi: 0,
    })
}

fn wrong(node: &Node) -> String {
    match LiveCommands.command(node, &identify()) {
        Err(CommandError::WrongNode { why, .. }) => why,
        other => panic!("{node:?}: {other:?}"),
    }
}

#[test]
fn a_node_of_another_number_or_kind_is_refused() {
    assert_eq!(
        wrong(&Node::char("/dev/null", (240, 0))),
        "its number is 1:3, not 240:0"
    );
    assert_eq!(
        wrong(&Node::block("/dev/null", (1, 3))),
        "it is a character device, not a block device"
    );
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let node = |path: &std::path::Path| Node::block(path.to_str().unwrap(), (8, 0));
    assert_eq!(wrong(&node(&file)), "it is not a block device");
    assert_eq!(wrong(&node(directory.path())), "it is not a block device");
}

#[test]
fn a_node_that_is_not_there_is_an_open_error() {
    let answer = LiveCommands.command(&Node::char("/dev/nvme-none", (240, 0)), &identify());
    let path = "/dev/nvme-none".to_owned();
    assert_eq!(
        answer,
        Err(CommandError::Open {
            errno: Errno::NOENT,
            path
        })
    );
}

#[test]
fn a_driver_that_does_not_know_the_request_says_so() {
    let path = "/dev/null".to_owned();
    let node = Node::char("/dev/null", (1, 3));
    let request = "NVME_IOCTL_ADMIN_CMD";
    let refused = Err(CommandError::Ioctl {
        errno: Errno::NOTTY,
        path,
        request,
    });
    assert_eq!(LiveCommands.command(&node, &identify()), refused);
    let answer = LiveCommands.command(&node, &Command::Scsi(ReadCdb::inquiry(36)));
    assert!(
        matches!(
            answer,
            Err(CommandError::Ioctl {
                request: "SG_IO",
                ..
            })
        ),
        "{answer:?}"
    );
    let answer = LiveCommands.command(&node, &Command::DmVersion);
    assert!(
        matches!(
            answer,
            Err(CommandError::Ioctl {
                request: "DM_VERSION",
                ..
            })
        ),
        "{answer:?}"
    );
}

#[test]
fn a_virtio_disk_knows_no_scsi_commands() {
    let path = "/dev/vda";
    let Ok(metadata) = fs::metadata(path) else {
        println!("skipped: there is no {path} here");
        return;
    };
    if fs::File::open(path).is_err() {
        println!("skipped: {path} can't be opened by this user");
        return;
    }
    let number = metadata.rdev();
    let node = Node::block(path, (rustix::fs::major(number), rustix::fs::minor(number)));
    let answer = LiveCommands.command(&node, &Command::Scsi(ReadCdb::inquiry(36)));
    let path = path.to_owned();
    let request = "SG_IO";
    assert_eq!(
        answer,
        Err(CommandError::Ioctl {
            errno: Errno::NOTTY,
            path,
            request
        })
    );
}

#[test]
fn a_machine_without_device_mapper_says_so() {
    match LiveCommands.command(&Node::dm_control(), &Command::DmVersion) {
        Ok(Reply::DmVersion([4, ..])) => println!("skipped: there is a device-mapper driver here"),
        Err(error) if error.denied() => println!("skipped: only root may ask"),
        Err(error) => assert!(error.no_device_mapper(), "{error}"),
        Ok(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_control_node_without_a_driver_is_an_open_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("control");
    // Minor 255 is MISC_DYNAMIC_MINOR: no driver ever has it.
    let made = mknodat(
        rustix::fs::CWD,
        &path,
        FileType::CharacterDevice,
        Mode::RUSR,
        makedev(10, 255),
    );
    if let Err(errno) = made {
        println!("skipped: mknod: {errno}");
        return;
    }
    let path = path.to_str().unwrap().to_owned();
    let node = Node {
        path: path.clone(),
        devno: None,
        kind: NodeKind::Char,
    };
    match LiveCommands.command(&node, &Command::DmVersion) {
        Err(CommandError::Open {
            errno: Errno::ACCESS,
            ..
        }) => {
            println!("skipped: device nodes don't work in the temporary directory");
        }
        answer => assert_eq!(
            answer,
            Err(CommandError::Open {
                errno: Errno::NODEV,
                path
            })
        ),
    }
    assert!(
        CommandError::Open {
            errno: Errno::NODEV,
            path: DM_CONTROL.to_owned()
        }
        .no_device_mapper()
    );
}
