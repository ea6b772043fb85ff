//! Identify Controller (CNS 01h) and the NVM command set's own part of it (CNS 06h, CSI 00h).

use zerocopy::FromBytes;
use zerocopy::byteorder::little_endian as le;

use super::bits::{Cmic, NvmeVersion, Oncs};
use crate::wire::{WireError, all_ff, all_zero};

layout! {
    /// Identify Controller data structure, CNS 01h.
    cite "NVM Express Base 2.1, Figure 312 (2.0: Figure 275)";
    pub struct IdentifyController [4096] {
        /// PCI Vendor ID.
        0 => pub vid: le::U16 as u16 = "VID";
        /// PCI Subsystem Vendor ID.
        2 => pub ssvid: le::U16 as u16 = "SSVID";
        /// Serial Number, ASCII padded with spaces.
        4 => pub sn: [u8; 20] as [u8; 20] = "SN";
        /// Model Number, ASCII padded with spaces.
        24 => pub mn: [u8; 40] as [u8; 40] = "MN";
        /// Firmware Revision, ASCII padded with spaces.
        64 => pub fr: [u8; 8] as [u8; 8] = "FR";
        /// Recommended Arbitration Burst.
        72 => pub rab: u8 as u8 = "RAB";
        /// IEEE OUI Identifier, least significant byte first.
        73 => pub ieee: [u8; 3] as [u8; 3] = "IEEE";
        /// Controller Multi-Path I/O and Namespace Sharing Capabilities.
        76 => cmic: u8 = "CMIC";
        /// Maximum Data Transfer Size: a power of two of the minimum memory page; 0 is no limit.
        77 => pub mdts: u8 as u8 = "MDTS";
        /// Controller ID.
        78 => pub cntlid: le::U16 as u16 = "CNTLID";
        /// Version, as the VS property; 0 before NVM Express 1.2.
        80 => pub ver: le::U32 as u32 = "VER";
        /// RTD3 Resume Latency, microseconds.
        84 => pub rtd3r: le::U32 as u32 = "RTD3R";
        /// RTD3 Entry Latency, microseconds.
        88 => pub rtd3e: le::U32 as u32 = "RTD3E";
        /// Optional Asynchronous Events Supported.
        92 => pub oaes: le::U32 as u32 = "OAES";
        /// Controller Attributes.
        96 => pub ctratt: le::U32 as u32 = "CTRATT";
        /// Read Recovery Levels Supported and fields not in use here.
        100 => rsvd100: [u8; 11];
        /// Controller Type: 0 not reported, 1 I/O, 2 discovery, 3 administrative.
        111 => pub cntrltype: u8 as u8 = "CNTRLTYPE";
        /// FRU Globally Unique Identifier.
        112 => pub fguid: [u8; 16] as [u8; 16] = "FGUID";
        /// Command retry delays, NVMe-MI and fields not in use here.
        128 => rsvd128: [u8; 128];
        /// Optional Admin Command Support.
        256 => pub oacs: le::U16 as u16 = "OACS";
        /// ACL to APSTA, not in use here.
        258 => rsvd258: [u8; 22];
        /// Total NVM Capacity, bytes.
        280 => pub tnvmcap: le::U128 as u128 = "TNVMCAP";
        /// Unallocated NVM Capacity, bytes.
        296 => pub unvmcap: le::U128 as u128 = "UNVMCAP";
        /// RPMBS to NSETIDMAX, not in use here.
        312 => rsvd312: [u8; 30];
        /// ANA Transition Time, seconds.
        342 => pub anatt: u8 as u8 = "ANATT";
        /// Asymmetric Namespace Access Capabilities.
        343 => pub anacap: u8 as u8 = "ANACAP";
        /// ANA Group Identifier Maximum.
        344 => pub anagrpmax: le::U32 as u32 = "ANAGRPMAX";
        /// Number of ANA Group Identifiers.
        348 => pub nanagrpid: le::U32 as u32 = "NANAGRPID";
        /// PELS to reserved, not in use here.
        352 => rsvd352: [u8; 160];
        /// Submission Queue Entry Size, both as powers of two.
        512 => pub sqes: u8 as u8 = "SQES";
        /// Completion Queue Entry Size, both as powers of two.
        513 => pub cqes: u8 as u8 = "CQES";
        /// Maximum Outstanding Commands.
        514 => pub maxcmd: le::U16 as u16 = "MAXCMD";
        /// Number of Namespaces: the highest valid NSID.
        516 => pub nn: le::U32 as u32 = "NN";
        /// Optional NVM Command Support.
        520 => oncs: le::U16 = "ONCS";
        /// Fused Operation Support.
        522 => pub fuses: le::U16 as u16 = "FUSES";
        /// Format NVM Attributes.
        524 => pub fna: u8 as u8 = "FNA";
        /// Volatile Write Cache: bit 0 present, bits 2:1 flush behaviour.
        525 => pub vwc: u8 as u8 = "VWC";
        /// Atomic Write Unit Normal, 0's based.
        526 => pub awun: le::U16 as u16 = "AWUN";
        /// Atomic Write Unit Power Fail, 0's based.
        528 => pub awupf: le::U16 as u16 = "AWUPF";
        /// I/O Command Set Vendor Specific Command Configuration.
        530 => pub icsvscc: u8 as u8 = "ICSVSCC";
        /// Namespace Write Protection Capabilities.
        531 => pub nwpc: u8 as u8 = "NWPC";
        /// Atomic Compare & Write Unit, 0's based.
        532 => pub acwu: le::U16 as u16 = "ACWU";
        /// Copy Descriptor Formats Supported.
        534 => pub cdfs: le::U16 as u16 = "CDFS";
        /// SGL Support.
        536 => pub sgls: le::U32 as u32 = "SGLS";
        /// Maximum Number of Allowed Namespaces.
        540 => pub mnan: le::U32 as u32 = "MNAN";
        /// MAXDNA to reserved, not in use here.
        544 => rsvd544: [u8; 224];
        /// NVM Subsystem NVMe Qualified Name, NUL padded UTF-8.
        768 => pub subnqn: [u8; 256] as [u8; 256] = "SUBNQN";
        /// Fabrics, power states, vendor specific.
        1024 => rsvd1024: [u8; 3072];
    }
}

