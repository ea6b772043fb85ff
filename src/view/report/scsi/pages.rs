//! VPD pages of a SCSI device, decoded.

use crate::model::text;
use crate::view::section::section;
use crate::wire::scsi::vpd::{
    AtaInformation, BlockCharacteristics, BlockLimits, LogicalBlockProvisioning,
};

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

pub(super) fn b0(page: &BlockLimits) -> VpdB0 {
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

pub(super) fn b1(page: &BlockCharacteristics) -> VpdB1 {
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

pub(super) fn b2(page: &LogicalBlockProvisioning) -> VpdB2 {
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

pub(super) fn ata(page: &AtaInformation) -> Ata {
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
