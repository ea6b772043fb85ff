//! ATA Information, 89h (SAT-4): what a SCSI to ATA translation layer says of the ATA device.

use zerocopy::byteorder::little_endian as le;

use super::ATA_INFORMATION;
use super::page::{Decoded, PageError, page};

partial! {
    /// ATA Information VPD page, 89h.
    cite "SAT-4, ATA Information VPD page";
    pub struct AtaInformation(Raw) [572] {
        /// Header: peripheral, PAGE CODE, PAGE LENGTH.
        0 => header: [u8; 4];
        /// Reserved.
        4 => rsvd4: [u8; 4];
        /// SAT VENDOR IDENTIFICATION.
        8 => pub sat_vendor: [u8; 8] as [u8; 8] = "SAT VENDOR IDENTIFICATION";
        /// SAT PRODUCT IDENTIFICATION.
        16 => pub sat_product: [u8; 16] as [u8; 16] = "SAT PRODUCT IDENTIFICATION";
        /// SAT PRODUCT REVISION LEVEL.
        32 => pub sat_revision: [u8; 4] as [u8; 4] = "SAT PRODUCT REVISION LEVEL";
        /// ATA DEVICE SIGNATURE, a device to host FIS.
        36 => pub signature: [u8; 20] as [u8; 20] = "ATA DEVICE SIGNATURE";
        /// COMMAND CODE: ECh where the data are those of IDENTIFY DEVICE, A1h of the packet form.
        56 => pub command_code: u8 as u8 = "COMMAND CODE";
        /// Reserved.
        57 => rsvd57: [u8; 3];
        /// IDENTIFY DEVICE data, 256 words.
        60 => identify: [le::U16; 256] = "IDENTIFY DEVICE DATA";
    }
}

impl AtaInformation {
    /// The page in `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Decoded<Self>, PageError> {
        let mut page = page(ATA_INFORMATION, bytes)?;
        page.compare_length(572);
        Ok(Decoded {
            value: Self::from_known(page.bytes),
            findings: page.findings,
        })
    }

    /// A word of IDENTIFY DEVICE data (ACS-4); `None` beyond the page's length.
    pub fn word(&self, n: usize) -> Option<u16> {
        let end = n.checked_mul(2)?.checked_add(62)?;
        let word = self.raw.identify.get(n)?;
        (end <= self.have).then(|| word.get())
    }

    /// Word 169 bit 0: DATA SET MANAGEMENT with TRIM is supported.
    pub fn trim(&self) -> Option<bool> {
        self.word_bit(169, 0)
    }

    /// Word 69 bit 14, DRAT: reads of trimmed blocks are deterministic.
    pub fn drat(&self) -> Option<bool> {
        self.word_bit(69, 14)
    }

    /// Word 69 bit 5, RZAT: trimmed blocks read as zeroes.
    pub fn rzat(&self) -> Option<bool> {
        self.word_bit(69, 5)
    }

    /// Word 105: most 512-byte blocks of ranges in one DATA SET MANAGEMENT; 0 is not reported.
    pub fn dsm_blocks(&self) -> Option<u16> {
        self.word(105)
    }

    /// Words 10 to 19: serial number.
    pub fn serial(&self) -> Option<String> {
        self.string(10, 19)
    }

    /// Words 23 to 26: firmware revision.
    pub fn firmware(&self) -> Option<String> {
        self.string(23, 26)
    }

    /// Words 27 to 46: model number.
    pub fn model(&self) -> Option<String> {
        self.string(27, 46)
    }

    fn word_bit(&self, n: usize, at: u32) -> Option<bool> {
        self.word(n).map(|word| word >> at & 1 == 1)
    }

    /// An ATA string: two characters in each word, the first in its upper byte (ACS-4 3.3.10).
    fn string(&self, first: usize, last: usize) -> Option<String> {
        let words = (first..=last).map(|n| self.word(n).map(u16::to_be_bytes));
        let pairs: Vec<[u8; 2]> = words.collect::<Option<_>>()?;
        Some(crate::wire::text(pairs.as_flattened()))
    }
}