impl IdentifyController {
    const WHAT: &'static str = "Identify Controller";

    /// The structure in the first 4096 bytes; all ones and all zero are errors.
    pub fn decode(bytes: &[u8]) -> Result<&Self, WireError> {
        let (structure, seen) = whole::<Self>(bytes, Self::WHAT)?;
        if all_zero(seen) {
            return Err(WireError::AllZeroes { what: Self::WHAT });
        }
        Ok(structure)
    }

    /// CMIC: multipath and sharing (NVM Express Base 2.1, Figure 312, byte 76).
    pub fn cmic(&self) -> Cmic {
        Cmic::from_bits_retain(self.cmic)
    }

    /// ONCS: optional commands (NVM Express Base 2.1, Figure 312, bytes 521:520).
    pub fn oncs(&self) -> Oncs {
        Oncs::from_bits_retain(self.oncs.get())
    }

    /// VER as a revision (NVM Express Base 2.1, Figure 312, bytes 83:80).
    pub fn version(&self) -> NvmeVersion {
        NvmeVersion(self.ver.get())
    }
}

layout! {
    /// I/O Command Set Specific Identify Controller data structure for the NVM command set, CNS 06h
    /// with CSI 00h. Limits are powers of two of the minimum memory page; 0 is "no own limit".
    cite "NVM Command Set 1.1, 4.1.5.4 (1.0: Figure 102)";
    pub struct IdentifyNvmController [4096] {
        /// Verify Size Limit.
        0 => pub vsl: u8 as u8 = "VSL";
        /// Write Zeroes Size Limit.
        1 => pub wzsl: u8 as u8 = "WZSL";
        /// Write Uncorrectable Size Limit.
        2 => pub wusl: u8 as u8 = "WUSL";
        /// Dataset Management Ranges Limit, a number of ranges.
        3 => pub dmrl: u8 as u8 = "DMRL";
        /// Dataset Management Range Size Limit, logical blocks in one range.
        4 => pub dmrsl: le::U32 as u32 = "DMRSL";
        /// Dataset Management Size Limit, logical blocks in one command.
        8 => pub dmsl: le::U64 as u64 = "DMSL";
        /// Key Per I/O Capabilities (since 1.1).
        16 => pub kpiocap: u8 as u8 = "KPIOCAP";
        /// Write Zeroes With Deallocate Size Limit (since 1.1; in force where ONCS has MAXWZD).
        17 => pub wzdsl: u8 as u8 = "WZDSL";
        /// Admin Optional Command Support (since 1.1).
        18 => pub aocs: le::U16 as u16 = "AOCS";
        /// Version of the command set specification (since 1.1).
        20 => pub ver: le::U32 as u32 = "VER";
        /// Reserved.
        24 => rsvd24: [u8; 4072];
    }
}

impl IdentifyNvmController {
    /// The structure in the first 4096 bytes; all ones is an error, all zero a valid answer.
    pub fn decode(bytes: &[u8]) -> Result<&Self, WireError> {
        whole(bytes, "I/O Command Set Specific Identify Controller").map(|(this, _)| this)
    }

    /// VER as a revision (NVM Command Set 1.1, 4.1.5.4, bytes 23:20).
    pub fn version(&self) -> NvmeVersion {
        NvmeVersion(self.ver.get())
    }
}

/// An Identify structure at the start of `bytes` with the bytes it lies in; all ones is an error.
pub(super) fn whole<'a, T>(
    bytes: &'a [u8],
    what: &'static str,
) -> Result<(&'a T, &'a [u8]), WireError>
where
    T: FromBytes + zerocopy::KnownLayout + zerocopy::Immutable + zerocopy::Unaligned,
{
    let need = size_of::<T>();
    let short = WireError::Short {
        what,
        need,
        have: bytes.len(),
    };
    let Some(seen) = bytes.get(..need) else {
        return Err(short);
    };
    if all_ff(seen) {
        return Err(WireError::AllOnes { what });
    }
    T::ref_from_bytes(seen)
        .map(|this| (this, seen))
        .map_err(|_| short)
}
