//! The Identify command, and the structure in which Linux takes an admin command.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Admin opcode of Identify (NVM Express Base 2.1, section 5.1, Admin command opcodes).
pub const OPCODE_IDENTIFY: u8 = 0x06;
/// CNS 00h: Identify Namespace (NVM Express Base 2.1, section 5.1.13, CNS values).
pub const CNS_NAMESPACE: u8 = 0x00;
/// CNS 01h: Identify Controller (NVM Express Base 2.1, section 5.1.13, CNS values).
pub const CNS_CONTROLLER: u8 = 0x01;
/// CNS 06h: I/O Command Set Specific Identify Controller (NVM Express Base 2.1, section 5.1.13, CNS values).
pub const CNS_IOCS_CONTROLLER: u8 = 0x06;
/// CSI 00h: the NVM command set (NVM Express Base 2.1, Command Set Identifiers).
pub const CSI_NVM: u8 = 0x00;
/// Every Identify data structure is this long.
pub const IDENTIFY_LEN: u32 = 4096;

/// `struct nvme_passthru_cmd` of uapi/linux/nvme_ioctl.h, in host byte order.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(C)]
pub struct PassthruCommand {
    /// Command opcode.
    pub opcode: u8,
    /// Fused operation and PRP or SGL; 0.
    pub flags: u8,
    /// Reserved.
    pub rsvd1: u16,
    /// Namespace identifier.
    pub nsid: u32,
    /// Command dword 2.
    pub cdw2: u32,
    /// Command dword 3.
    pub cdw3: u32,
    /// Address of the metadata buffer; 0 for none.
    pub metadata: u64,
    /// Address of the data buffer.
    pub addr: u64,
    /// Length of the metadata buffer.
    pub metadata_len: u32,
    /// Length of the data buffer.
    pub data_len: u32,
    /// Command dword 10.
    pub cdw10: u32,
    /// Command dword 11.
    pub cdw11: u32,
    /// Command dword 12.
    pub cdw12: u32,
    /// Command dword 13.
    pub cdw13: u32,
    /// Command dword 14.
    pub cdw14: u32,
    /// Command dword 15.
    pub cdw15: u32,
    /// Timeout; 0 takes the kernel's.
    pub timeout_ms: u32,
    /// Completion dword 0, written by the kernel.
    pub result: u32,
}

macro_rules! offsets {
    ($($field:ident $offset:literal),+ $(,)?) => {
        const _: () = {
            assert!(size_of::<PassthruCommand>() == 72);
            $(assert!(std::mem::offset_of!(PassthruCommand, $field) == $offset);)+
        };
        #[cfg(test)]
        pub(super) const OFFSETS: &[(&str, usize)] = &[$((stringify!($field), $offset)),+];
    };
}

offsets! {
    opcode 0, flags 1, rsvd1 2, nsid 4, cdw2 8, cdw3 12, metadata 16, addr 24, metadata_len 32,
    data_len 36, cdw10 40, cdw11 44, cdw12 48, cdw13 52, cdw14 56, cdw15 60, timeout_ms 64,
    result 68,
}

/// An Identify command (NVM Express Base 2.1, section 5.1.13). It reads, whatever its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identify {
    /// Controller or Namespace Structure: which structure to return.
    pub cns: u8,
    /// Namespace identifier; 0 where the structure is the controller's.
    pub nsid: u32,
    /// Command Set Identifier, for the structures that have one for each command set.
    pub csi: u8,
}

impl Identify {
    /// Identify Namespace.
    pub const fn namespace(nsid: u32) -> Self {
        Self {
            cns: CNS_NAMESPACE,
            nsid,
            csi: CSI_NVM,
        }
    }

    /// Identify Controller.
    pub const fn controller() -> Self {
        Self {
            cns: CNS_CONTROLLER,
            nsid: 0,
            csi: CSI_NVM,
        }
    }

    /// The NVM command set's part of Identify Controller.
    pub const fn nvm_controller() -> Self {
        Self {
            cns: CNS_IOCS_CONTROLLER,
            nsid: 0,
            csi: CSI_NVM,
        }
    }

    /// The command as Linux takes it, with a data buffer of `len` bytes at `addr`.
    ///
    /// CNS is CDW10 bits 7:0, CSI is CDW11 bits 31:24 (NVM Express Base 2.1, section 5.1.13).
    pub const fn to_passthru(self, addr: u64, len: u32, timeout_ms: u32) -> PassthruCommand {
        PassthruCommand {
            opcode: OPCODE_IDENTIFY,
            flags: 0,
            rsvd1: 0,
            nsid: self.nsid,
            cdw2: 0,
            cdw3: 0,
            metadata: 0,
            addr,
            metadata_len: 0,
            data_len: len,
            cdw10: u32::from_be_bytes([0, 0, 0, self.cns]),
            cdw11: u32::from_be_bytes([self.csi, 0, 0, 0]),
            cdw12: 0,
            cdw13: 0,
            cdw14: 0,
            cdw15: 0,
            timeout_ms,
            result: 0,
        }
    }
}
