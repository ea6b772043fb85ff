//! Vital product data pages (SPC-5, SBC-4 and SAT).

mod ata;
mod block;
mod ident;
#[cfg(test)]
mod ident_tests;
mod page;
#[cfg(test)]
mod tests;

pub use ata::AtaInformation;
pub use block::{BlockCharacteristics, BlockLimits, LogicalBlockProvisioning, ProvisioningType};
pub use ident::{
    Association, Designator, DesignatorKind, DeviceIdentification, SupportedPages, UnitSerial,
};
pub use page::{Decoded, PageError, PageFinding, VpdPage, page, page_transfer};

/// Supported VPD Pages.
pub const SUPPORTED_PAGES: u8 = 0x00;
/// Unit Serial Number.
pub const UNIT_SERIAL: u8 = 0x80;
/// Device Identification.
pub const DEVICE_IDENTIFICATION: u8 = 0x83;
/// ATA Information.
pub const ATA_INFORMATION: u8 = 0x89;
/// Block Limits.
pub const BLOCK_LIMITS: u8 = 0xb0;
/// Block Device Characteristics.
pub const BLOCK_CHARACTERISTICS: u8 = 0xb1;
/// Logical Block Provisioning.
pub const LOGICAL_BLOCK_PROVISIONING: u8 = 0xb2;
