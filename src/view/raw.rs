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
        let bytes = field.bytes(self.bytes)?.to_vec();
        let place = match field.len {
            1 => format!("{} byte {}", self.name, field.offset),
            len => format!(
                "{} bytes {}-{}",
                self.name,
                field.offset,
                field.offset + len - 1
            ),
        };
        Some(Raw { place, bytes })
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
