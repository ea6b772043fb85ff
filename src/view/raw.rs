//! The bytes beside each decoded field.

use crate::model::device::BlockDevice;
use crate::wire::WireField;
use crate::wire::nvme::identify::{IdentifyController, IdentifyNamespace, IdentifyNvmController};
use crate::wire::scsi::capacity::ReadCapacity16;
use crate::wire::scsi::vpd;

/// The bytes that a field of the report was decoded from, and where they stand.
pub struct Raw {
    /// Structure and bytes.
    pub place: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The bytes of a field by its path in the report: `nvme.dlfeat.deac`, `scsi.vpd_b2.lbpws`.
pub fn of(device: &BlockDevice, key: &str) -> Option<Raw> {
    if let Some(raw) = by_place(device, key) {
        return Some(raw);
    }
    let mut parts = key.split('.');
    let (group, second) = (parts.next()?, parts.next()?);
    let last = parts.next();
    structures(device, group, second)
        .into_iter()
        .find_map(|structure| {
            structure
                .field(last.unwrap_or(second))
                .or_else(|| structure.field(second))
        })
}

/// Fields whose names are not the standards', or that are a part of a larger one: page of VPD, first byte, length.
const PLACES: &[(&str, u8, usize, usize)] = &[
    ("scsi.vpd_b0.page_bytes", vpd::BLOCK_LIMITS, 2, 2),
    ("scsi.ata.sat_vendor", vpd::ATA_INFORMATION, 8, 8),
    ("scsi.ata.sat_product", vpd::ATA_INFORMATION, 16, 16),
    ("scsi.ata.sat_revision", vpd::ATA_INFORMATION, 32, 4),
    // IDENTIFY DEVICE begins at byte 60; a word has two bytes.
    ("scsi.ata.firmware", vpd::ATA_INFORMATION, 60 + 2 * 23, 8),
    ("scsi.ata.model", vpd::ATA_INFORMATION, 60 + 2 * 27, 40),
    ("scsi.ata.drat", vpd::ATA_INFORMATION, 60 + 2 * 69, 2),
    ("scsi.ata.rzat", vpd::ATA_INFORMATION, 60 + 2 * 69, 2),
    ("scsi.ata.trim", vpd::ATA_INFORMATION, 60 + 2 * 169, 2),
];

fn by_place(device: &BlockDevice, key: &str) -> Option<Raw> {
    if let Some(rest) = key.strip_prefix("nvme.lba_format.") {
        let identify = device.nvme.as_deref()?.identify.value()?;
        let format = IdentifyNamespace::decode(identify)
            .ok()?
            .lba_format()
            .ok()?;
        return match rest {
            "index" => cut("Identify Namespace", identify, 26, 1),
            _ => cut(
                "Identify Namespace",
                identify,
                128 + 4 * usize::from(format.index),
                4,
            ),
        };
    }
    let facts = device.scsi.as_deref()?;
    let page = |code: u8| facts.page(code).and_then(|fact| fact.value());
    let answer = |opcode: u8| {
        let found = facts
            .opcodes
            .answers
            .iter()
            .find(|(known, _)| *known == opcode);
        let (_, bytes) = found?;
        cut("REPORT SUPPORTED OPERATION CODES", bytes, 1, 1)
    };
    match key {
        "scsi.opcodes.write_same_10" => answer(0x41),
        "scsi.opcodes.write_same_16" => answer(0x93),
        "scsi.opcodes.unmap" => answer(0x42),
        "scsi.block_length" => cut("READ CAPACITY(16)", facts.rc16.value()?, 8, 4),
        "scsi.lbppbe" => cut("READ CAPACITY(16)", facts.rc16.value()?, 13, 1),
        "scsi.vpd_pages" => whole("VPD 00h", page(vpd::SUPPORTED_PAGES)?),
        "scsi.serial" => whole("VPD 80h", page(vpd::UNIT_SERIAL)?),
        "scsi.wwid" => whole("VPD 83h", page(vpd::DEVICE_IDENTIFICATION)?),
        _ => {
            let (_, code, offset, len) = PLACES.iter().find(|(known, ..)| *known == key)?;
            cut(&format!("VPD {code:02X}h"), page(*code)?, *offset, *len)
        }
    }
}

/// A page without its header.
fn whole(name: &str, bytes: &[u8]) -> Option<Raw> {
    cut(name, bytes, 4, bytes.len().checked_sub(4)?)
}

fn cut(name: &str, bytes: &[u8], offset: usize, len: usize) -> Option<Raw> {
    let bytes = bytes.get(offset..offset.checked_add(len)?)?.to_vec();
    let place = match len {
        1 => format!("{name} byte {offset}"),
        len => format!("{name} bytes {offset}-{}", (offset + len).saturating_sub(1)),
    };
    Some(Raw { place, bytes })
}

struct Structure<'d> {
    name: &'static str,
    fields: &'static [WireField],
    bytes: &'d [u8],
}

