//! A VPD page's header, and everything that can be wrong with it.

use std::fmt;

use crate::wire::bits;

/// Bytes that are not the page that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// Fewer bytes than a page's header, or than the page's smallest form.
    #[error("VPD page: expected at least {need} bytes, found {have}")]
    Short {
        /// What was given.
        have: usize,
        /// The least that is needed.
        need: usize,
    },
    /// Another page's code.
    #[error("VPD page: expected page code {expected:#04x}, found {got:#04x}")]
    WrongPage {
        /// The page that was asked for.
        expected: u8,
        /// PAGE CODE, byte 1.
        got: u8,
    },
    /// Standard INQUIRY data in place of the page: the device ignores EVPD.
    #[error("VPD page: expected page code {expected:#04x}, found standard INQUIRY data")]
    StandardInquiry {
        /// The page that was asked for.
        expected: u8,
    },
    /// PAGE LENGTH goes beyond the bytes that were given.
    #[error("VPD page: its PAGE LENGTH says {said} bytes, found {have}")]
    LengthLies {
        /// PAGE LENGTH and the four bytes of header.
        said: usize,
        /// What was given.
        have: usize,
    },
    /// Something within the page does not hold together.
    #[error("VPD page {code:#04x}: {what} at byte {at}: expected {need} bytes, found {have}")]
    Malformed {
        /// The page.
        code: u8,
        /// The part.
        what: &'static str,
        /// Where it begins within the page.
        at: usize,
        /// The bytes that it says it has.
        need: usize,
        /// The bytes left in the page.
        have: usize,
    },
}

/// Something odd about a page that does not prevent decoding it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PageFinding {
    /// More bytes were given than PAGE LENGTH says there are.
    Padded {
        /// PAGE LENGTH and the four bytes of header.
        said: usize,
        /// What was given.
        have: usize,
    },
    /// The allocation length ended the transfer before PAGE LENGTH did.
    Truncated {
        /// PAGE LENGTH and the four bytes of header.
        said: usize,
        /// What was given.
        have: usize,
    },
    /// The page has more bytes than the standard defines.
    Longer {
        /// The page's length with its header.
        have: usize,
        /// The standard's.
        standard: usize,
    },
    /// The page ends before the standard's does; its fields beyond are unknown.
    Shorter {
        /// The page's length with its header.
        have: usize,
        /// The standard's.
        standard: usize,
    },
}

impl fmt::Display for PageFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Padded { said, have } => {
                write!(f, "{have} bytes given, of which PAGE LENGTH counts {said}")
            }
            Self::Truncated { said, have } => {
                write!(f, "transfer ended at {have} of {said} bytes")
            }
            Self::Longer { have, standard } => {
                write!(f, "{have} bytes long, the standard's page has {standard}")
            }
            Self::Shorter { have, standard } => {
                write!(
                    f,
                    "{have} bytes long, the standard's page has {standard}: rest unknown"
                )
            }
        }
    }
}

/// A decoded page and what is odd about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<T> {
    /// The page.
    pub value: T,
    /// What does not prevent decoding, but should be told.
    pub findings: Vec<PageFinding>,
}

/// A page whose code is right and whose bytes are all there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VpdPage<'a> {
    /// PAGE CODE, byte 1.
    pub code: u8,
    /// PAGE LENGTH, bytes 2 to 3, as it stands there.
    pub page_length: u16,
    /// The page with its header, without padding.
    pub bytes: &'a [u8],
    /// What does not prevent decoding.
    pub findings: Vec<PageFinding>,
}

impl<'a> VpdPage<'a> {
    /// PERIPHERAL QUALIFIER, byte 0 bits 7:5.
    pub fn peripheral_qualifier(&self) -> u8 {
        bits(self.bytes.first().copied().unwrap_or_default(), 7, 5)
    }

    /// PERIPHERAL DEVICE TYPE, byte 0 bits 4:0.
    pub fn device_type(&self) -> u8 {
        bits(self.bytes.first().copied().unwrap_or_default(), 4, 0)
    }

    /// The page without its header.
    pub fn body(&self) -> &'a [u8] {
        self.bytes.get(4..).unwrap_or_default()
    }

    /// Adds the finding that the page's length is not the standard's, where so.
    pub(super) fn compare_length(&mut self, standard: usize) {
        let have = usize::from(self.page_length) + 4;
        if have > standard {
            self.findings.push(PageFinding::Longer { have, standard });
        } else if have < standard {
            self.findings.push(PageFinding::Shorter { have, standard });
        }
    }
}

/// The page with this code in `bytes`: code and length checked, padding cut off and noted.
///
/// SPC-5, VPD parameter data: byte 1 PAGE CODE, bytes 2 to 3 PAGE LENGTH, counted from byte 4 on.
pub fn page(expected_code: u8, bytes: &[u8]) -> Result<VpdPage<'_>, PageError> {
    page_transfer(expected_code, bytes, usize::MAX)
}

/// As `page`, for the answer to a command with this allocation length: a page that is cut off right
/// there is truncated by who asked, not lying, and its fields up to there are good.
pub fn page_transfer(
    expected_code: u8,
    bytes: &[u8],
    allocation_length: usize,
) -> Result<VpdPage<'_>, PageError> {
    let have = bytes.len();
    let Some(&[_, code, hi, lo]) = bytes.first_chunk::<4>() else {
        return Err(PageError::Short { have, need: 4 });
    };
    if is_standard_inquiry(expected_code, bytes) {
        return Err(PageError::StandardInquiry {
            expected: expected_code,
        });
    }
    if code != expected_code {
        return Err(PageError::WrongPage {
            expected: expected_code,
            got: code,
        });
    }
    let page_length = u16::from_be_bytes([hi, lo]);
    let said = usize::from(page_length) + 4;
    let mut findings = Vec::new();
    if said > have && have != allocation_length {
        return Err(PageError::LengthLies { said, have });
    }
    if said > have {
        findings.push(PageFinding::Truncated { said, have });
    } else if said < have {
        findings.push(PageFinding::Padded { said, have });
    }
    let bytes = bytes.get(..said.min(have)).unwrap_or_default();
    Ok(VpdPage {
        code,
        page_length,
        bytes,
        findings,
    })
}

/// Whether bytes look like standard INQUIRY data, which a device that ignores EVPD answers.
///
/// RMB and LU_CONG alone in byte 1, a VERSION that exists, RESPONSE DATA FORMAT 1 or 2, ADDITIONAL
/// LENGTH of at least 31, flags in bytes 5 to 7 and a printable vendor behind them. The one page
/// that comes near is 80h with a serial number of 17 or 18 characters: its bytes 5 to 7 are text.
fn is_standard_inquiry(expected_code: u8, bytes: &[u8]) -> bool {
    let (Some(&[_, rmb, version, format, additional, flags @ ..]), Some(vendor)) =
        (bytes.first_chunk::<8>(), bytes.get(8..16))
    else {
        return false;
    };
    let printable = |byte: &u8| matches!(byte, b' '..=b'~');
    let said = usize::from(u16::from_be_bytes([version, format])) + 4;
    bits(rmb, 5, 0) == 0
        && version <= 0x08
        && matches!(bits(format, 3, 0), 1 | 2)
        && bits(format, 7, 6) == 0
        && additional >= 0x1f
        && !flags.iter().all(printable)
        && vendor.iter().all(printable)
        && (rmb != expected_code || said != bytes.len())
}
