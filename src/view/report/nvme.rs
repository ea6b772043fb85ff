//! The NVMe part of a device.

use crate::facts::nvme::Controller;
use crate::facts::reading::Reading;
use crate::model::device::{BlockDevice, Kind};
use crate::model::text;
use crate::view::report::unread::Taker;
use crate::view::section::section;
use crate::wire::nvme::identify::{Granularity, IdentifyNamespace};

section! {
    /// NVMe: Identify data and what the kernel shows beside it. Of a multipath head the controller's values are those
    /// of its first path.
    Nvme at "nvme", |device| device.nvme.as_ref();
    fields {
        /// Controllers that it is reached by.
        controllers: Vec<String>, "CTRL", None;
        /// Namespace id.
        nsid: Option<u64>, "NSID", Count;
        /// Worldwide name as the kernel builds it (NGUID, EUI-64 or model and serial).
        wwid: Option<String>, "WWID", None;
        /// I/O command set: 0 NVM, 2 zoned (sysfs csi, since 6.8).
        csi: Option<u64>, "CSI", Count;
        /// State of the path: optimized, non-optimized, inaccessible, persistent-loss, change.
        ana_state: Option<String>, "ANA", None;
        /// How the head chooses a path: numa, round-robin, queue-depth.
        iopolicy: Option<String>, "IOPOLICY", None;
        /// Model number (sysfs model).
        model: Option<String>, "NVME-MODEL", None;
        /// Serial number (sysfs serial).
        serial: Option<String>, "NVME-SERIAL", None;
        /// Firmware revision (sysfs firmware_rev).
        firmware_rev: Option<String>, "FW", None;
        /// pcie, tcp, rdma, fc, loop or apple-nvme.
        transport: Option<String>, "TRAN", None;
        /// PCI address or fabrics address.
        address: Option<String>, "ADDRESS", None;
        /// live, connecting, deleting, …
        state: Option<String>, "STATE", None;
        /// Controller id.
        cntlid: Option<u64>, "CNTLID", Count;
        /// NVMe qualified name of the subsystem.
        subsysnqn: Option<String>, "NQN", None;
        /// Quirks of the kernel in force (sysfs quirks, since 7.0).
        quirks: Option<Vec<String>>, "QUIRKS", None;
        /// PCI vendor and device id.
        pci_id: Option<String>, "PCI-ID", None;
        /// How an IOMMU treats the PCI function: DMA, DMA-FQ, identity; null without one.
        iommu_group_type: Option<String>, "IOMMU", None;
        /// Version of the specification (Identify Controller VER, bytes 83:80).
        version: Option<String>, "NVME-VER", None;
        /// Maximum Data Transfer Size as it stands (byte 77): a power of two of 4 KiB pages, 0 is no limit.
        mdts: Option<u8>, "MDTS", Count;
        /// MDTS in bytes, taking CAP.MPSMIN as 4 KiB; null where it is 0, no limit.
        mdts_bytes: Option<u64>, "MDTS-BYTES", Bytes;
        /// Optional NVM commands (ONCS, bytes 521:520) by name.
        oncs: Option<Vec<String>>, "ONCS", None;
        /// ONCS as it stands.
        oncs_raw: Option<u16>, "ONCS-RAW", Count;
        /// Volatile write cache (VWC bit 0, byte 525).
        vwc: Option<bool>, "VWC", None;
        /// Write Zeroes Size Limit as it stands (CNS 06h byte 1): a power of two of 4 KiB pages, 0 is none of its own.
        wzsl: Option<u8>, "WZSL", Count;
        /// WZSL in bytes, taking CAP.MPSMIN as 4 KiB; null where it is 0.
        wzsl_bytes: Option<u64>, "WZSL-BYTES", Bytes;
        /// Write Zeroes With Deallocate Size Limit as it stands (CNS 06h byte 17).
        wzdsl: Option<u8>, "WZDSL", Count;
        /// Dataset Management Ranges Limit (CNS 06h byte 3), 0 is none of its own.
        dmrl: Option<u8>, "DMRL", Count;
        /// Dataset Management Range Size Limit in logical blocks (CNS 06h bytes 7:4), 0 is none of its own.
        dmrsl: Option<u32>, "DMRSL", Count;
        /// Dataset Management Size Limit in logical blocks (CNS 06h bytes 15:8), 0 is none of its own.
        dmsl: Option<u64>, "DMSL", Count;
        /// Namespace Size in logical blocks (Identify Namespace bytes 7:0).
        nsze: Option<u64>, "NSZE", Count;
        /// Namespace Capacity in logical blocks (bytes 15:8).
        ncap: Option<u64>, "NCAP", Count;
        /// Namespace Utilization in logical blocks (bytes 23:16); some devices never change it.
        nuse: Option<u64>, "NUSE", Count;
        /// Namespace features (NSFEAT, byte 24) by name.
        nsfeat: Option<Vec<String>>, "NSFEAT", None;
        /// NSFEAT as it stands.
        nsfeat_raw: Option<u8>, "NSFEAT-RAW", Count;
        /// Namespace Preferred Write Granularity in bytes (bytes 65:64, 0's based); null where OPTPERF says it is not reported.
        npwg_bytes: Option<u64>, "NPWG", Bytes;
        /// Namespace Preferred Write Alignment in bytes (bytes 67:66, 0's based).
        npwa_bytes: Option<u64>, "NPWA", Bytes;
        /// Namespace Preferred Deallocate Granularity in bytes (bytes 69:68, 0's based).
        npdg_bytes: Option<u64>, "NPDG", Bytes;
        /// Namespace Preferred Deallocate Alignment in bytes (bytes 71:70, 0's based).
        npda_bytes: Option<u64>, "NPDA", Bytes;
        /// Namespace Optimal Write Size in bytes (bytes 73:72, 0's based).
        nows_bytes: Option<u64>, "NOWS", Bytes;
        /// ANA group (bytes 95:92), 0 is none.
        anagrpid: Option<u32>, "ANAGRP", Count;
        /// NGUID in hexadecimal (bytes 119:104); null where it is all zero, not supported.
        nguid: Option<String>, "NGUID", None;
        /// EUI-64 in hexadecimal (bytes 127:120); null where it is all zero, not supported.
        eui64: Option<String>, "EUI64", None;
    }
    parts {
        /// DLFEAT (byte 33), decoded.
        dlfeat: Option<DlfeatView>;
        /// The LBA format in use.
        lba_format: Option<LbaFormatView>;
    }
}

