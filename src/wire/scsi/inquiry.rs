//! Standard INQUIRY data (SPC-5, Standard INQUIRY data format).

use zerocopy::byteorder::big_endian as be;

use crate::wire::{WireError, bit, bits};

partial! {
    /// Standard INQUIRY data. At least the 36 bytes that every device since SCSI-2 returns; what
    /// lies beyond ADDITIONAL LENGTH or the transfer is `None`.
    cite "SPC-5, Standard INQUIRY data format";
    pub struct StandardInquiry(Raw) [74] {
        /// Peripheral qualifier and device type.
        0 => byte0: u8 = "PERIPHERAL QUALIFIER", "PERIPHERAL DEVICE TYPE";
        /// Removable medium and logical unit conglomerate.
        1 => byte1: u8 = "RMB", "LU_CONG";
        /// Version.
        2 => version_byte: u8 = "VERSION";
        /// Response data format and what precedes it.
        3 => byte3: u8 = "RESPONSE DATA FORMAT";
        /// Additional length.
        4 => additional: u8 = "ADDITIONAL LENGTH";
        /// SCCS to PROTECT.
        5 => byte5: u8 = "PROTECT", "3PC", "TPGS";
        /// ENCSERV to MULTIP.
        6 => rsvd6: u8;
        /// CMDQUE.
        7 => byte7: u8 = "CMDQUE";
        /// T10 vendor identification.
        8 => t10_vendor: [u8; 8] = "T10 VENDOR IDENTIFICATION";
        /// Product identification.
        16 => product_id: [u8; 16] = "PRODUCT IDENTIFICATION";
        /// Product revision level.
        32 => product_rev: [u8; 4] = "PRODUCT REVISION LEVEL";
        /// Vendor specific.
        36 => vendor_specific: [u8; 20];
        /// Reserved.
        56 => rsvd56: [u8; 2];
        /// Version descriptors 1 to 8.
        58 => descriptors: [be::U16; 8] = "VERSION DESCRIPTOR";
    }
}

impl StandardInquiry {
    const WHAT: &'static str = "standard INQUIRY data";

    /// The data, at least 36 bytes of it.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let short = WireError::Short {
            what: Self::WHAT,
            need: 36,
            have: bytes.len(),
        };
        let (Some(additional), true) = (bytes.get(4), bytes.len() >= 36) else {
            return Err(short);
        };
        if crate::wire::all_ff(bytes) {
            return Err(WireError::AllOnes { what: Self::WHAT });
        }
        // The first 36 bytes are mandatory since SCSI-2, whatever ADDITIONAL LENGTH says.
        let said = usize::from(*additional).saturating_add(5).max(36);
        Ok(Self::from_known(
            bytes.get(..said.min(bytes.len())).unwrap_or_default(),
        ))
    }

    /// PERIPHERAL QUALIFIER, byte 0 bits 7:5: 0 connected, 1 may be, 3 can't be.
    pub fn peripheral_qualifier(&self) -> u8 {
        bits(self.raw.byte0, 7, 5)
    }

    /// PERIPHERAL DEVICE TYPE, byte 0 bits 4:0: 0 is a disk, 14h a zoned one.
    pub fn device_type(&self) -> u8 {
        bits(self.raw.byte0, 4, 0)
    }

    /// RMB, byte 1 bit 7: the medium is removable.
    pub fn rmb(&self) -> bool {
        bit(self.raw.byte1, 7)
    }

    /// VERSION, byte 2: 5 is SPC-3, 6 SPC-4, 7 SPC-5.
    pub fn version(&self) -> u8 {
        self.raw.version_byte
    }

    /// RESPONSE DATA FORMAT, byte 3 bits 3:0: 2 since SCSI-2.
    pub fn response_data_format(&self) -> u8 {
        bits(self.raw.byte3, 3, 0)
    }

    /// ADDITIONAL LENGTH, byte 4: bytes after itself.
    pub fn additional_length(&self) -> u8 {
        self.raw.additional
    }

    /// PROTECT, byte 5 bit 0: protection information is supported.
    pub fn protect(&self) -> bool {
        bit(self.raw.byte5, 0)
    }

    /// 3PC, byte 5 bit 3: third-party copy commands.
    pub fn third_party_copy(&self) -> bool {
        bit(self.raw.byte5, 3)
    }

    /// TPGS, byte 5 bits 5:4: asymmetric access, 1 implicit, 2 explicit, 3 both.
    pub fn tpgs(&self) -> u8 {
        bits(self.raw.byte5, 5, 4)
    }

    /// CMDQUE, byte 7 bit 1: command management.
    pub fn cmdque(&self) -> bool {
        bit(self.raw.byte7, 1)
    }

    /// T10 VENDOR IDENTIFICATION, bytes 8 to 15.
    pub fn vendor(&self) -> &[u8; 8] {
        &self.raw.t10_vendor
    }

    /// PRODUCT IDENTIFICATION, bytes 16 to 31.
    pub fn product(&self) -> &[u8; 16] {
        &self.raw.product_id
    }

    /// PRODUCT REVISION LEVEL, bytes 32 to 35.
    pub fn revision(&self) -> &[u8; 4] {
        &self.raw.product_rev
    }

    /// VERSION DESCRIPTOR 1 to 8, bytes 58 to 73: those that are there and not 0.
    pub fn version_descriptors(&self) -> Vec<u16> {
        let there = self.have.saturating_sub(58) / 2;
        let all = self.raw.descriptors.iter().take(there);
        all.map(|descriptor| descriptor.get())
            .filter(|code| *code != 0)
            .collect()
    }
}
