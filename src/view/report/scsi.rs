//! The SCSI part of a device.

mod pages;

pub use pages::{Ata, VpdB0, VpdB1, VpdB2};

use crate::facts::origin::Fact;
use crate::facts::reading::Reading;
use crate::facts::scsi::ScsiFacts;
use crate::model::device::BlockDevice;
use crate::model::text;
use crate::verdict::Judge;
use crate::verdict::leaf::scsi::{lbprz, predicted_modes};
use crate::view::report::unread::Taker;
use crate::view::section::section;
use crate::wire::scsi::inquiry::StandardInquiry;
use crate::wire::scsi::vpd::{
    self, AtaInformation, BlockCharacteristics, BlockLimits, Decoded, DesignatorKind,
    DeviceIdentification, LogicalBlockProvisioning, PageError, UnitSerial,
};

section! {
    /// SCSI: INQUIRY, READ CAPACITY(16), VPD pages and operation codes, and what sd made of them.
    Scsi at "scsi", |device| device.scsi.as_ref();
    fields {
        /// HOST:CHANNEL:TARGET:LUN.
        hctl: Option<String>, "HCTL", None;
        /// Driver of the host adapter (scsi_host proc_name).
        host_driver: Option<String>, "HBA", None;
        /// T10 vendor identification.
        vendor: Option<String>, "VENDOR", None;
        /// Product identification.
        model: Option<String>, "SCSI-MODEL", None;
        /// Product revision level.
        rev: Option<String>, "REV", None;
        /// Unit serial number (VPD 80h).
        serial: Option<String>, "SCSI-SERIAL", None;
        /// Name of the logical unit (VPD 83h): NAA, EUI-64 or T10.
        wwid: Option<String>, "SCSI-WWID", None;
        /// INQUIRY version + 1 as the kernel counts: 6 is SPC-3, 7 SPC-4, 8 SPC-5.
        scsi_level: Option<u64>, "SCSI-LEVEL", Count;
        /// VPD pages that the device lists (VPD 00h), in hexadecimal.
        vpd_pages: Option<Vec<String>>, "VPD-PAGES", None;
        /// Logical Block Provisioning Management Enabled (READ CAPACITY(16) byte 14 bit 7, else thin_provisioning).
        lbpme: Option<bool>, "LBPME", None;
        /// Logical Block Provisioning Read Zeros (READ CAPACITY(16) byte 14 bit 6, else inferred from zeroing_mode).
        lbprz: Option<bool>, "LBPRZ", None;
        /// Bytes in a logical block (READ CAPACITY(16) bytes 11:8).
        block_length: Option<u32>, "RC16-LBS", Bytes;
        /// Logical blocks per physical block, as a power of two (byte 13 bits 3:0).
        lbppbe: Option<u8>, "LBPPBE", Count;
        /// Protection information is in use (byte 12 bit 0).
        prot_en: Option<bool>, "PROT-EN", None;
        /// sd's max_write_same_blocks.
        max_write_same_blocks: Option<u64>, "MAX-WS", Count;
    }
    parts {
        /// Block Limits, VPD B0h.
        vpd_b0: Option<VpdB0>;
        /// Block Device Characteristics, VPD B1h.
        vpd_b1: Option<VpdB1>;
        /// Logical Block Provisioning, VPD B2h.
        vpd_b2: Option<VpdB2>;
        /// ATA Information, VPD 89h: the ATA disk behind a SAT layer.
        ata: Option<Ata>;
        /// What REPORT SUPPORTED OPERATION CODES says.
        opcodes: OpcodesView;
        /// How sd sends zeroes: writesame_16_unmap, writesame_10_unmap, writesame, write.
        zeroing_mode: ZeroingMode;
        /// How sd sends discards: full, unmap, writesame_16, writesame_10, writesame_zero, disabled.
        provisioning_mode: ProvisioningMode;
    }
}