impl Structure<'_> {
    /// The report's names are the standards' in small letters: `npdg_bytes` is NPDG, `maximum_write_same_length` is
    /// MAXIMUM WRITE SAME LENGTH.
    fn field(&self, name: &str) -> Option<Raw> {
        let stem = ["_bytes", "_raw"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .unwrap_or(name);
        let upper = stem.to_uppercase();
        let field = WireField::find(self.fields, &upper)
            .or_else(|| WireField::find(self.fields, &upper.replace('_', " ")))?;
        cut(self.name, self.bytes, field.offset, field.len)
    }
}

/// The structures of a part of the report that were read, by name.
type Found<'d> = Vec<(&'static str, &'static [WireField], Option<&'d Vec<u8>>)>;

fn structures<'d>(device: &'d BlockDevice, group: &str, second: &str) -> Vec<Structure<'d>> {
    let found = match group {
        "nvme" => of_nvme(device),
        "scsi" => of_scsi(device, second),
        _ => Vec::new(),
    };
    let read = |(name, fields, bytes): (_, _, Option<&'d Vec<u8>>)| {
        bytes.map(|bytes| Structure {
            name,
            fields,
            bytes,
        })
    };
    found.into_iter().filter_map(read).collect()
}

fn of_nvme(device: &BlockDevice) -> Found<'_> {
    let Some(facts) = device.nvme.as_deref() else {
        return Vec::new();
    };
    let controller = facts.controller();
    vec![
        (
            "Identify Namespace",
            IdentifyNamespace::FIELDS,
            facts.identify.value(),
        ),
        (
            "Identify Controller",
            IdentifyController::FIELDS,
            controller.and_then(|controller| controller.identify.value()),
        ),
        (
            "Identify NVM Controller",
            IdentifyNvmController::FIELDS,
            controller.and_then(|controller| controller.nvm.value()),
        ),
    ]
}

fn of_scsi<'d>(device: &'d BlockDevice, part: &str) -> Found<'d> {
    let Some(facts) = device.scsi.as_deref() else {
        return Vec::new();
    };
    let page = |code| facts.page(code).and_then(|fact| fact.value());
    vec![match part {
        "vpd_b0" => ("VPD B0h", vpd::BlockLimits::FIELDS, page(vpd::BLOCK_LIMITS)),
        "vpd_b1" => (
            "VPD B1h",
            vpd::BlockCharacteristics::FIELDS,
            page(vpd::BLOCK_CHARACTERISTICS),
        ),
        "vpd_b2" => (
            "VPD B2h",
            vpd::LogicalBlockProvisioning::FIELDS,
            page(vpd::LOGICAL_BLOCK_PROVISIONING),
        ),
        "ata" => (
            "VPD 89h",
            vpd::AtaInformation::FIELDS,
            page(vpd::ATA_INFORMATION),
        ),
        _ => (
            "READ CAPACITY(16)",
            ReadCapacity16::FIELDS,
            facts.rc16.value(),
        ),
    }]
}
