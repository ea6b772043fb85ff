//! SCSI: INQUIRY, VPD pages, READ CAPACITY(16) and REPORT SUPPORTED OPERATION CODES, from sysfs
//! first.
//!
//! What sysfs lacks is asked by SG_IO, and only where sd itself would ask: a device that the kernel
//! leaves alone is left alone here too.

mod ask;
mod collect;
#[cfg(test)]
mod tests;

use crate::facts::collect::Collector;
use crate::facts::origin::Fact;
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::wire::scsi::capacity::ReadCapacity16;
use crate::wire::scsi::inquiry::StandardInquiry;
use crate::wire::scsi::opcodes::Support;
use crate::wire::scsi::vpd::{
    BLOCK_LIMITS, BlockLimits, Decoded, LOGICAL_BLOCK_PROVISIONING, LogicalBlockProvisioning,
    SUPPORTED_PAGES,
};

/// `SCSI_SPC_2` of include/scsi/scsi.h: from here on sd asks for VPD pages.
pub const SPC_2: u64 = 5;
/// `SCSI_2` of include/scsi/scsi.h: up to here INQUIRY has no PROTECT bit.
const SCSI_2: u64 = 3;
/// `SCSI_SPC_3` of include/scsi/scsi.h: from here on sd asks READ CAPACITY(16) first, and for
/// supported opcodes.
pub const SPC_3: u64 = 6;

/// The SCSI side of a disk.
#[derive(Debug)]
pub struct ScsiFacts {
    /// `HOST:CHANNEL:TARGET:LUN`.
    pub hctl: Reading<String>,
    /// Vendor, eight characters with their padding gone.
    pub vendor: Reading<String>,
    /// Product.
    pub model: Reading<String>,
    /// Revision.
    pub rev: Reading<String>,
    /// INQUIRY version + 1, as the kernel counts: 5 is SPC-2, 6 SPC-3, 7 SPC-4, 8 SPC-5.
    pub scsi_level: Reading<u64>,
    /// The host adapter's driver (`scsi_host/hostN/proc_name`): `ahci`, `usb-storage`, `uas`,
    /// `scsi_debug`, …
    pub host_driver: Reading<String>,
    /// Standard INQUIRY data.
    pub inquiry: Fact<Vec<u8>>,
    /// VPD pages 00h, 80h, 83h, 89h, B0h, B1h, B2h as they came, in that order.
    pub vpd: Vec<(u8, Fact<Vec<u8>>)>,
    /// READ CAPACITY(16) data.
    pub rc16: Fact<Vec<u8>>,
    /// What REPORT SUPPORTED OPERATION CODES says of WRITE SAME(10), WRITE SAME(16) and UNMAP.
    pub opcodes: Opcodes,
    /// `scsi_disk/*/thin_provisioning`: LBPME as sd has it.
    pub thin_provisioning: Fact<bool>,
    /// `scsi_disk/*/zeroing_mode`.
    pub zeroing_mode: Fact<String>,
    /// `scsi_disk/*/provisioning_mode`.
    pub provisioning_mode: Fact<String>,
    /// `scsi_disk/*/max_write_same_blocks`.
    pub max_write_same_blocks: Fact<u64>,
}

/// Support of single commands.
#[derive(Debug)]
pub struct Opcodes {
    /// WRITE SAME(10), 41h.
    pub write_same_10: Fact<Support>,
    /// WRITE SAME(16), 93h.
    pub write_same_16: Fact<Support>,
    /// UNMAP, 42h.
    pub unmap: Fact<Support>,
    /// INQUIRY, 12h: sd asks this first, only to learn whether the device knows the question.
    pub inquiry: Fact<Support>,
    /// Whether the device refused the question about INQUIRY as sd counts a refusal: ILLEGAL
    /// REQUEST with 20h or 24h (`scsi_report_opcode`, drivers/scsi/scsi.c). `None` where it was not
    /// asked or could not be.
    pub refused: Option<bool>,
    /// The answers as they came, by operation code.
    pub answers: Vec<(u8, Vec<u8>)>,
}

impl ScsiFacts {
    /// Reads them: all where every SCSI fact is wanted, else what a verdict rests on.
    pub fn collect(collector: &Collector, device: &BlockDevice) -> Self {
        collect::collect(collector, device)
    }

    /// A VPD page as it came.
    pub fn page(&self, code: u8) -> Option<&Fact<Vec<u8>>> {
        self.vpd
            .iter()
            .find(|(page, _)| *page == code)
            .map(|(_, fact)| fact)
    }

    fn page_reading(&self, code: u8) -> Reading<&Vec<u8>> {
        self.page(code)
            .map_or(Reading::Absent, |fact| fact.reading.as_ref())
    }

