//! Command descriptor blocks, and only those that read.

use std::fmt;

/// INQUIRY (SPC-5, INQUIRY command).
const INQUIRY: u8 = 0x12;
/// READ CAPACITY (10) (SBC-4).
const READ_CAPACITY_10: u8 = 0x25;
/// SERVICE ACTION IN (16) (SPC-5).
const SERVICE_ACTION_IN_16: u8 = 0x9e;
/// MAINTENANCE IN (SPC-5).
const MAINTENANCE_IN: u8 = 0xa3;

/// Service action of READ CAPACITY (16).
const SA_READ_CAPACITY_16: u8 = 0x10;
/// Service action of GET LBA STATUS (16).
const SA_GET_LBA_STATUS: u8 = 0x12;
/// Service action of REPORT SUPPORTED OPERATION CODES.
const SA_REPORT_OPCODES: u8 = 0x0c;

/// A command that reads: no other can be expressed, so no path through this type changes a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadCdb {
    kind: Kind,
    block: [u8; 16],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Inquiry,
    Vpd,
    ReadCapacity10,
    ReadCapacity16,
    ReportOpcode,
    GetLbaStatus,
}

impl ReadCdb {
    /// Standard INQUIRY: EVPD 0 (SPC-5, INQUIRY command).
    pub const fn inquiry(len: u16) -> Self {
        let [hi, lo] = len.to_be_bytes();
        Self::short(Kind::Inquiry, [INQUIRY, 0, 0, hi, lo, 0])
    }

    /// INQUIRY of a vital product data page: EVPD 1 (SPC-5, INQUIRY command).
    pub const fn vpd(page: u8, len: u16) -> Self {
        let [hi, lo] = len.to_be_bytes();
        Self::short(Kind::Vpd, [INQUIRY, 1, page, hi, lo, 0])
    }

    /// READ CAPACITY (10), LBA 0, eight bytes (SBC-4).
    pub const fn read_capacity_10() -> Self {
        let mut block = [0; 16];
        block[0] = READ_CAPACITY_10;
        Self {
            kind: Kind::ReadCapacity10,
            block,
        }
    }

    /// READ CAPACITY (16) (SBC-4).
    pub const fn read_capacity_16(len: u32) -> Self {
        Self::service_in(Kind::ReadCapacity16, SA_READ_CAPACITY_16, 0, len)
    }

    /// GET LBA STATUS (16) from `lba` on (SBC-4).
    pub const fn get_lba_status(lba: u64, len: u32) -> Self {
        Self::service_in(Kind::GetLbaStatus, SA_GET_LBA_STATUS, lba, len)
    }

    /// REPORT SUPPORTED OPERATION CODES in its one-command format (SPC-5): REPORTING OPTIONS 001b
    /// for an operation code without service action, 010b for one with.
    pub const fn report_opcode(opcode: u8, service_action: Option<u16>, len: u32) -> Self {
        match service_action {
            None => Self::report(1, opcode, 0, len),
            Some(action) => Self::report(2, opcode, action, len),
        }
    }

    /// As `report_opcode` with REPORTING OPTIONS 011b (SPC-4 and later): an operation code without
    /// service actions, or one of its service actions, whichever the device has.
    pub const fn report_opcode_either(opcode: u8, service_action: u16, len: u32) -> Self {
        Self::report(3, opcode, service_action, len)
    }

