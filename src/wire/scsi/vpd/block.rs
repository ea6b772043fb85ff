//! The pages of block devices: B0h, B1h, B2h (SBC-4).

use std::fmt;

use zerocopy::byteorder::big_endian as be;

use super::ident::Designator;
use super::page::{Decoded, PageError, VpdPage, page};
use super::{BLOCK_CHARACTERISTICS, BLOCK_LIMITS, LOGICAL_BLOCK_PROVISIONING};
use crate::wire::{bit, bits};

partial! {
    /// Block Limits VPD page, B0h. A limit of 0 means "not reported", not "none".
    cite "SBC-4, Block Limits VPD page";
    pub struct BlockLimits(RawLimits) [64] {
        /// Peripheral qualifier and device type.
        0 => peripheral: u8;
        /// PAGE CODE.
        1 => page_code: u8;
        /// PAGE LENGTH.
        2 => pub page_length: be::U16 as u16 = "PAGE LENGTH";
        /// WSNZ and reserved bits.
        4 => byte4: u8 as u8 = "WSNZ";
        /// MAXIMUM COMPARE AND WRITE LENGTH, blocks.
        5 => pub maximum_compare_and_write_length: u8 as u8 = "MAXIMUM COMPARE AND WRITE LENGTH";
        /// OPTIMAL TRANSFER LENGTH GRANULARITY, blocks.
        6 => pub optimal_transfer_length_granularity: be::U16 as u16
            = "OPTIMAL TRANSFER LENGTH GRANULARITY";
        /// MAXIMUM TRANSFER LENGTH, blocks.
        8 => pub maximum_transfer_length: be::U32 as u32 = "MAXIMUM TRANSFER LENGTH";
        /// OPTIMAL TRANSFER LENGTH, blocks.
        12 => pub optimal_transfer_length: be::U32 as u32 = "OPTIMAL TRANSFER LENGTH";
        /// MAXIMUM PREFETCH LENGTH, blocks.
        16 => pub maximum_prefetch_length: be::U32 as u32 = "MAXIMUM PREFETCH LENGTH";
        /// MAXIMUM UNMAP LBA COUNT, blocks; FFFFFFFFh is no limit.
        20 => pub maximum_unmap_lba_count: be::U32 as u32 = "MAXIMUM UNMAP LBA COUNT";
        /// MAXIMUM UNMAP BLOCK DESCRIPTOR COUNT; FFFFFFFFh is no limit.
        24 => pub maximum_unmap_block_descriptor_count: be::U32 as u32
            = "MAXIMUM UNMAP BLOCK DESCRIPTOR COUNT";
        /// OPTIMAL UNMAP GRANULARITY, blocks.
        28 => pub optimal_unmap_granularity: be::U32 as u32 = "OPTIMAL UNMAP GRANULARITY";
        /// UGAVALID and UNMAP GRANULARITY ALIGNMENT.
        32 => alignment: [u8; 4] as [u8; 4] = "UGAVALID", "UNMAP GRANULARITY ALIGNMENT";
        /// MAXIMUM WRITE SAME LENGTH, blocks.
        36 => pub maximum_write_same_length: be::U64 as u64 = "MAXIMUM WRITE SAME LENGTH";
        /// MAXIMUM ATOMIC TRANSFER LENGTH, blocks.
        44 => pub maximum_atomic_transfer_length: be::U32 as u32
            = "MAXIMUM ATOMIC TRANSFER LENGTH";
        /// ATOMIC ALIGNMENT, blocks.
        48 => pub atomic_alignment: be::U32 as u32 = "ATOMIC ALIGNMENT";
        /// ATOMIC TRANSFER LENGTH GRANULARITY, blocks.
        52 => pub atomic_transfer_length_granularity: be::U32 as u32
            = "ATOMIC TRANSFER LENGTH GRANULARITY";
        /// MAXIMUM ATOMIC TRANSFER LENGTH WITH ATOMIC BOUNDARY, blocks.
        56 => pub maximum_atomic_transfer_length_with_atomic_boundary: be::U32 as u32
            = "MAXIMUM ATOMIC TRANSFER LENGTH WITH ATOMIC BOUNDARY";
        /// MAXIMUM ATOMIC BOUNDARY SIZE, blocks.
        60 => pub maximum_atomic_boundary_size: be::U32 as u32 = "MAXIMUM ATOMIC BOUNDARY SIZE";
    }
}

