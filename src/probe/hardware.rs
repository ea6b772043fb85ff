//! What the device's own protocol says, as far as a probe rests on it.

use super::known_bad::{self, Match};
use super::target::{Leg, Nvme, Scsi, Thin};
use crate::facts::collect::Collector;
use crate::facts::kernel::Kernel;
use crate::facts::nvme::Controller;
use crate::model::device::{BlockDevice, Kind};
use crate::model::ids::KName;
use crate::model::topology::Topology;
use crate::source::command::{Command, Node, Reply};
use crate::source::files::parent;
use crate::verdict::quirks::{self, Quirks};
use crate::wire::dm::table::{DeviceId, Role};
use crate::wire::nvme::identify::Oncs;
use crate::wire::scsi::cdb::ReadCdb;
use crate::wire::scsi::opcodes::{OneCommand, Support};
use crate::wire::scsi::vpd::{BlockLimits, LogicalBlockProvisioning};

/// Namespace id, and what the controller says of Write Zeroes.
pub(super) fn nvme(disk: &BlockDevice, kernel: &Kernel) -> Option<Nvme> {
    let facts = disk.nvme.as_ref()?;
    let nsid = u32::try_from(facts.nsid.get()?).ok()?;
    let data = facts.controller().map(|controller| controller.data());
    let write_zeroes = data.and_then(|data| {
        data.value()
            .map(|data| data.oncs().contains(Oncs::WRITE_ZEROES))
    });
    Some(Nvme {
        nsid,
        write_zeroes,
        dlfeat: facts
            .namespace()
            .value()
            .map(|namespace| namespace.dlfeat().raw()),
        turned_off: facts
            .controllers
            .iter()
            .find_map(|controller| turned_off(controller, kernel)),
    })
}

/// Why the kernel does not send Write Zeroes to a controller that claims it. The makers' own word has led to such rows:
/// some answer with errors, some hang.
fn turned_off(controller: &Controller, kernel: &Kernel) -> Option<String> {
    let (quirks, evidence) = quirks::in_force(controller, kernel);
    let (name, value) = (&controller.name, evidence.value);
    match quirks {
        Some(quirks) if quirks.contains(Quirks::DISABLE_WRITE_ZEROES) => Some(format!(
            "the kernel never sends Write Zeroes to {name} (quirk DISABLE_WRITE_ZEROES; {}: {value})",
            evidence.origin
        )),
        Some(_) => None,
        None => Some(format!(
            "whether the kernel has turned Write Zeroes off for {name} is not known ({value})"
        )),
    }
}

/// What REPORT SUPPORTED OPERATION CODES and VPD page B0h say of WRITE SAME.
pub(super) fn scsi(
    collector: &Collector,
    disk: &BlockDevice,
    number: (u32, u32),
    node: &str,
) -> Scsi {
    const LENGTH: u32 = 64;
    let node = Node::block(node, number);
    let opcode = |code: u8| {
        let command = Command::Scsi(ReadCdb::report_opcode(code, None, LENGTH));
        match collector.host.commands.command(&node, &command) {
            Ok(Reply::Scsi {
                status: 0, data, ..
            }) => OneCommand::decode(&data).ok(),
            _ => None,
        }
    };
    let support = |one: &Option<OneCommand>| {
        one.as_ref().and_then(|one| match one.support() {
            Support::Standard | Support::VendorSpecific => Some(true),
            Support::NotSupported => Some(false),
            Support::NotAvailable | Support::Reserved(_) => None,
        })
    };
    let (sixteen, ten) = (opcode(0x93), opcode(0x41));
    let dir = collector
        .host
        .files
        .dir(&format!("{}/device", disk.syspath))
        .ok();
    let page = |name: &str| {
        dir.as_ref()
            .and_then(|dir| collector.bytes(dir, name).value().cloned())
    };
    let limits = page("vpd_pgb0").and_then(|bytes| BlockLimits::decode(&bytes).ok());
    let provisioning =
        page("vpd_pgb2").and_then(|bytes| LogicalBlockProvisioning::decode(&bytes).ok());
    Scsi {
        write_same_16: support(&sixteen),
        write_same_10: support(&ten),
        ndob: sixteen
            .as_ref()
            .and_then(|one| one.usage_byte(1))
            .map(|usage| usage & 1 != 0),
        lbpws: provisioning.as_ref().and_then(|page| page.value.lbpws()),
        lbpws10: provisioning.as_ref().and_then(|page| page.value.lbpws10()),
        max_blocks: limits
            .and_then(|limits| limits.value.maximum_write_same_length())
            .unwrap_or(0),
    }
}

/// The legs of a dm-multipath map or of an NVMe multipath head. Both map from the leg's first byte on.
pub(super) fn legs(collector: &Collector, device: &BlockDevice, topology: &Topology) -> Vec<Leg> {
    let is_map = device.dm.as_ref().is_some_and(|dm| {
        // By its table alone: a name proves nothing, and of a second target no leg begins where the map does.
        let table = dm.table.reading.value();
        table.is_some_and(|table| matches!(table.as_slice(), [one] if one.name == "multipath"))
    });
    match device.kind {
        Kind::Dm if is_map => device
            .slaves
            .iter()
            .map(|leg| {
                let number = topology.get(leg).and_then(|leg| leg.devno.get());
                Leg {
                    kname: leg.to_string(),
                    node: number.map(|_| leg.node()),
                    devno: number.map_or((0, 0), |number| (number.major, number.minor)),
                    skip: number
                        .is_none()
                        .then(|| "its number could not be read".to_owned()),
                    start_bytes: 0,
                }
            })
            .collect(),
        Kind::NvmeHead => device
            .slaves
            .iter()
            .filter_map(|path| nvme_leg(collector, path))
            .collect(),
        _ => Vec::new(),
    }
}