section! {
    /// DLFEAT: what a namespace says of deallocated blocks (NVM Command Set 1.0, figure 97, byte 33).
    DlfeatView at "nvme.dlfeat", |device| device.nvme.as_ref()?.dlfeat.as_ref();
    fields {
        /// The byte.
        raw: u8, "DLFEAT", Count;
        /// What deallocated blocks read as (bits 2:0): not-reported, all-zeroes, all-ones, reserved.
        read_behavior: String, "DLFEAT-READ", None;
        /// Write Zeroes can deallocate (bit 3).
        deac: bool, "DEAC", None;
        /// The guard of deallocated blocks is the CRC of their data (bit 4); else FFFFh.
        guard_crc: bool, "GUARD-CRC", None;
    }
}

section! {
    /// The LBA format in use (FLBAS bits 6:5 and 3:0 choose one of 64).
    LbaFormatView at "nvme.lba_format", |device| device.nvme.as_ref()?.lba_format.as_ref();
    fields {
        /// Its number.
        index: u8, "LBAF", Count;
        /// Bytes of data in a logical block (2^LBADS).
        data_bytes: Option<u64>, "LBADS", Bytes;
        /// Bytes of metadata in a logical block (MS).
        metadata_bytes: u16, "MS", Bytes;
        /// Relative performance: 0 best, 1 better, 2 good, 3 degraded (RP).
        rp: u8, "RP", Count;
    }
}