impl BlockLimits {
    /// The page in `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Decoded<Self>, PageError> {
        let mut page = page(BLOCK_LIMITS, bytes)?;
        page.compare_length(64);
        Ok(Self::from_page(page))
    }

    /// From a page whose code was checked.
    pub fn from_page(page: VpdPage<'_>) -> Decoded<Self> {
        Decoded {
            value: Self::from_known(page.bytes),
            findings: page.findings,
        }
    }

    /// How long the page is with its header, as PAGE LENGTH says: 64 since SBC-3, 16 in SBC-2.
    pub fn page_bytes(&self) -> usize {
        usize::from(self.raw.page_length.get()) + 4
    }

    /// WSNZ, byte 4 bit 0: WRITE SAME with a length of 0 (all blocks) is not supported.
    pub fn wsnz(&self) -> Option<bool> {
        self.byte4().map(|byte| bit(byte, 0))
    }

    /// UGAVALID, byte 32 bit 7: UNMAP GRANULARITY ALIGNMENT counts.
    pub fn ugavalid(&self) -> Option<bool> {
        self.alignment().map(|[top, ..]| bit(top, 7))
    }

    /// UNMAP GRANULARITY ALIGNMENT, byte 32 bits 6:0 and bytes 33 to 35, whatever UGAVALID says.
    pub fn unmap_granularity_alignment(&self) -> Option<u32> {
        let [top, b, c, d] = self.alignment()?;
        Some(u32::from_be_bytes([bits(top, 6, 0), b, c, d]))
    }
}

partial! {
    /// Block Device Characteristics VPD page, B1h.
    cite "SBC-4, Block Device Characteristics VPD page";
    pub struct BlockCharacteristics(RawCharacteristics) [64] {
        /// Header: peripheral, PAGE CODE, PAGE LENGTH.
        0 => header: [u8; 4];
        /// MEDIUM ROTATION RATE, rpm; 0 not reported, 1 no medium that rotates.
        4 => pub medium_rotation_rate: be::U16 as u16 = "MEDIUM ROTATION RATE";
        /// PRODUCT TYPE.
        6 => pub product_type: u8 as u8 = "PRODUCT TYPE";
        /// WABEREQ, WACEREQ and NOMINAL FORM FACTOR.
        7 => byte7: u8 as u8 = "WABEREQ", "WACEREQ", "NOMINAL FORM FACTOR";
        /// ZONED, BOCS, FUAB, VBULS.
        8 => byte8: u8 as u8 = "ZONED", "BOCS", "FUAB", "VBULS";
        /// Reserved.
        9 => rsvd9: [u8; 3];
        /// DEPOPULATION TIME, seconds.
        12 => pub depopulation_time: be::U32 as u32 = "DEPOPULATION TIME";
        /// Reserved.
        16 => rsvd16: [u8; 48];
    }
}

impl BlockCharacteristics {
    /// The page in `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Decoded<Self>, PageError> {
        let mut page = page(BLOCK_CHARACTERISTICS, bytes)?;
        page.compare_length(64);
        Ok(Self::from_page(page))
    }

    /// From a page whose code was checked.
    pub fn from_page(page: VpdPage<'_>) -> Decoded<Self> {
        Decoded {
            value: Self::from_known(page.bytes),
            findings: page.findings,
        }
    }

    /// WABEREQ, byte 7 bits 7:6: what reading a block whose write was interrupted gives.
    pub fn wabereq(&self) -> Option<u8> {
        self.byte7().map(|byte| bits(byte, 7, 6))
    }

    /// WACEREQ, byte 7 bits 5:4: what a sanitized block reads as.
    pub fn wacereq(&self) -> Option<u8> {
        self.byte7().map(|byte| bits(byte, 5, 4))
    }

    /// NOMINAL FORM FACTOR, byte 7 bits 3:0.
    pub fn nominal_form_factor(&self) -> Option<u8> {
        self.byte7().map(|byte| bits(byte, 3, 0))
    }

    /// ZONED, byte 8 bits 5:4: 0 not reported, 1 host aware, 2 device managed.
    pub fn zoned(&self) -> Option<u8> {
        self.byte8().map(|byte| bits(byte, 5, 4))
    }

    /// BOCS, byte 8 bit 2: background operation control.
    pub fn bocs(&self) -> Option<bool> {
        self.byte8().map(|byte| bit(byte, 2))
    }

    /// FUAB, byte 8 bit 1: FUA and SYNCHRONIZE CACHE behave as SBC-3 says.
    pub fn fuab(&self) -> Option<bool> {
        self.byte8().map(|byte| bit(byte, 1))
    }

    /// VBULS, byte 8 bit 0: VERIFY of unmapped blocks is supported.
    pub fn vbuls(&self) -> Option<bool> {
        self.byte8().map(|byte| bit(byte, 0))
    }
}

