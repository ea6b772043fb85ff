//! Completion status (NVM Express Base 2.1, section 4.2.3), as the Linux ioctl returns it.

use std::fmt;

/// A status field without its phase tag: what `NVME_IOCTL_ADMIN_CMD` returns where it is positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NvmeStatus(pub u16);

impl NvmeStatus {
    /// The status in an ioctl's result: `None` for 0 (success) and below (an errno).
    pub fn from_ioctl(result: i32) -> Option<Self> {
        u16::try_from(result)
            .ok()
            .filter(|status| *status != 0)
            .map(Self)
    }

    /// The whole field.
    pub const fn raw(self) -> u16 {
        self.0
    }

    /// SC, bits 7:0: Status Code.
    pub const fn sc(self) -> u8 {
        self.0.to_be_bytes()[1]
    }

    /// SCT, bits 10:8: Status Code Type.
    pub const fn sct(self) -> u8 {
        super::super::bits(self.0.to_be_bytes()[0], 2, 0)
    }

    /// CRD, bits 12:11: Command Retry Delay.
    pub const fn crd(self) -> u8 {
        super::super::bits(self.0.to_be_bytes()[0], 4, 3)
    }

    /// MORE, bit 13: the Error Information log has more.
    pub const fn more(self) -> bool {
        super::super::bit(self.0.to_be_bytes()[0], 5)
    }

    /// DNR, bit 14: Do Not Retry.
    pub const fn dnr(self) -> bool {
        super::super::bit(self.0.to_be_bytes()[0], 6)
    }

    /// The status's name in the standard, where it is one of those known here.
    pub fn name(self) -> Option<&'static str> {
        let table = match self.sct() {
            0 => GENERIC,
            1 => COMMAND_SPECIFIC,
            2 => MEDIA,
            3 => PATH,
            _ => return None,
        };
        table
            .iter()
            .find(|(code, _)| *code == self.sc())
            .map(|(_, name)| *name)
    }
}

impl fmt::Display for NvmeStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name(), self.sct()) {
            (Some(name), _) => write!(f, "{name} ({:#06x})", self.0),
            (None, 7) => write!(
                f,
                "Vendor Specific status {:#04x} ({:#06x})",
                self.sc(),
                self.0
            ),
            (None, sct) => {
                write!(
                    f,
                    "status type {sct} code {:#04x} ({:#06x})",
                    self.sc(),
                    self.0
                )
            }
        }
    }
}

/// SCT 0h, Generic Command Status; 80h and up are the NVM command set's.
const GENERIC: &[(u8, &str)] = &[
    (0x00, "Successful Completion"),
    (0x01, "Invalid Command Opcode"),
    (0x02, "Invalid Field in Command"),
    (0x03, "Command ID Conflict"),
    (0x04, "Data Transfer Error"),
    (0x05, "Commands Aborted due to Power Loss Notification"),
    (0x06, "Internal Error"),
    (0x07, "Command Abort Requested"),
    (0x08, "Command Aborted due to SQ Deletion"),
    (0x09, "Command Aborted due to Failed Fused Command"),
    (0x0a, "Command Aborted due to Missing Fused Command"),
    (0x0b, "Invalid Namespace or Format"),
    (0x0c, "Command Sequence Error"),
    (0x0d, "Invalid SGL Segment Descriptor"),
    (0x0e, "Invalid Number of SGL Descriptors"),
    (0x0f, "Data SGL Length Invalid"),
    (0x10, "Metadata SGL Length Invalid"),
    (0x11, "SGL Descriptor Type Invalid"),
    (0x12, "Invalid Use of Controller Memory Buffer"),
    (0x13, "PRP Offset Invalid"),
    (0x14, "Atomic Write Unit Exceeded"),
    (0x15, "Operation Denied"),
    (0x16, "SGL Offset Invalid"),
    (0x18, "Host Identifier Inconsistent Format"),
    (0x19, "Keep Alive Timer Expired"),
    (0x1a, "Keep Alive Timeout Invalid"),
    (0x1b, "Command Aborted due to Preempt and Abort"),
    (0x1c, "Sanitize Failed"),
    (0x1d, "Sanitize In Progress"),
    (0x1e, "SGL Data Block Granularity Invalid"),
    (0x1f, "Command Not Supported for Queue in CMB"),
    (0x20, "Namespace is Write Protected"),
    (0x21, "Command Interrupted"),
    (0x22, "Transient Transport Error"),
    (0x23, "Command Prohibited by Command and Feature Lockdown"),
    (0x24, "Admin Command Media Not Ready"),
    (0x80, "LBA Out of Range"),
    (0x81, "Capacity Exceeded"),
    (0x82, "Namespace Not Ready"),
    (0x83, "Reservation Conflict"),
    (0x84, "Format In Progress"),
];

/// SCT 1h: those of the NVM command set.
const COMMAND_SPECIFIC: &[(u8, &str)] = &[
    (0x80, "Conflicting Attributes"),
    (0x81, "Invalid Protection Information"),
    (0x82, "Attempted Write to Read Only Range"),
    (0x83, "Command Size Limit Exceeded"),
];

/// SCT 2h: Media and Data Integrity Errors.
const MEDIA: &[(u8, &str)] = &[
    (0x80, "Write Fault"),
    (0x81, "Unrecovered Read Error"),
    (0x82, "End-to-end Guard Check Error"),
    (0x83, "End-to-end Application Tag Check Error"),
    (0x84, "End-to-end Reference Tag Check Error"),
    (0x85, "Compare Failure"),
    (0x86, "Access Denied"),
    (0x87, "Deallocated or Unwritten Logical Block"),
];

/// SCT 3h: Path Related Status.
const PATH: &[(u8, &str)] = &[
    (0x00, "Internal Path Error"),
    (0x01, "Asymmetric Access Persistent Loss"),
    (0x02, "Asymmetric Access Inaccessible"),
    (0x03, "Asymmetric Access Transition"),
    (0x60, "Controller Pathing Error"),
    (0x70, "Host Pathing Error"),
    (0x71, "Command Aborted By Host"),
];