    /// The inverse of the constructors: `None` for every block that none of them makes.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut padded = [0; 16];
        padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let [
            opcode,
            b1,
            b2,
            b3,
            b4,
            b5,
            b6,
            b7,
            b8,
            b9,
            b10,
            b11,
            b12,
            b13,
            ..,
        ] = padded;
        let len_9 = u32::from_be_bytes([b6, b7, b8, b9]);
        let len_13 = u32::from_be_bytes([b10, b11, b12, b13]);
        let made = match (opcode, b1) {
            (INQUIRY, 0) => Self::inquiry(u16::from_be_bytes([b3, b4])),
            (INQUIRY, 1) => Self::vpd(b2, u16::from_be_bytes([b3, b4])),
            (READ_CAPACITY_10, 0) => Self::read_capacity_10(),
            (SERVICE_ACTION_IN_16, SA_READ_CAPACITY_16) => Self::read_capacity_16(len_13),
            (SERVICE_ACTION_IN_16, SA_GET_LBA_STATUS) => {
                let lba = u64::from_be_bytes([b2, b3, b4, b5, b6, b7, b8, b9]);
                Self::get_lba_status(lba, len_13)
            }
            (MAINTENANCE_IN, SA_REPORT_OPCODES) if matches!(b2, 1..=3) => {
                Self::report(b2, b3, u16::from_be_bytes([b4, b5]), len_9)
            }
            _ => return None,
        };
        (made.bytes() == bytes).then_some(made)
    }

    /// The block, as long as its command's is.
    pub fn bytes(&self) -> &[u8] {
        let len = match self.kind {
            Kind::Inquiry | Kind::Vpd => 6,
            Kind::ReadCapacity10 => 10,
            Kind::ReportOpcode => 12,
            Kind::ReadCapacity16 | Kind::GetLbaStatus => 16,
        };
        self.block.get(..len).unwrap_or_default()
    }

    /// The most bytes that the device may return: ALLOCATION LENGTH, or the fixed length.
    pub const fn transfer_len(&self) -> u32 {
        let [_, _, _, b3, b4, _, b6, b7, b8, b9, b10, b11, b12, b13, ..] = self.block;
        match self.kind {
            Kind::Inquiry | Kind::Vpd => u32::from_be_bytes([0, 0, b3, b4]),
            Kind::ReadCapacity10 => 8,
            Kind::ReportOpcode => u32::from_be_bytes([b6, b7, b8, b9]),
            Kind::ReadCapacity16 | Kind::GetLbaStatus => u32::from_be_bytes([b10, b11, b12, b13]),
        }
    }

    /// The command's name in the standard.
    pub const fn name(&self) -> &'static str {
        match self.kind {
            Kind::Inquiry => "INQUIRY",
            Kind::Vpd => "INQUIRY (VPD)",
            Kind::ReadCapacity10 => "READ CAPACITY (10)",
            Kind::ReadCapacity16 => "READ CAPACITY (16)",
            Kind::ReportOpcode => "REPORT SUPPORTED OPERATION CODES",
            Kind::GetLbaStatus => "GET LBA STATUS (16)",
        }
    }

    const fn short(kind: Kind, bytes: [u8; 6]) -> Self {
        let [b0, b1, b2, b3, b4, b5] = bytes;
        Self {
            kind,
            block: [b0, b1, b2, b3, b4, b5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        }
    }

    const fn service_in(kind: Kind, action: u8, lba: u64, len: u32) -> Self {
        let [l0, l1, l2, l3, l4, l5, l6, l7] = lba.to_be_bytes();
        let [a0, a1, a2, a3] = len.to_be_bytes();
        let op = SERVICE_ACTION_IN_16;
        Self {
            kind,
            block: [
                op, action, l0, l1, l2, l3, l4, l5, l6, l7, a0, a1, a2, a3, 0, 0,
            ],
        }
    }

    const fn report(options: u8, opcode: u8, service_action: u16, len: u32) -> Self {
        let [s0, s1] = service_action.to_be_bytes();
        let [a0, a1, a2, a3] = len.to_be_bytes();
        let (op, sa) = (MAINTENANCE_IN, SA_REPORT_OPCODES);
        let block = [
            op, sa, options, opcode, s0, s1, a0, a1, a2, a3, 0, 0, 0, 0, 0, 0,
        ];
        Self {
            kind: Kind::ReportOpcode,
            block,
        }
    }
}

/// The block in hexadecimal, as a transcript keeps it: `12 01 b0 00 40 00`.
impl fmt::Display for ReadCdb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.bytes().iter().enumerate() {
            let gap = if at == 0 { "" } else { " " };
            write!(f, "{gap}{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ReadCdb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadCdb({}: {self})", self.name())
    }
}