/// The NVMe part of a device; `None` for others.
#[expect(clippy::too_many_lines, reason = "a line for each field")]
pub(super) fn of(device: &BlockDevice, taker: &mut Taker) -> Option<Nvme> {
    let facts = device.nvme.as_deref()?;
    let namespace = facts.namespace();
    let controller = facts.controller();
    let missing = Reading::Absent;
    let text_of =
        |pick: fn(&Controller) -> &Reading<String>| controller.map_or(&missing, |c| pick(c));
    let data = controller.map_or(Reading::Absent, |c| c.data());
    let nvm = controller.map_or(Reading::Absent, |c| c.nvm_data());
    let mdts = data.as_ref().map(|data| data.mdts());
    let wzsl = nvm.as_ref().map(|nvm| nvm.wzsl());
    let oncs = data.as_ref().map(|data| data.oncs());
    let nsfeat = namespace.as_ref().map(|ns| ns.nsfeat());
    let format = namespace.as_ref().and_then(|ns| match ns.lba_format() {
        Ok(format) => Reading::Present(format),
        Err(error) => Reading::malformed(error.to_string()),
    });
    let block = format.value().and_then(|format| format.data_size());
    let granularity = Granularities {
        block,
        namespace: namespace.clone(),
    };
    Some(Nvme {
        controllers: facts.controllers.iter().map(|c| c.name.clone()).collect(),
        nsid: taker.take("nvme.nsid", &facts.nsid),
        wwid: taker.take("nvme.wwid", &facts.wwid),
        csi: taker.take("nvme.csi", &facts.csi),
        ana_state: on_path(device, taker, "nvme.ana_state", &facts.ana_state),
        iopolicy: on_head(device, taker, "nvme.iopolicy", &facts.iopolicy),
        model: taker.take("nvme.model", text_of(|c| &c.model)),
        serial: taker.take("nvme.serial", text_of(|c| &c.serial)),
        firmware_rev: taker.take("nvme.firmware_rev", text_of(|c| &c.firmware_rev)),
        transport: taker.take("nvme.transport", text_of(|c| &c.transport)),
        address: taker.take("nvme.address", text_of(|c| &c.address)),
        state: taker.take("nvme.state", text_of(|c| &c.state)),
        cntlid: taker.take(
            "nvme.cntlid",
            controller.map_or(&Reading::Absent, |c| &c.cntlid),
        ),
        subsysnqn: taker.take("nvme.subsysnqn", text_of(|c| &c.subsysnqn)),
        quirks: taker.take(
            "nvme.quirks",
            controller.map_or(&Reading::Absent, |c| &c.quirks),
        ),
        pci_id: taker.take(
            "nvme.pci_id",
            &controller.map_or(Reading::Absent, |c| {
                c.pci_id
                    .clone()
                    .map(|(vendor, device)| format!("{vendor:04x}:{device:04x}"))
            }),
        ),
        iommu_group_type: taker.take("nvme.iommu_group_type", text_of(|c| &c.iommu_group_type)),
        version: taker.take(
            "nvme.version",
            &data.as_ref().map(|d| d.version().to_string()),
        ),
        mdts: taker.take("nvme.mdts", &mdts),
        mdts_bytes: taker.take("nvme.mdts_bytes", &mdts.and_then(pages)),
        oncs: taker.take("nvme.oncs", &oncs.as_ref().map(|oncs| owned(oncs.names()))),
        oncs_raw: taker.take("nvme.oncs_raw", &oncs.map(|oncs| oncs.bits())),
        vwc: taker.take("nvme.vwc", &data.as_ref().map(|data| data.vwc() & 1 != 0)),
        wzsl: taker.take("nvme.wzsl", &wzsl),
        wzsl_bytes: taker.take("nvme.wzsl_bytes", &wzsl.and_then(pages)),
        wzdsl: taker.take("nvme.wzdsl", &nvm.as_ref().map(|nvm| nvm.wzdsl())),
        dmrl: taker.take("nvme.dmrl", &nvm.as_ref().map(|nvm| nvm.dmrl())),
        dmrsl: taker.take("nvme.dmrsl", &nvm.as_ref().map(|nvm| nvm.dmrsl())),
        dmsl: taker.take("nvme.dmsl", &nvm.as_ref().map(|nvm| nvm.dmsl())),
        nsze: taker.take("nvme.nsze", &namespace.as_ref().map(|ns| ns.nsze())),
        ncap: taker.take("nvme.ncap", &namespace.as_ref().map(|ns| ns.ncap())),
        nuse: taker.take("nvme.nuse", &namespace.as_ref().map(|ns| ns.nuse())),
        nsfeat: taker.take(
            "nvme.nsfeat",
            &nsfeat.as_ref().map(|nsfeat| owned(nsfeat.names())),
        ),
        nsfeat_raw: taker.take("nvme.nsfeat_raw", &nsfeat.map(|nsfeat| nsfeat.bits())),
        npwg_bytes: granularity.take(taker, "nvme.npwg_bytes", |ns| ns.npwg_blocks()),
        npwa_bytes: granularity.take(taker, "nvme.npwa_bytes", |ns| ns.npwa_blocks()),
        npdg_bytes: granularity.take(taker, "nvme.npdg_bytes", |ns| ns.npdg_blocks()),
        npda_bytes: granularity.take(taker, "nvme.npda_bytes", |ns| ns.npda_blocks()),
        nows_bytes: granularity.take(taker, "nvme.nows_bytes", |ns| ns.nows_blocks()),
        anagrpid: taker.take("nvme.anagrpid", &namespace.as_ref().map(|ns| ns.anagrpid())),
        nguid: taker.take(
            "nvme.nguid",
            &namespace.as_ref().and_then(|ns| hex_id(&ns.nguid())),
        ),
        eui64: taker.take(
            "nvme.eui64",
            &namespace.as_ref().and_then(|ns| hex_id(&ns.eui64())),
        ),
        dlfeat: taker.part("nvme.dlfeat", &namespace, |_, ns| dlfeat(ns)),
        lba_format: taker.part("nvme.lba_format", &format, |_, format| LbaFormatView {
            index: format.index,
            data_bytes: block,
            metadata_bytes: format.ms,
            rp: format.rp,
        }),
    })
}

