//! What is read, and what a device is asked, from a laid-out tree.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::rc::Rc;

use crate::facts::collect::Collector;
use crate::facts::needs::{Needs, Sections};
use crate::facts::reading::Reading;
use crate::facts::scsi::ScsiFacts;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::{DevNo, KName};
use crate::source::command::{Command, CommandError, Commands, Node, Reply};
use crate::source::root::Root;
use crate::source::{Host, Source};

const SCSI: &str = "sys/devices/pci0000:00/0000:00:02.0/virtio1/host2/target2:0:0/2:0:0:0";

/// Remembers what it is asked; VPD 00h lists B0h and B2h, everything else is refused.
struct Device(Rc<RefCell<Vec<String>>>);

impl Commands for Device {
    fn command(&self, node: &Node, command: &Command) -> Result<Reply, CommandError> {
        assert_eq!((node.path.as_str(), node.devno), ("/dev/sda", Some((8, 0))));
        let Command::Scsi(cdb) = command else {
            return Err(CommandError::NotAsked("SCSI alone"));
        };
        let bytes = cdb.bytes();
        self.0.borrow_mut().push(cdb.to_string());
        let reply = |data: &[u8]| {
            let (sense, data) = (Vec::new(), data.to_vec());
            Ok(Reply::Scsi {
                status: 0,
                host_status: 0,
                driver_status: 0,
                sense,
                data,
            })
        };
        match bytes {
            [0x12, 1, 0, ..] => reply(&[0, 0, 0, 3, 0, 0xb0, 0xb2]),
            [0x12, 1, 0xb2, ..] => reply(&[0, 0xb2, 0, 4, 0, 0x40, 2, 0]),
            [0x9e, 0x10, ..] => reply(&[0; 32]),
            // SUPPORT 3, CDB SIZE 16.
            [0xa3, 0x0c, ..] => reply(&[0, 3, 0, 16]),
            _ => Ok(Reply::Scsi {
                status: 2,
                host_status: 0,
                driver_status: 8,
                sense: vec![0x72, 5, 0x24, 0, 0, 0, 0, 0],
                data: Vec::new(),
            }),
        }
    }
}

struct Tree {
    dir: tempfile::TempDir,
    device: BlockDevice,
    asked: Rc<RefCell<Vec<String>>>,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let kname = KName::new("sda").unwrap();
        let mut device =
            BlockDevice::new(kname, format!("{SCSI}/block/sda"), Kind::Disk, Some("sd"));
        device.devno = Reading::Present(DevNo { major: 8, minor: 0 });
        let tree = Self {
            dir,
            device,
            asked: Rc::default(),
        };
        fs::create_dir_all(tree.at(&format!("{SCSI}/block/sda"))).unwrap();
        symlink(
            "../../../2:0:0:0",
            tree.at(&format!("{SCSI}/block/sda/device")),
        )
        .unwrap();
        tree.scsi("scsi_level", b"7\n");
        tree.scsi("vendor", b"QEMU    \n");
        tree.scsi("model", b"QEMU HARDDISK   \n");
        tree.scsi("scsi_disk/2:0:0:0/thin_provisioning", b"1\n");
        tree.scsi("scsi_disk/2:0:0:0/zeroing_mode", b"writesame\n");
        tree.scsi("scsi_disk/2:0:0:0/provisioning_mode", b"unmap\n");
        tree.scsi("scsi_disk/2:0:0:0/max_write_same_blocks", b"65535\n");
        tree.file(&format!("{HOST}/proc_name"), b"virtio_scsi\n");
        tree
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.dir.path().join(path)
    }

    fn file(&self, path: &str, content: &[u8]) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(path, content).unwrap();
    }

    fn scsi(&self, name: &str, content: &[u8]) {
        self.file(&format!("{SCSI}/{name}"), content);
    }

    fn release(&self, release: &str) {
        self.file("proc/sys/kernel/osrelease", release.as_bytes());
    }

    fn collect(&self, needs: Needs) -> ScsiFacts {
        let host = Host {
            files: Box::new(Root::captured(self.dir.path()).unwrap()),
            commands: Box::new(Device(self.asked.clone())),
            source: Source::Sysroot,
        };
        ScsiFacts::collect(&Collector::new(&host, needs), &self.device)
    }

    fn asked(&self) -> Vec<String> {
        self.asked
            .borrow()
            .iter()
            .map(|cdb| cdb[..8.min(cdb.len())].to_owned())
            .collect()
    }
}

const HOST: &str = "sys/devices/pci0000:00/0000:00:02.0/virtio1/host2/scsi_host/host2";
const RC16: &str = "9e 10 00";
const RSOC: &str = "a3 0c 01";
const B0: [u8; 4] = [0, 0xb0, 0, 0];

#[test]
fn files_come_first() {
    let tree = Tree::new();
    tree.release("7.3.4\n");
    tree.scsi("vpd_pg0", &[0, 0, 0, 2, 0, 0xb0]);
    tree.scsi("vpd_pgb0", &B0);
    tree.scsi("inquiry", &[b' '; 36]);
    let facts = tree.collect(Needs::ALL);
    assert_eq!(facts.hctl, Reading::Present("2:0:0:0".into()));
    assert_eq!(facts.vendor, Reading::Present("QEMU".into()));
    assert_eq!(facts.host_driver, Reading::Present("virtio_scsi".into()));
    assert_eq!(facts.thin_provisioning.value(), Some(&true));
    assert_eq!(facts.max_write_same_blocks.value(), Some(&65_535));
    assert_eq!(facts.page(0xb0).unwrap().value().unwrap(), &B0);
    assert!(facts.page(0xb2).unwrap().reading.is_absent());
    let origin = facts.zeroing_mode.origin.to_string();
    assert_eq!(origin, format!("/{SCSI}/scsi_disk/2:0:0:0/zeroing_mode"));
    // READ CAPACITY(16), and four questions about opcodes.
    assert_eq!(tree.asked(), [RC16, RSOC, RSOC, RSOC, RSOC]);
    assert_eq!(facts.opcodes.refused, Some(false));
    assert!(facts.capacity().is_present());
}

