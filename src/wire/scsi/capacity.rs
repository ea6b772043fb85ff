//! READ CAPACITY (16) parameter data (SBC-4).

use zerocopy::FromBytes;
use zerocopy::byteorder::big_endian as be;

use crate::wire::{WireError, all_ff, bit, bits};

layout! {
    /// READ CAPACITY (16) parameter data, up to the last field that SBC-4 defines.
    cite "SBC-4, READ CAPACITY (16) parameter data";
    pub struct ReadCapacity16 [16] {
        /// RETURNED LOGICAL BLOCK ADDRESS: the last block of the device.
        0 => pub last_lba: be::U64 as u64 = "RETURNED LOGICAL BLOCK ADDRESS";
        /// LOGICAL BLOCK LENGTH IN BYTES.
        8 => pub block_length: be::U32 as u32 = "LOGICAL BLOCK LENGTH IN BYTES";
        /// RC BASIS, P_TYPE, PROT_EN.
        12 => byte12: u8 = "RC BASIS", "P_TYPE", "PROT_EN";
        /// P_I_EXPONENT and LOGICAL BLOCKS PER PHYSICAL BLOCK EXPONENT.
        13 => byte13: u8 = "P_I_EXPONENT", "LOGICAL BLOCKS PER PHYSICAL BLOCK EXPONENT";
        /// LBPME, LBPRZ and LOWEST ALIGNED LOGICAL BLOCK ADDRESS.
        14 => aligned: [u8; 2] = "LBPME", "LBPRZ", "LOWEST ALIGNED LOGICAL BLOCK ADDRESS";
    }
}

impl Copy for ReadCapacity16 {}

impl PartialEq for ReadCapacity16 {
    fn eq(&self, other: &Self) -> bool {
        zerocopy::IntoBytes::as_bytes(self) == zerocopy::IntoBytes::as_bytes(other)
    }
}

impl Eq for ReadCapacity16 {}

impl ReadCapacity16 {
    const WHAT: &'static str = "READ CAPACITY (16) parameter data";

    /// The data. A transfer that ends before byte 16 leaves LBPME unknown, so it is an error.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let short = WireError::Short {
            what: Self::WHAT,
            need: 16,
            have: bytes.len(),
        };
        let (this, _) = Self::read_from_prefix(bytes).map_err(|_| short)?;
        if all_ff(bytes) {
            return Err(WireError::AllOnes { what: Self::WHAT });
        }
        Ok(this)
    }

    /// RC BASIS, byte 12 bits 5:4: which zones the last LBA counts, on zoned devices.
    pub fn rc_basis(&self) -> u8 {
        bits(self.byte12, 5, 4)
    }

    /// P_TYPE, byte 12 bits 3:1: the protection type less one; it counts where PROT_EN is set.
    pub fn p_type(&self) -> u8 {
        bits(self.byte12, 3, 1)
    }

    /// PROT_EN, byte 12 bit 0: protection information is enabled.
    pub fn prot_en(&self) -> bool {
        bit(self.byte12, 0)
    }

    /// P_I_EXPONENT, byte 13 bits 7:4.
    pub fn p_i_exponent(&self) -> u8 {
        bits(self.byte13, 7, 4)
    }

    /// LOGICAL BLOCKS PER PHYSICAL BLOCK EXPONENT, byte 13 bits 3:0.
    pub fn lbppbe(&self) -> u8 {
        bits(self.byte13, 3, 0)
    }

    /// LBPME, byte 14 bit 7: logical block provisioning management is enabled.
    pub fn lbpme(&self) -> bool {
        bit(self.aligned[0], 7)
    }

    /// LBPRZ, byte 14 bit 6: an unmapped block reads as zeroes.
    pub fn lbprz(&self) -> bool {
        bit(self.aligned[0], 6)
    }

    /// LOWEST ALIGNED LOGICAL BLOCK ADDRESS, byte 14 bits 5:0 and byte 15.
    pub fn lowest_aligned_lba(&self) -> u16 {
        u16::from_be_bytes([bits(self.aligned[0], 5, 0), self.aligned[1]])
    }
}
