//! GET LBA STATUS parameter data (SBC-4).

use std::fmt;

use zerocopy::FromBytes;
use zerocopy::byteorder::big_endian as be;

use crate::wire::{WireError, bit, bits};

layout! {
    /// LBA status descriptor.
    cite "SBC-4, LBA status descriptor";
    pub struct LbaStatusDescriptor [16] {
        /// LBA STATUS LOGICAL BLOCK ADDRESS: the first block of the extent.
        0 => pub lba: be::U64 as u64 = "LBA STATUS LOGICAL BLOCK ADDRESS";
        /// NUMBER OF LOGICAL BLOCKS in the extent.
        8 => pub blocks: be::U32 as u32 = "NUMBER OF LOGICAL BLOCKS";
        /// PROVISIONING STATUS.
        12 => byte12: u8 = "PROVISIONING STATUS";
        /// ADDITIONAL STATUS.
        13 => pub additional_status: u8 as u8 = "ADDITIONAL STATUS";
        /// Reserved.
        14 => rsvd14: [u8; 2];
    }
}

impl LbaStatusDescriptor {
    /// PROVISIONING STATUS, byte 12 bits 3:0.
    pub fn provisioning_status(&self) -> ProvisioningStatus {
        match bits(self.byte12, 3, 0) {
            0 => ProvisioningStatus::MappedOrUnknown,
            1 => ProvisioningStatus::Deallocated,
            2 => ProvisioningStatus::Anchored,
            3 => ProvisioningStatus::Mapped,
            4 => ProvisioningStatus::Unknown,
            other => ProvisioningStatus::Reserved(other),
        }
    }
}

/// PROVISIONING STATUS (SBC-4, PROVISIONING STATUS field).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProvisioningStatus {
    /// 0h: mapped, or the state is unknown.
    MappedOrUnknown,
    /// 1h.
    Deallocated,
    /// 2h.
    Anchored,
    /// 3h (SBC-4 and later).
    Mapped,
    /// 4h (SBC-4 and later).
    Unknown,
    /// 5h to Fh.
    Reserved(u8),
}

impl fmt::Display for ProvisioningStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::MappedOrUnknown => "mapped-or-unknown",
            Self::Deallocated => "deallocated",
            Self::Anchored => "anchored",
            Self::Mapped => "mapped",
            Self::Unknown => "unknown",
            Self::Reserved(_) => "reserved",
        })
    }
}

/// GET LBA STATUS parameter data.
#[derive(Debug, Clone)]
pub struct LbaStatus {
    /// PARAMETER DATA LENGTH, bytes 0 to 3: what follows it on the device, transferred or not.
    pub parameter_data_length: u32,
    /// COMPLETION CONDITION, byte 7 bits 3:1: why the list ends where it does.
    pub completion_condition: u8,
    /// RTP, byte 7 bit 0: the report type of the CDB was processed.
    pub rtp: bool,
    /// The descriptors that were transferred whole.
    pub descriptors: Vec<LbaStatusDescriptor>,
    /// The transfer ended before the length that the device states.
    pub truncated: bool,
}

impl LbaStatus {
    /// The eight bytes of header and the descriptors behind them.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let what = "GET LBA STATUS parameter data";
        let Some((&[l0, l1, l2, l3, _, _, _, flags], rest)) = bytes.split_first_chunk::<8>() else {
            return Err(WireError::Short {
                what,
                need: 8,
                have: bytes.len(),
            });
        };
        let parameter_data_length = u32::from_be_bytes([l0, l1, l2, l3]);
        // The length counts from byte 4 on, four bytes of which are still header.
        let Some(said) = parameter_data_length.checked_sub(4) else {
            return Err(WireError::Malformed {
                what,
                field: "PARAMETER DATA LENGTH",
                found: u64::from(parameter_data_length),
                expected: "at least 4",
            });
        };
        let said = usize::try_from(said).unwrap_or(usize::MAX);
        let list = rest.get(..said.min(rest.len())).unwrap_or_default();
        let descriptors = list
            .chunks_exact(size_of::<LbaStatusDescriptor>())
            .filter_map(|chunk| LbaStatusDescriptor::read_from_bytes(chunk).ok())
            .collect();
        Ok(Self {
            parameter_data_length,
            completion_condition: bits(flags, 3, 1),
            rtp: bit(flags, 0),
            descriptors,
            truncated: said > rest.len(),
        })
    }
}