partial! {
    /// The fixed part of the Logical Block Provisioning VPD page, B2h.
    cite "SBC-4, Logical Block Provisioning VPD page";
    pub struct LogicalBlockProvisioning(RawProvisioning) [8] {
        /// Header: peripheral, PAGE CODE, PAGE LENGTH.
        0 => header: [u8; 4];
        /// THRESHOLD EXPONENT.
        4 => pub threshold_exponent: u8 as u8 = "THRESHOLD EXPONENT";
        /// LBPU, LBPWS, LBPWS10, LBPRZ, ANC_SUP, DP.
        5 => byte5: u8 as u8 = "LBPU", "LBPWS", "LBPWS10", "LBPRZ", "ANC_SUP", "DP";
        /// MINIMUM PERCENTAGE and PROVISIONING TYPE.
        6 => byte6: u8 as u8 = "MINIMUM PERCENTAGE", "PROVISIONING TYPE";
        /// THRESHOLD PERCENTAGE; 0 is not reported.
        7 => pub threshold_percentage: u8 as u8 = "THRESHOLD PERCENTAGE";
    }
}

/// PROVISIONING TYPE, byte 6 bits 2:0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProvisioningType {
    /// 000b: not reported, or fully provisioned.
    NotReported,
    /// 001b: resource provisioned.
    Resource,
    /// 010b: thin provisioned.
    Thin,
    /// 011b to 111b.
    Reserved(u8),
}

impl fmt::Display for ProvisioningType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotReported => "not-reported",
            Self::Resource => "resource",
            Self::Thin => "thin",
            Self::Reserved(_) => "reserved",
        })
    }
}

impl LogicalBlockProvisioning {
    /// The page in `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Decoded<Self>, PageError> {
        let mut page = page(LOGICAL_BLOCK_PROVISIONING, bytes)?;
        // A provisioning group descriptor may follow where DP is set; only its lack is odd.
        if page.bytes.len() < 8 || page.bytes.get(5).is_some_and(|byte| !bit(*byte, 0)) {
            page.compare_length(8);
        }
        Ok(Self::from_page(page))
    }

    /// From a page whose code was checked.
    pub fn from_page(page: VpdPage<'_>) -> Decoded<Self> {
        Decoded {
            value: Self::from_known(page.bytes),
            findings: page.findings,
        }
    }

    /// LBPU, byte 5 bit 7: the UNMAP command.
    pub fn lbpu(&self) -> Option<bool> {
        self.byte5().map(|byte| bit(byte, 7))
    }

    /// LBPWS, byte 5 bit 6: WRITE SAME (16) with UNMAP.
    pub fn lbpws(&self) -> Option<bool> {
        self.byte5().map(|byte| bit(byte, 6))
    }

    /// LBPWS10, byte 5 bit 5: WRITE SAME (10) with UNMAP.
    pub fn lbpws10(&self) -> Option<bool> {
        self.byte5().map(|byte| bit(byte, 5))
    }

    /// LBPRZ, byte 5 bits 4:2: what an unmapped block reads as. 000b vendor specific, xx1b zeroes,
    /// 010b the provisioning initialization pattern. Up to SBC-3 it is bit 2 alone.
    pub fn lbprz(&self) -> Option<u8> {
        self.byte5().map(|byte| bits(byte, 4, 2))
    }

    /// ANC_SUP, byte 5 bit 1: anchored blocks.
    pub fn anc_sup(&self) -> Option<bool> {
        self.byte5().map(|byte| bit(byte, 1))
    }

    /// DP, byte 5 bit 0: a provisioning group descriptor follows.
    pub fn dp(&self) -> Option<bool> {
        self.byte5().map(|byte| bit(byte, 0))
    }

    /// MINIMUM PERCENTAGE, byte 6 bits 7:3; 0 is not reported.
    pub fn minimum_percentage(&self) -> Option<u8> {
        self.byte6().map(|byte| bits(byte, 7, 3))
    }

    /// PROVISIONING TYPE, byte 6 bits 2:0.
    pub fn provisioning_type(&self) -> Option<ProvisioningType> {
        Some(match bits(self.byte6()?, 2, 0) {
            0 => ProvisioningType::NotReported,
            1 => ProvisioningType::Resource,
            2 => ProvisioningType::Thin,
            other => ProvisioningType::Reserved(other),
        })
    }

    /// PROVISIONING GROUP DESCRIPTOR, from byte 8 on: a designation descriptor, where DP is set.
    pub fn provisioning_group(bytes: &[u8]) -> Result<Option<Designator>, PageError> {
        let page = page(LOGICAL_BLOCK_PROVISIONING, bytes)?;
        match page.bytes.get(5..8) {
            Some([flags, ..]) if bit(*flags, 0) => Designator::list(&page, 8).map(|list| {
                let mut list = list.into_iter();
                list.next()
            }),
            _ => Ok(None),
        }
    }
}
