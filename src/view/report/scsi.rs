//! The SCSI part of a device.

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
    /// Block Limits, VPD B0h (SBC-4). Lengths count logical blocks; null beyond the page's length.
    VpdB0 at "scsi.vpd_b0", |device| device.scsi.as_ref()?.vpd_b0.as_ref();
    fields {
        /// Bytes of the page with its header; sd takes limits from it from 64 on.
        page_bytes: u64, "B0-BYTES", Bytes;
        /// Write Same Non-Zero: a WRITE SAME of 0 blocks is refused (byte 4 bit 0).
        wsnz: Option<bool>, "WSNZ", None;
        /// MAXIMUM COMPARE AND WRITE LENGTH (byte 5).
        maximum_compare_and_write_length: Option<u8>, "MAX-CAW", Count;
        /// OPTIMAL TRANSFER LENGTH GRANULARITY (bytes 6-7).
        optimal_transfer_length_granularity: Option<u16>, "OPT-XFER-GRAN", Count;
        /// MAXIMUM TRANSFER LENGTH (bytes 8-11), 0 is not reported.
        maximum_transfer_length: Option<u32>, "MAX-XFER", Count;
        /// OPTIMAL TRANSFER LENGTH (bytes 12-15), 0 is not reported.
        optimal_transfer_length: Option<u32>, "OPT-XFER", Count;
        /// MAXIMUM PREFETCH LENGTH (bytes 16-19).
        maximum_prefetch_length: Option<u32>, "MAX-PREFETCH", Count;
        /// MAXIMUM UNMAP LBA COUNT (bytes 20-23), 0 is no UNMAP, FFFFFFFFh no limit.
        maximum_unmap_lba_count: Option<u32>, "MAX-UNMAP", Count;
        /// MAXIMUM UNMAP BLOCK DESCRIPTOR COUNT (bytes 24-27).
        maximum_unmap_block_descriptor_count: Option<u32>, "MAX-UNMAP-DESC", Count;
        /// OPTIMAL UNMAP GRANULARITY (bytes 28-31), 0 is not reported.
        optimal_unmap_granularity: Option<u32>, "UNMAP-GRAN", Count;
        /// UNMAP GRANULARITY ALIGNMENT is valid (byte 32 bit 7).
        ugavalid: Option<bool>, "UGAVALID", None;
        /// UNMAP GRANULARITY ALIGNMENT (bytes 32-35 less bit 7 of byte 32).
        unmap_granularity_alignment: Option<u32>, "UNMAP-ALIGN", Count;
        /// MAXIMUM WRITE SAME LENGTH (bytes 36-43), 0 is not reported.
        maximum_write_same_length: Option<u64>, "MAX-WS-LEN", Count;
        /// MAXIMUM ATOMIC TRANSFER LENGTH (bytes 44-47).
        maximum_atomic_transfer_length: Option<u32>, "MAX-ATOMIC", Count;
        /// ATOMIC ALIGNMENT (bytes 48-51).
        atomic_alignment: Option<u32>, "ATOMIC-ALIGN", Count;
        /// ATOMIC TRANSFER LENGTH GRANULARITY (bytes 52-55).
        atomic_transfer_length_granularity: Option<u32>, "ATOMIC-GRAN", Count;
        /// MAXIMUM ATOMIC TRANSFER LENGTH WITH ATOMIC BOUNDARY (bytes 56-59).
        maximum_atomic_transfer_length_with_atomic_boundary: Option<u32>, "MAX-ATOMIC-BOUND", Count;
        /// MAXIMUM ATOMIC BOUNDARY SIZE (bytes 60-63).
        maximum_atomic_boundary_size: Option<u32>, "ATOMIC-BOUND", Count;
    }
}

section! {
    /// Block Device Characteristics, VPD B1h (SBC-4).
    VpdB1 at "scsi.vpd_b1", |device| device.scsi.as_ref()?.vpd_b1.as_ref();
    fields {
        /// MEDIUM ROTATION RATE (bytes 4-5): rpm, 0 not reported, 1 no medium that turns.
        medium_rotation_rate: Option<u16>, "RPM", Count;
        /// PRODUCT TYPE (byte 6).
        product_type: Option<u8>, "PRODUCT-TYPE", Count;
        /// NOMINAL FORM FACTOR (byte 7 bits 3:0).
        nominal_form_factor: Option<u8>, "FORM-FACTOR", Count;
        /// ZONED (byte 8 bits 5:4): 0 not reported, 1 host aware, 2 device managed.
        zoned: Option<u8>, "B1-ZONED", Count;
        /// FUAB (byte 8 bit 1).
        fuab: Option<bool>, "FUAB", None;
        /// Verify Byte Check Unmapped LBA Supported (byte 8 bit 0).
        vbuls: Option<bool>, "VBULS", None;
        /// DEPOPULATION TIME in seconds (bytes 12-15).
        depopulation_time: Option<u32>, "DEPOP-TIME", Count;
    }
}

