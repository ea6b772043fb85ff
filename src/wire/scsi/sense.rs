//! Sense data (SPC-5, Sense data): why a command did not do what it was asked.

use std::fmt;

use super::sense_text;
use crate::wire::{WireError, bit, bits};

/// Sense data in fixed or descriptor format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sense {
    response_code: u8,
    key: u8,
    asc: Option<u8>,
    ascq: Option<u8>,
    information: Option<u64>,
    field_pointer: Option<FieldPointer>,
}

/// Which field of the CDB or parameter list was wrong (SPC-5, Field pointer sense key specific).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldPointer {
    /// C/D: the field is in the CDB, not in the parameter list.
    pub in_cdb: bool,
    /// BIT POINTER, where BPV says that it is valid.
    pub bit: Option<u8>,
    /// FIELD POINTER: the byte.
    pub byte: u16,
}

impl FieldPointer {
    /// From the three bytes SENSE KEY SPECIFIC; `None` where SKSV is clear.
    fn new(specific: &[u8]) -> Option<Self> {
        let &[flags, hi, lo] = specific else {
            return None;
        };
        let byte = u16::from_be_bytes([hi, lo]);
        let pointed = bit(flags, 3).then(|| bits(flags, 2, 0));
        bit(flags, 7).then(|| Self {
            in_cdb: bit(flags, 6),
            bit: pointed,
            byte,
        })
    }
}

const ILLEGAL_REQUEST: u8 = 0x5;
const WHAT: &str = "sense data";

impl Sense {
    /// The data in either format; what it does not reach is `None`.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let have = bytes.len();
        let Some(first) = bytes.first() else {
            return Err(WireError::Short {
                what: WHAT,
                need: 1,
                have,
            });
        };
        match bits(*first, 6, 0) {
            code @ (0x70 | 0x71) => Self::fixed(code, bytes),
            code @ (0x72 | 0x73) => Self::descriptor(code, bytes),
            code => Err(WireError::Malformed {
                what: WHAT,
                field: "RESPONSE CODE",
                found: u64::from(code),
                expected: "0x70 to 0x73",
            }),
        }
    }

    fn fixed(response_code: u8, bytes: &[u8]) -> Result<Self, WireError> {
        let Some(&[first, _, flags]) = bytes.first_chunk::<3>() else {
            return Err(WireError::Short {
                what: WHAT,
                need: 3,
                have: bytes.len(),
            });
        };
        // ADDITIONAL SENSE LENGTH, byte 7, counts from byte 8 on.
        let said = bytes
            .get(7)
            .map_or(bytes.len(), |len| usize::from(*len) + 8);
        let known = bytes.get(..said.min(bytes.len())).unwrap_or_default();
        let key = bits(flags, 3, 0);
        let information = known.get(3..7).and_then(|field| field.first_chunk::<4>());
        let information = information.map(|field| u64::from(u32::from_be_bytes(*field)));
        Ok(Self {
            response_code,
            key,
            asc: known.get(12).copied(),
            ascq: known.get(13).copied(),
            information: information.filter(|_| bit(first, 7)),
            field_pointer: known
                .get(15..18)
                .filter(|_| key == ILLEGAL_REQUEST)
                .and_then(FieldPointer::new),
        })
    }

    fn descriptor(response_code: u8, bytes: &[u8]) -> Result<Self, WireError> {
        let Some(&[_, key, asc, ascq]) = bytes.first_chunk::<4>() else {
            return Err(WireError::Short {
                what: WHAT,
                need: 4,
                have: bytes.len(),
            });
        };
        let key = bits(key, 3, 0);
        let (asc, ascq) = (Some(asc), Some(ascq));
        let (information, field_pointer) = (None, None);
        let mut sense = Self {
            response_code,
            key,
            asc,
            ascq,
            information,
            field_pointer,
        };
        let said = bytes.get(7).map_or(0, |len| usize::from(*len));
        let mut rest = bytes.get(8..).unwrap_or_default();
        rest = rest.get(..said.min(rest.len())).unwrap_or_default();
        // A descriptor is its type, its length, and so many bytes; one cut short ends the list.
        while let Some((&[kind, len], tail)) = rest.split_first_chunk::<2>() {
            let Some((body, next)) = tail.split_at_checked(usize::from(len)) else {
                break;
            };
            match (kind, body) {
                // 00h, Information: VALID, reserved, then eight bytes.
                (0x00, [valid, _, value @ ..]) if bit(*valid, 7) => {
                    let value = value.first_chunk::<8>();
                    sense.information = value.map(|value| u64::from_be_bytes(*value));
                }
                // 02h, Sense key specific: two bytes reserved, then three.
                (0x02, body) if key == ILLEGAL_REQUEST => {
                    sense.field_pointer = body.get(2..5).and_then(FieldPointer::new);
                }
                _ => {}
            }
            rest = next;
        }
        Ok(sense)
    }

    /// RESPONSE CODE, byte 0 bits 6:0: 70h, 71h fixed, 72h, 73h descriptor format.
    pub const fn response_code(&self) -> u8 {
        self.response_code
    }

    /// The error belongs to an earlier command (response codes 71h and 73h).
    pub const fn deferred(&self) -> bool {
        matches!(self.response_code, 0x71 | 0x73)
    }

    /// The data are in descriptor format (response codes 72h and 73h).
    pub const fn descriptor_format(&self) -> bool {
        matches!(self.response_code, 0x72 | 0x73)
    }

    /// SENSE KEY.
    pub const fn key(&self) -> u8 {
        self.key
    }

    /// The sense key's name.
    pub fn key_name(&self) -> &'static str {
        sense_text::key(self.key)
    }

    /// ADDITIONAL SENSE CODE, where it was sent.
    pub const fn asc(&self) -> Option<u8> {
        self.asc
    }

    /// ADDITIONAL SENSE CODE QUALIFIER, where it was sent.
    pub const fn ascq(&self) -> Option<u8> {
        self.ascq
    }

    /// INFORMATION, where VALID says so: an LBA, for most errors of a disk.
    pub const fn information(&self) -> Option<u64> {
        self.information
    }

    /// The field in error, for ILLEGAL REQUEST where SKSV says so.
    pub const fn field_pointer(&self) -> Option<FieldPointer> {
        self.field_pointer
    }

    /// What ASC and ASCQ mean (SPC-5, ASC and ASCQ assignments), where known here.
    pub fn additional_text(&self) -> Option<&'static str> {
        sense_text::additional(self.asc?, self.ascq?)
    }
}

impl fmt::Display for Sense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key_name())?;
        if let Some(text) = self.additional_text() {
            write!(f, ", {text}")?;
        }
        match (self.asc, self.ascq) {
            (Some(asc), Some(ascq)) => write!(f, " ({asc:#04x}/{ascq:#04x})")?,
            (Some(asc), None) => write!(f, " ({asc:#04x}/?)")?,
            _ => {}
        }
        if self.deferred() {
            f.write_str(" (deferred)")
        } else {
            Ok(())
        }
    }
}