/// A hidden path has no node; its controller's takes I/O commands only while it has one namespace
/// (`nvme_dev_user_cmd`, drivers/nvme/host/ioctl.c).
fn nvme_leg(collector: &Collector, path: &KName) -> Option<Leg> {
    let place = collector.syspath(path).ok()?;
    let controller = parent(&place);
    let name = controller.rsplit('/').next()?.to_owned();
    let files = collector.host.files.as_ref();
    let namespaces = files.list(controller).unwrap_or_default();
    let count = namespaces
        .iter()
        .filter(|entry| {
            entry.starts_with("nvme") && files.dir(&format!("{controller}/{entry}/queue")).is_ok()
        })
        .count();
    let dir = files.dir(controller).ok()?;
    let number = collector
        .text(&dir, "dev")
        .value()
        .and_then(|text| text.parse::<crate::model::ids::DevNo>().ok());
    let skip = match (number, count) {
        (None, _) => Some("the number of its controller's node could not be read".to_owned()),
        (_, 1) => None,
        (_, count) => Some(format!(
            "its controller {name} has {count} namespaces: its node then takes no I/O commands"
        )),
    };
    Some(Leg {
        kname: path.to_string(),
        node: skip.is_none().then(|| format!("/dev/{name}")),
        devno: number.map_or((0, 0), |number| (number.major, number.minor)),
        skip,
        start_bytes: 0,
    })
}

/// A loop device's file.
pub(super) fn backing_file(collector: &Collector, disk: &BlockDevice) -> Option<String> {
    let dir = collector
        .host
        .files
        .dir(&format!("{}/loop", disk.syspath))
        .ok()?;
    collector.text(&dir, "backing_file").value().cloned()
}

/// The thin volume of a stack. Of two, neither tells what became of the whole.
pub(super) fn thin(topology: &Topology) -> Option<Thin> {
    let mut volumes = topology.iter().filter_map(|device| {
        let [target] = device.dm.as_ref()?.table.reading.value()?.as_slice() else {
            return None;
        };
        let pool = target
            .devices
            .iter()
            .find(|below| below.role == Role::Pool)?;
        let (DeviceId::Number(major, minor), volume) = (&pool.device, device.devno.get()?) else {
            return None;
        };
        Some(Thin {
            volume: (volume.major, volume.minor),
            pool: (*major, *minor),
        })
    });
    let first = volumes.next()?;
    volumes.next().is_none().then_some(first)
}

/// Everything by which the list knows a device, of all the disks below.
pub(super) fn matches(collector: &Collector, topology: &Topology) -> Vec<Match> {
    let mut known = Vec::new();
    for device in topology.iter() {
        for controller in device.nvme.iter().flat_map(|nvme| &nvme.controllers) {
            if let Some((vendor, device)) = controller.pci_id.get() {
                known.push(Match::Pci(vendor, device));
            }
        }
        known.extend(usb(collector, &device.syspath));
        known.extend(scsi_host(collector, &device.syspath));
    }
    known
}

fn usb(collector: &Collector, syspath: &str) -> Option<Match> {
    let files = collector.host.files.as_ref();
    let mut place = syspath;
    while let Some((above, _)) = place.rsplit_once('/') {
        place = above;
        let Ok(dir) = files.dir(place) else { continue };
        let id = |name: &str| {
            let text = collector.text(&dir, name).value().cloned()?;
            u16::from_str_radix(&text, 16).ok()
        };
        if let (Some(vendor), Some(product)) = (id("idVendor"), id("idProduct")) {
            return Some(Match::Usb(vendor, product));
        }
    }
    None
}

fn scsi_host(collector: &Collector, syspath: &str) -> Option<Match> {
    let host = syspath.split('/').find(|part| {
        part.strip_prefix("host")
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    })?;
    let dir = collector
        .host
        .files
        .dir(&format!("sys/class/scsi_host/{host}"))
        .ok();
    let place = syspath
        .split_once(&format!("/{host}/"))
        .map(|(before, _)| format!("{before}/{host}/scsi_host/{host}"))?;
    let dir = collector.host.files.dir(&place).ok().or(dir)?;
    let name = collector.text(&dir, "proc_name").value().cloned()?;
    known_bad::LIST
        .iter()
        .map(|bad| bad.matches)
        .find(|matches| *matches == Match::ScsiHost(leak(&name)))
}

/// The list's own text of that name, so that nothing need outlive this call.
fn leak(name: &str) -> &'static str {
    known_bad::LIST
        .iter()
        .find_map(|bad| match bad.matches {
            Match::ScsiHost(known) if known == name => Some(known),
            _ => None,
        })
        .unwrap_or("")
}