section! {
    /// What REPORT SUPPORTED OPERATION CODES says (SUPPORT, SPC-5): not-available, not-supported, standard, vendor-specific.
    OpcodesView at "scsi.opcodes", |device| device.scsi.as_ref().map(|scsi| &scsi.opcodes);
    fields {
        /// WRITE SAME(10), 41h.
        write_same_10: Option<String>, "RSOC-WS10", None;
        /// WRITE SAME(16), 93h.
        write_same_16: Option<String>, "RSOC-WS16", None;
        /// UNMAP, 42h.
        unmap: Option<String>, "RSOC-UNMAP", None;
    }
}

section! {
    /// How sd sends zeroes, as its rule says and as it stands in sysfs.
    ZeroingMode at "scsi.zeroing_mode", |device| device.scsi.as_ref().map(|scsi| &scsi.zeroing_mode);
    fields {
        /// By sd's rule from the device's facts.
        predicted: Option<String>, "ZMODE-PREDICTED", None;
        /// In sysfs.
        kernel: Option<String>, "ZMODE", None;
    }
}

section! {
    /// How sd sends discards, as its rule says and as it stands in sysfs.
    ProvisioningMode at "scsi.provisioning_mode", |device| device.scsi.as_ref().map(|scsi| &scsi.provisioning_mode);
    fields {
        /// By sd's rule from the device's facts.
        predicted: Option<String>, "PMODE-PREDICTED", None;
        /// In sysfs.
        kernel: Option<String>, "PMODE", None;
    }
}

/// The SCSI part of a device; `None` for others.
#[expect(clippy::too_many_lines, reason = "a line for each field")]
pub(super) fn of(judge: &Judge, device: &BlockDevice, taker: &mut Taker) -> Option<Scsi> {
    let facts = device.scsi.as_deref()?;
    let capacity = facts.capacity();
    let modes = predicted_modes(judge, device);
    let lbpme = match &capacity {
        Reading::Present(capacity) => Reading::Present(capacity.lbpme()),
        _ => facts.thin_provisioning.reading.clone(),
    };
    let inquiry = facts.inquiry.reading.as_ref();
    let inquiry = inquiry.and_then(|bytes| Reading::from_decoded(StandardInquiry::decode(bytes)));
    Some(Scsi {
        hctl: taker.take("scsi.hctl", &facts.hctl),
        host_driver: taker.take("scsi.host_driver", &facts.host_driver),
        vendor: taker.take(
            "scsi.vendor",
            &or_else(&facts.vendor, &inquiry, |i| i.vendor()),
        ),
        model: taker.take(
            "scsi.model",
            &or_else(&facts.model, &inquiry, |i| i.product()),
        ),
        rev: taker.take("scsi.rev", &or_else(&facts.rev, &inquiry, |i| i.revision())),
        serial: {
            let page = page(facts, vpd::UNIT_SERIAL, UnitSerial::decode);
            taker.take("scsi.serial", &page.map(|serial| serial.text()))
        },
        wwid: {
            let page = page(
                facts,
                vpd::DEVICE_IDENTIFICATION,
                DeviceIdentification::decode,
            );
            taker.take("scsi.wwid", &page.and_then(|page| name_of_unit(&page)))
        },
        scsi_level: taker.take("scsi.scsi_level", &facts.scsi_level),
        vpd_pages: {
            let page = page(facts, vpd::SUPPORTED_PAGES, vpd::SupportedPages::decode);
            let names = page.map(|page| {
                page.codes
                    .iter()
                    .map(|code| format!("{code:02x}h"))
                    .collect()
            });
            taker.take("scsi.vpd_pages", &names)
        },
        lbpme: taker.take("scsi.lbpme", &lbpme),
        lbprz: match (&capacity, lbprz(judge, device)) {
            (Reading::Present(capacity), _) => Some(capacity.lbprz()),
            (_, Some((inferred, _))) => Some(inferred),
            _ => taker.take("scsi.lbprz", &capacity.as_ref().map(|c| c.lbprz())),
        },
        block_length: taker.take(
            "scsi.block_length",
            &capacity.as_ref().map(|c| c.block_length()),
        ),
        lbppbe: taker.take("scsi.lbppbe", &capacity.as_ref().map(|c| c.lbppbe())),
        prot_en: taker.take("scsi.prot_en", &capacity.as_ref().map(|c| c.prot_en())),
        max_write_same_blocks: taker.take(
            "scsi.max_write_same_blocks",
            &facts.max_write_same_blocks.reading,
        ),
        vpd_b0: taker.part(
            "scsi.vpd_b0",
            &page(facts, vpd::BLOCK_LIMITS, BlockLimits::decode),
            |_, page| pages::b0(page),
        ),
        vpd_b1: taker.part(
            "scsi.vpd_b1",
            &page(
                facts,
                vpd::BLOCK_CHARACTERISTICS,
                BlockCharacteristics::decode,
            ),
            |_, page| pages::b1(page),
        ),
        vpd_b2: taker.part(
            "scsi.vpd_b2",
            &page(
                facts,
                vpd::LOGICAL_BLOCK_PROVISIONING,
                LogicalBlockProvisioning::decode,
            ),
            |_, page| pages::b2(page),
        ),
        ata: taker.part(
            "scsi.ata",
            &page(facts, vpd::ATA_INFORMATION, AtaInformation::decode),
            |_, page| pages::ata(page),
        ),
        opcodes: OpcodesView {
            write_same_10: opcode(
                taker,
                "scsi.opcodes.write_same_10",
                &facts.opcodes.write_same_10,
            ),
            write_same_16: opcode(
                taker,
                "scsi.opcodes.write_same_16",
                &facts.opcodes.write_same_16,
            ),
            unmap: opcode(taker, "scsi.opcodes.unmap", &facts.opcodes.unmap),
        },
        zeroing_mode: ZeroingMode {
            predicted: modes.zeroing.map(str::to_owned),
            kernel: taker.take("scsi.zeroing_mode.kernel", &facts.zeroing_mode.reading),
        },
        provisioning_mode: ProvisioningMode {
            predicted: modes.provisioning.map(str::to_owned),
            kernel: taker.take(
                "scsi.provisioning_mode.kernel",
                &facts.provisioning_mode.reading,
            ),
        },
    })
}