#[test]
fn a_verdict_reads_little_and_asks_the_same() {
    let tree = Tree::new();
    tree.release("7.3.4\n");
    let facts = tree.collect(Needs::VERDICT);
    assert_eq!(tree.asked(), [RC16, RSOC, RSOC, RSOC]);
    for reading in [&facts.model, &facts.rev] {
        assert_eq!(reading.status(), Some("not-asked"));
    }
    assert_eq!(
        facts.page(0x83).unwrap().reading.status(),
        Some("not-asked")
    );
    assert_eq!(
        facts.page(0x89).unwrap().reading.status(),
        Some("not-asked")
    );
    assert!(facts.page(0xb0).unwrap().reading.is_absent());
    let named = tree.collect(Needs::VERDICT.with(Sections::IDENTITY));
    assert_eq!(named.model, Reading::Present("QEMU HARDDISK".into()));
}

#[test]
fn a_kernel_without_the_files_leaves_the_pages_to_the_device() {
    let tree = Tree::new();
    tree.release("5.10.0-30-amd64\n");
    let facts = tree.collect(Needs::VERDICT);
    let pages = ["12 01 00", "12 01 b0", "12 01 b2"];
    assert_eq!(tree.asked()[..3], pages);
    assert_eq!(facts.page(0xb2).unwrap().value().unwrap()[5], 0x40);
    let refused = facts.page(0xb0).unwrap().reading.detail().unwrap();
    assert!(refused.contains("ILLEGAL REQUEST"), "{refused}");
    // Pages that 00h does not list are not asked for.
    assert!(
        tree.collect(Needs::ALL)
            .page(0x83)
            .unwrap()
            .reading
            .is_absent()
    );
}

#[test]
fn a_device_that_sd_leaves_alone_is_left_alone() {
    let tree = Tree::new();
    tree.scsi("scsi_level", b"3\n");
    tree.scsi("scsi_disk/2:0:0:0/thin_provisioning", b"0\n");
    tree.scsi("inquiry", &[b' '; 36]);
    let facts = tree.collect(Needs::ALL);
    assert_eq!(tree.asked(), [""; 0]);
    assert_eq!(facts.rc16.reading.status(), Some("not-asked"));
    assert_eq!(
        facts.opcodes.write_same_16.reading.status(),
        Some("not-asked")
    );
    assert_eq!(
        facts.page(0xb0).unwrap().reading.status(),
        Some("not-asked")
    );

    let usb = Tree::new();
    usb.scsi("scsi_disk/2:0:0:0/thin_provisioning", b"0\n");
    usb.file(&format!("{HOST}/proc_name"), b"usb-storage\n");
    usb.collect(Needs::VERDICT);
    assert_eq!(usb.asked(), [""; 0]);
}

#[test]
fn a_host_without_a_name_has_its_bus_drivers() {
    let tree = Tree::new();
    tree.file(&format!("{HOST}/proc_name"), b"(null)\n");
    let above = "sys/devices/pci0000:00/0000:00:02.0";
    symlink(
        "../../../bus/pci/drivers/arcmsr",
        tree.at(&format!("{above}/driver")),
    )
    .unwrap();
    assert_eq!(
        tree.collect(Needs::VERDICT).host_driver,
        Reading::Present("arcmsr".into())
    );
}

#[test]
fn an_optical_drive_is_not_asked_and_has_no_scsi_disk() {
    let mut tree = Tree::new();
    tree.device.driver = Some("sr");
    fs::remove_dir_all(tree.at(&format!("{SCSI}/scsi_disk"))).unwrap();
    let facts = tree.collect(Needs::ALL);
    assert_eq!(tree.asked(), [""; 0]);
    assert!(facts.zeroing_mode.reading.is_absent());
    assert_eq!(facts.rc16.reading.status(), Some("not-asked"));
}

#[test]
fn bad_files_are_findings() {
    let tree = Tree::new();
    tree.release("7.3.4\n");
    tree.scsi("vpd_pgb0", &[0, 0xb2, 0, 0]);
    tree.scsi("vpd_pgb2", &[]);
    tree.scsi("scsi_disk/2:0:0:0/max_write_same_blocks", b"many\n");
    tree.scsi("scsi_disk/2:0:0:0/thin_provisioning", b"2\n");
    let facts = tree.collect(Needs::VERDICT);
    assert_eq!(
        facts.page(0xb0).unwrap().reading.status(),
        Some("malformed")
    );
    assert_eq!(
        facts.page(0xb2).unwrap().reading.status(),
        Some("malformed")
    );
    assert_eq!(
        facts.max_write_same_blocks.reading.status(),
        Some("malformed")
    );
    assert_eq!(facts.thin_provisioning.reading.status(), Some("malformed"));
}

#[test]
fn without_a_number_nothing_is_asked() {
    let mut tree = Tree::new();
    tree.device.devno = Reading::Absent;
    let facts = tree.collect(Needs::ALL);
    assert_eq!(tree.asked(), [""; 0]);
    assert_eq!(facts.rc16.reading.status(), Some("not-asked"));
    assert_eq!(facts.opcodes.unmap.reading.status(), Some("not-asked"));
}