section! {
    /// Logical Block Provisioning, VPD B2h (SBC-4).
    VpdB2 at "scsi.vpd_b2", |device| device.scsi.as_ref()?.vpd_b2.as_ref();
    fields {
        /// THRESHOLD EXPONENT (byte 4).
        threshold_exponent: Option<u8>, "THRESH-EXP", Count;
        /// UNMAP is supported (byte 5 bit 7).
        lbpu: Option<bool>, "LBPU", None;
        /// WRITE SAME(16) with UNMAP is supported (byte 5 bit 6).
        lbpws: Option<bool>, "LBPWS", None;
        /// WRITE SAME(10) with UNMAP is supported (byte 5 bit 5).
        lbpws10: Option<bool>, "LBPWS10", None;
        /// What unmapped blocks read as (byte 5 bits 4:2), bit 2 is zeroes; sd does not look at it.
        lbprz: Option<u8>, "B2-LBPRZ", Count;
        /// Anchored blocks are supported (byte 5 bit 1).
        anc_sup: Option<bool>, "ANC-SUP", None;
        /// A provisioning group descriptor follows (byte 5 bit 0).
        dp: Option<bool>, "DP", None;
        /// MINIMUM PERCENTAGE (byte 6 bits 7:3).
        minimum_percentage: Option<u8>, "MIN-PERCENT", Count;
        /// PROVISIONING TYPE (byte 6 bits 2:0).
        provisioning_type: Option<String>, "PROV-TYPE", None;
        /// THRESHOLD PERCENTAGE (byte 7).
        threshold_percentage: Option<u8>, "THRESH-PERCENT", Count;
    }
}

section! {
    /// ATA Information, VPD 89h (SAT-4): IDENTIFY DEVICE data of the disk behind the SAT layer.
    Ata at "scsi.ata", |device| device.scsi.as_ref()?.ata.as_ref();
    fields {
        /// SAT layer's vendor.
        sat_vendor: Option<String>, "SAT-VENDOR", None;
        /// SAT layer's product.
        sat_product: Option<String>, "SAT-PRODUCT", None;
        /// SAT layer's revision.
        sat_revision: Option<String>, "SAT-REV", None;
        /// Model of the disk (words 27-46).
        model: Option<String>, "ATA-MODEL", None;
        /// Firmware of the disk (words 23-26).
        firmware: Option<String>, "ATA-FW", None;
        /// DATA SET MANAGEMENT TRIM is supported (word 169 bit 0).
        trim: Option<bool>, "TRIM", None;
        /// Deterministic Read After Trim (word 69 bit 14).
        drat: Option<bool>, "DRAT", None;
        /// Read Zeroes After Trim (word 69 bit 5).
        rzat: Option<bool>, "RZAT", None;
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
            |_, page| b0(page),
        ),
        vpd_b1: taker.part(
            "scsi.vpd_b1",
            &page(
                facts,
                vpd::BLOCK_CHARACTERISTICS,
                BlockCharacteristics::decode,
            ),
            |_, page| b1(page),
        ),
        vpd_b2: taker.part(
            "scsi.vpd_b2",
            &page(
                facts,
                vpd::LOGICAL_BLOCK_PROVISIONING,
                LogicalBlockProvisioning::decode,
            ),
            |_, page| b2(page),
        ),
        ata: taker.part(
            "scsi.ata",
            &page(facts, vpd::ATA_INFORMATION, AtaInformation::decode),
            |_, page| ata(page),
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

fn b0(page: &BlockLimits) -> VpdB0 {
    VpdB0 {
        page_bytes: page.page_bytes() as u64,
        wsnz: page.wsnz(),
        maximum_compare_and_write_length: page.maximum_compare_and_write_length(),
        optimal_transfer_length_granularity: page.optimal_transfer_length_granularity(),
        maximum_transfer_length: page.maximum_transfer_length(),
        optimal_transfer_length: page.optimal_transfer_length(),
        maximum_prefetch_length: page.maximum_prefetch_length(),
        maximum_unmap_lba_count: page.maximum_unmap_lba_count(),
        maximum_unmap_block_descriptor_count: page.maximum_unmap_block_descriptor_count(),
        optimal_unmap_granularity: page.optimal_unmap_granularity(),
        ugavalid: page.ugavalid(),
        unmap_granularity_alignment: page.unmap_granularity_alignment(),
        maximum_write_same_length: page.maximum_write_same_length(),
        maximum_atomic_transfer_length: page.maximum_atomic_transfer_length(),
        atomic_alignment: page.atomic_alignment(),
        atomic_transfer_length_granularity: page.atomic_transfer_length_granularity(),
        maximum_atomic_transfer_length_with_atomic_boundary: page
            .maximum_atomic_transfer_length_with_atomic_boundary(),
        maximum_atomic_boundary_size: page.maximum_atomic_boundary_size(),
    }
}

fn b1(page: &BlockCharacteristics) -> VpdB1 {
    VpdB1 {
        medium_rotation_rate: page.medium_rotation_rate(),
        product_type: page.product_type(),
        nominal_form_factor: page.nominal_form_factor(),
        zoned: page.zoned(),
        fuab: page.fuab(),
        vbuls: page.vbuls(),
        depopulation_time: page.depopulation_time(),
    }
}

fn b2(page: &LogicalBlockProvisioning) -> VpdB2 {
    VpdB2 {
        threshold_exponent: page.threshold_exponent(),
        lbpu: page.lbpu(),
        lbpws: page.lbpws(),
        lbpws10: page.lbpws10(),
        lbprz: page.lbprz(),
        anc_sup: page.anc_sup(),
        dp: page.dp(),
        minimum_percentage: page.minimum_percentage(),
        provisioning_type: page.provisioning_type().map(|kind| kind.to_string()),
        threshold_percentage: page.threshold_percentage(),
    }
}

fn ata(page: &AtaInformation) -> Ata {
    let words = |bytes: Option<String>| bytes.map(|text| text::clean(text.as_bytes()));
    Ata {
        sat_vendor: page.sat_vendor().map(|bytes| text::clean(&bytes)),
        sat_product: page.sat_product().map(|bytes| text::clean(&bytes)),
        sat_revision: page.sat_revision().map(|bytes| text::clean(&bytes)),
        model: words(page.model()),
        firmware: words(page.firmware()),
        trim: page.trim(),
        drat: page.drat(),
        rzat: page.rzat(),
    }
}