/// A page that was read, decoded.
pub(crate) fn page<T>(
    facts: &ScsiFacts,
    code: u8,
    decode: impl Fn(&[u8]) -> Result<Decoded<T>, PageError>,
) -> Reading<T> {
    match facts.page(code) {
        None => Reading::NotAsked("not needed for what was asked"),
        Some(fact) => fact.reading.as_ref().and_then(|bytes| match decode(bytes) {
            Ok(decoded) => Reading::Present(decoded.value),
            Err(error) => Reading::malformed(error.to_string()),
        }),
    }
}

fn or_else<const N: usize>(
    file: &Reading<String>,
    inquiry: &Reading<StandardInquiry>,
    pick: impl Fn(&StandardInquiry) -> &[u8; N],
) -> Reading<String> {
    match (file, inquiry) {
        (Reading::Present(_), _) | (_, Reading::NotAsked(_)) => file.clone(),
        (_, inquiry) => inquiry.as_ref().map(|inquiry| text::clean(pick(inquiry))),
    }
}

fn name_of_unit(page: &DeviceIdentification) -> Reading<String> {
    let kinds = [
        DesignatorKind::Naa,
        DesignatorKind::Eui64,
        DesignatorKind::ScsiName,
        DesignatorKind::T10,
    ];
    let found = kinds.into_iter().find_map(|kind| page.of_unit(kind).next());
    match found {
        Some(designator) => Reading::Present(text::clean(designator.text().as_bytes())),
        None => Reading::Absent,
    }
}

fn opcode(
    taker: &mut Taker,
    field: &'static str,
    fact: &Fact<crate::wire::scsi::opcodes::Support>,
) -> Option<String> {
    taker.take(
        field,
        &fact.reading.as_ref().map(|support| support.to_string()),
    )
}
