//! The pages that say which device it is: 00h, 80h, 83h (SPC-5).

use super::page::{Decoded, PageError, VpdPage, page};
use super::{DEVICE_IDENTIFICATION, SUPPORTED_PAGES, UNIT_SERIAL};
use crate::wire::{bit, bits};

/// Supported VPD Pages, 00h (SPC-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportedPages {
    /// The page codes, as the device lists them.
    pub codes: Vec<u8>,
}

impl SupportedPages {
    /// The page in `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Decoded<Self>, PageError> {
        let page = page(SUPPORTED_PAGES, bytes)?;
        let value = Self {
            codes: page.body().to_vec(),
        };
        Ok(Decoded {
            value,
            findings: page.findings,
        })
    }

    /// Whether the device lists a page.
    pub fn contains(&self, code: u8) -> bool {
        self.codes.contains(&code)
    }
}

/// Unit Serial Number, 80h (SPC-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitSerial {
    /// PRODUCT SERIAL NUMBER, from byte 4 on, with its padding.
    pub serial: Vec<u8>,
}

impl UnitSerial {
    /// The page in `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Decoded<Self>, PageError> {
        let page = page(UNIT_SERIAL, bytes)?;
        let value = Self {
            serial: page.body().to_vec(),
        };
        Ok(Decoded {
            value,
            findings: page.findings,
        })
    }

    /// The serial number without padding; all spaces (not available) gives an empty text.
    pub fn text(&self) -> String {
        crate::wire::text(&self.serial)
    }
}

/// Device Identification, 83h (SPC-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceIdentification {
    /// The designation descriptors, in order.
    pub designators: Vec<Designator>,
}

impl DeviceIdentification {
    /// The page in `bytes`; a descriptor whose length passes the page's end is an error.
    pub fn decode(bytes: &[u8]) -> Result<Decoded<Self>, PageError> {
        let page = page(DEVICE_IDENTIFICATION, bytes)?;
        let designators = Designator::list(&page, 4)?;
        Ok(Decoded {
            value: Self { designators },
            findings: page.findings,
        })
    }

    /// The designators of the logical unit itself with this type.
    pub fn of_unit(&self, kind: DesignatorKind) -> impl Iterator<Item = &Designator> {
        let of_unit = |designator: &&Designator| designator.association == Association::LogicalUnit;
        self.designators
            .iter()
            .filter(of_unit)
            .filter(move |found| found.kind == kind)
    }
}

/// A designation descriptor (SPC-5, Designation descriptor).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Designator {
    /// ASSOCIATION, byte 1 bits 5:4.
    pub association: Association,
    /// DESIGNATOR TYPE, byte 1 bits 3:0.
    pub kind: DesignatorKind,
    /// CODE SET, byte 0 bits 3:0: 1 binary, 2 ASCII, 3 UTF-8.
    pub code_set: u8,
    /// PROTOCOL IDENTIFIER, byte 0 bits 7:4, where PIV (byte 1 bit 7) says that it counts.
    pub protocol: Option<u8>,
    /// DESIGNATOR, from byte 4 on.
    pub value: Vec<u8>,
}

/// What a designator names: ASSOCIATION.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Association {
    /// 00b.
    LogicalUnit,
    /// 01b.
    TargetPort,
    /// 10b.
    TargetDevice,
    /// 11b.
    Reserved,
}

/// DESIGNATOR TYPE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DesignatorKind {
    /// 0h: vendor specific.
    VendorSpecific,
    /// 1h: T10 vendor identification.
    T10,
    /// 2h: EUI-64, of 8, 12 or 16 bytes.
    Eui64,
    /// 3h: NAA, of 8 or 16 bytes.
    Naa,
    /// 4h: relative target port.
    RelativeTargetPort,
    /// 5h: target port group.
    TargetPortGroup,
    /// 6h: logical unit group.
    LogicalUnitGroup,
    /// 7h: MD5 logical unit identifier.
    Md5,
    /// 8h: SCSI name string.
    ScsiName,
    /// 9h: protocol specific port.
    ProtocolSpecificPort,
    /// Ah: UUID.
    Uuid,
    /// Bh to Fh.
    Reserved(u8),
}

impl Designator {
    /// The descriptors of a page from byte `at` on; each must end within it.
    pub(super) fn list(page: &VpdPage<'_>, mut at: usize) -> Result<Vec<Self>, PageError> {
        let mut list = Vec::new();
        let mut rest = page.bytes.get(at..).unwrap_or_default();
        while !rest.is_empty() {
            let malformed = |need| PageError::Malformed {
                code: page.code,
                what: "designation descriptor",
                at,
                need,
                have: rest.len(),
            };
            let Some((&[byte0, byte1, _, len], tail)) = rest.split_first_chunk::<4>() else {
                return Err(malformed(4));
            };
            let need = usize::from(len) + 4;
            let Some((value, next)) = tail.split_at_checked(usize::from(len)) else {
                return Err(malformed(need));
            };
            list.push(Self::new(byte0, byte1, value));
            at += need;
            rest = next;
        }
        Ok(list)
    }

    fn new(byte0: u8, byte1: u8, value: &[u8]) -> Self {
        Self {
            association: match bits(byte1, 5, 4) {
                0 => Association::LogicalUnit,
                1 => Association::TargetPort,
                2 => Association::TargetDevice,
                _ => Association::Reserved,
            },
            kind: match bits(byte1, 3, 0) {
                0x0 => DesignatorKind::VendorSpecific,
                0x1 => DesignatorKind::T10,
                0x2 => DesignatorKind::Eui64,
                0x3 => DesignatorKind::Naa,
                0x4 => DesignatorKind::RelativeTargetPort,
                0x5 => DesignatorKind::TargetPortGroup,
                0x6 => DesignatorKind::LogicalUnitGroup,
                0x7 => DesignatorKind::Md5,
                0x8 => DesignatorKind::ScsiName,
                0x9 => DesignatorKind::ProtocolSpecificPort,
                0xa => DesignatorKind::Uuid,
                other => DesignatorKind::Reserved(other),
            },
            code_set: bits(byte0, 3, 0),
            protocol: bit(byte1, 7).then(|| bits(byte0, 7, 4)),
            value: value.to_vec(),
        }
    }

    /// The designator as people write it: text for the ASCII and UTF-8 code sets, else hexadecimal.
    pub fn text(&self) -> String {
        if matches!(self.code_set, 2 | 3) {
            return crate::wire::text(&self.value);
        }
        let mut text = String::with_capacity(self.value.len().saturating_mul(2));
        for byte in &self.value {
            for digit in [bits(*byte, 7, 4), bits(*byte, 3, 0)] {
                text.extend(char::from_digit(u32::from(digit), 16));
            }
        }
        text
    }
}