    /// READ CAPACITY(16), decoded.
    pub fn capacity(&self) -> Reading<ReadCapacity16> {
        self.rc16
            .reading
            .as_ref()
            .and_then(|bytes| of(ReadCapacity16::decode(bytes)))
    }

    /// Standard INQUIRY data, decoded.
    pub fn standard_inquiry(&self) -> Reading<StandardInquiry> {
        self.inquiry
            .reading
            .as_ref()
            .and_then(|bytes| of(StandardInquiry::decode(bytes)))
    }

    /// VPD page B0h, decoded.
    pub fn block_limits(&self) -> Reading<Decoded<BlockLimits>> {
        self.page_reading(BLOCK_LIMITS)
            .and_then(|bytes| of(BlockLimits::decode(bytes)))
    }

    /// VPD page B2h, decoded.
    pub fn provisioning(&self) -> Reading<Decoded<LogicalBlockProvisioning>> {
        self.page_reading(LOGICAL_BLOCK_PROVISIONING)
            .and_then(|bytes| of(LogicalBlockProvisioning::decode(bytes)))
    }

    /// Whether sd asks this device for VPD pages (`scsi_device_supports_vpd`,
    /// include/scsi/scsi_device.h); the few devices that its lists except either way are not known
    /// here. A device that refuses page 00h gets no other question (`scsi_attach_vpd`).
    pub fn takes_vpd(&self) -> Option<bool> {
        if self
            .host_driver
            .value()
            .is_some_and(|driver| is_usb_storage(driver))
        {
            return Some(false);
        }
        if matches!(self.page_reading(SUPPORTED_PAGES), Reading::Unsupported(_)) {
            return Some(false);
        }
        self.scsi_level.get().map(|level| level >= SPC_2)
    }

    /// Whether sd asks this device REPORT SUPPORTED OPERATION CODES (`scsi_report_opcode`,
    /// drivers/scsi/scsi.c).
    pub fn takes_report_opcodes(&self) -> Option<bool> {
        if self
            .host_driver
            .value()
            .is_some_and(|driver| takes_no_report_opcodes(driver))
        {
            return Some(false);
        }
        self.scsi_level.get().map(|level| level >= SPC_3)
    }

    /// Whether sd takes the capacity from READ CAPACITY(16) (`sd_try_rc16_first` and
    /// `sd_read_capacity`, drivers/scsi/sd.c). LBPME in `thin_provisioning` can only have come from
    /// there.
    pub fn takes_read_capacity_16(&self, device: &BlockDevice) -> Option<bool> {
        if self.thin_provisioning.value() == Some(&true) || is_big(device) {
            return Some(true);
        }
        if self
            .host_driver
            .value()
            .is_some_and(|driver| is_usb_storage(driver))
        {
            return Some(false);
        }
        let level = self.scsi_level.get()?;
        if level >= SPC_3 {
            return Some(true);
        }
        if level <= SCSI_2 {
            return Some(false);
        }
        self.standard_inquiry()
            .value()
            .map(StandardInquiry::protect)
    }
}

/// Whether READ CAPACITY(10) cannot count the blocks, so that sd asks again in 16 bytes.
fn is_big(device: &BlockDevice) -> bool {
    let block = device
        .queue
        .number(Attr::LogicalBlockSize)
        .get()
        .filter(|size| *size > 0);
    let blocks = device
        .size_bytes
        .get()
        .zip(block)
        .map(|(size, block)| size / block);
    blocks.is_some_and(|blocks| blocks > 0xffff_ffff)
}

/// Hosts whose devices sd never asks for VPD pages, and for READ CAPACITY(16) only when they are
/// very big (`slave_configure`/`sdev_configure`, drivers/usb/storage/scsiglue.c; the `ums-` drivers
/// share it).
pub fn is_usb_storage(host_driver: &str) -> bool {
    host_driver == "usb-storage" || host_driver.starts_with("ums-")
}

/// Hosts that tell sd not to send REPORT SUPPORTED OPERATION CODES: usb-storage, storvsc
/// (`storvsc_device_configure`) and UFS (`ufshcd_sdev_configure`).
pub fn takes_no_report_opcodes(host_driver: &str) -> bool {
    is_usb_storage(host_driver)
        || matches!(host_driver, "storvsc_host" | "hv_storvsc")
        || host_driver.starts_with("ufshcd")
}

fn of<T, E: std::fmt::Display>(decoded: Result<T, E>) -> Reading<T> {
    match decoded {
        Ok(value) => Reading::Present(value),
        Err(error) => Reading::malformed(error.to_string()),
    }
}