fn dlfeat(namespace: &IdentifyNamespace) -> DlfeatView {
    let dlfeat = namespace.dlfeat();
    DlfeatView {
        raw: dlfeat.raw(),
        read_behavior: dlfeat.read_behavior().to_string(),
        deac: dlfeat.deac(),
        guard_crc: dlfeat.guard_crc(),
    }
}

/// Granularities in blocks become bytes with the block size of the format in use.
struct Granularities<'n> {
    block: Option<u64>,
    namespace: Reading<&'n IdentifyNamespace>,
}

impl Granularities<'_> {
    fn take(
        &self,
        taker: &mut Taker,
        field: &'static str,
        pick: impl Fn(&IdentifyNamespace) -> Granularity,
    ) -> Option<u64> {
        let reading = self
            .namespace
            .as_ref()
            .and_then(|namespace| match pick(namespace) {
                Granularity::NotReported => Reading::Absent,
                Granularity::Blocks(blocks) => {
                    match self.block.and_then(|block| blocks.checked_mul(block)) {
                        Some(bytes) => Reading::Present(bytes),
                        None => Reading::malformed("the LBA format in use makes no sense"),
                    }
                }
                Granularity::Odd { raw, why } => Reading::malformed(format!("{raw}: {why}")),
            });
        taker.take(field, &reading)
    }
}

fn on_path(
    device: &BlockDevice,
    taker: &mut Taker,
    field: &'static str,
    reading: &Reading<String>,
) -> Option<String> {
    match device.kind {
        Kind::NvmeHead => None,
        _ => taker.take(field, reading),
    }
}

fn on_head(
    device: &BlockDevice,
    taker: &mut Taker,
    field: &'static str,
    reading: &Reading<String>,
) -> Option<String> {
    match device.kind {
        Kind::NvmeHead => taker.take(field, reading),
        _ => None,
    }
}

/// A power of two of 4 KiB pages in bytes; absent for 0, no limit.
fn pages(power: u8) -> Reading<u64> {
    match (power, 1_u64.checked_shl(12 + u32::from(power))) {
        (0, _) => Reading::Absent,
        (_, Some(bytes)) => Reading::Present(bytes),
        (power, None) => {
            Reading::malformed(format!("2^{power} pages of 4 KiB are more than 2^63 bytes"))
        }
    }
}

fn owned(names: Vec<&'static str>) -> Vec<String> {
    names
        .into_iter()
        .map(|name| text::clean(name.as_bytes()))
        .collect()
}

fn hex_id(bytes: &[u8]) -> Reading<String> {
    use std::fmt::Write;
    if bytes.iter().all(|byte| *byte == 0) {
        return Reading::Absent;
    }
    Reading::Present(bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    }))
}
