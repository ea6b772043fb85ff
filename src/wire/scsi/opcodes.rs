//! REPORT SUPPORTED OPERATION CODES, one-command parameter data (SPC-5).

use std::fmt;

use crate::wire::{WireError, bit, bits};

/// What a device says of one command (SPC-5, One_command parameter data format).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneCommand {
    support: Support,
    ctdp: bool,
    cdb_size: u16,
    usage: Vec<u8>,
}

/// SUPPORT, byte 1 bits 2:0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Support {
    /// 000b: data about the command is not available at present.
    NotAvailable,
    /// 001b: the device does not support the command.
    NotSupported,
    /// 011b: the device supports the command as the standard says.
    Standard,
    /// 101b: the device supports the command in a vendor specific manner.
    VendorSpecific,
    /// 010b, 100b, 110b, 111b.
    Reserved(u8),
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotAvailable => "not-available",
            Self::NotSupported => "not-supported",
            Self::Standard => "standard",
            Self::VendorSpecific => "vendor-specific",
            Self::Reserved(_) => "reserved",
        })
    }
}

impl OneCommand {
    /// The parameter data: four bytes of header, then as much CDB USAGE DATA as there is.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let what = "REPORT SUPPORTED OPERATION CODES one-command data";
        let Some((&[_, flags, size0, size1], rest)) = bytes.split_first_chunk::<4>() else {
            return Err(WireError::Short {
                what,
                need: 4,
                have: bytes.len(),
            });
        };
        if crate::wire::all_ff(bytes) {
            return Err(WireError::AllOnes { what });
        }
        let support = match bits(flags, 2, 0) {
            0 => Support::NotAvailable,
            1 => Support::NotSupported,
            3 => Support::Standard,
            5 => Support::VendorSpecific,
            other => Support::Reserved(other),
        };
        let cdb_size = u16::from_be_bytes([size0, size1]);
        // CDB SIZE and what follows count only for a command that is supported.
        let known = matches!(support, Support::Standard | Support::VendorSpecific);
        let take = if known {
            usize::from(cdb_size).min(rest.len())
        } else {
            0
        };
        let usage = rest.get(..take).unwrap_or_default().to_vec();
        Ok(Self {
            support,
            ctdp: bit(flags, 7),
            cdb_size,
            usage,
        })
    }

    /// SUPPORT, byte 1 bits 2:0.
    pub fn support(&self) -> Support {
        self.support
    }

    /// CTDP, byte 1 bit 7: a command timeouts descriptor follows.
    pub fn ctdp(&self) -> bool {
        self.ctdp
    }

    /// CDB SIZE, bytes 2 to 3.
    pub fn cdb_size(&self) -> u16 {
        self.cdb_size
    }

    /// CDB USAGE DATA from byte 4 on: the bits of the CDB that the device evaluates. Shorter than
    /// `cdb_size` where the transfer ended early.
    pub fn usage(&self) -> &[u8] {
        &self.usage
    }

    /// A byte of CDB USAGE DATA; `None` where it was not transferred.
    pub fn usage_byte(&self, at: usize) -> Option<u8> {
        self.usage.get(at).copied()
    }
}
