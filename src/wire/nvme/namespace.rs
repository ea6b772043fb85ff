//! Identify Namespace for the NVM command set (CNS 00h).

use zerocopy::byteorder::little_endian as le;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::bits::{Dlfeat, Nsfeat};
use super::controller::whole;
use crate::wire::{WireError, bit, bits};

layout! {
    /// Identify Namespace data structure, CNS 00h.
    cite "NVM Command Set 1.1, Figure 114 (1.0: Figure 97)";
    pub struct IdentifyNamespace [4096] {
        /// Namespace Size, logical blocks.
        0 => pub nsze: le::U64 as u64 = "NSZE";
        /// Namespace Capacity, logical blocks.
        8 => pub ncap: le::U64 as u64 = "NCAP";
        /// Namespace Utilization, logical blocks allocated now.
        16 => pub nuse: le::U64 as u64 = "NUSE";
        /// Namespace Features.
        24 => nsfeat: u8 = "NSFEAT", "OPTPERF";
        /// Number of LBA Formats, 0's based.
        25 => pub nlbaf: u8 as u8 = "NLBAF";
        /// Formatted LBA Size.
        26 => pub flbas: u8 as u8 = "FLBAS";
        /// Metadata Capabilities.
        27 => pub mc: u8 as u8 = "MC";
        /// End-to-end Data Protection Capabilities.
        28 => pub dpc: u8 as u8 = "DPC";
        /// End-to-end Data Protection Type Settings.
        29 => pub dps: u8 as u8 = "DPS";
        /// Namespace Multi-path I/O and Namespace Sharing Capabilities.
        30 => pub nmic: u8 as u8 = "NMIC";
        /// Reservation Capabilities.
        31 => pub rescap: u8 as u8 = "RESCAP";
        /// Format Progress Indicator.
        32 => pub fpi: u8 as u8 = "FPI";
        /// Deallocate Logical Block Features.
        33 => dlfeat: u8 = "DLFEAT";
        /// Namespace Atomic Write Unit Normal, 0's based where not 0.
        34 => pub nawun: le::U16 as u16 = "NAWUN";
        /// Namespace Atomic Write Unit Power Fail, 0's based where not 0.
        36 => pub nawupf: le::U16 as u16 = "NAWUPF";
        /// Namespace Atomic Compare & Write Unit, 0's based where not 0.
        38 => pub nacwu: le::U16 as u16 = "NACWU";
        /// Namespace Atomic Boundary Size Normal.
        40 => pub nabsn: le::U16 as u16 = "NABSN";
        /// Namespace Atomic Boundary Offset.
        42 => pub nabo: le::U16 as u16 = "NABO";
        /// Namespace Atomic Boundary Size Power Fail.
        44 => pub nabspf: le::U16 as u16 = "NABSPF";
        /// Namespace Optimal I/O Boundary, logical blocks; 0 is not reported.
        46 => pub noiob: le::U16 as u16 = "NOIOB";
        /// NVM Capacity, bytes.
        48 => pub nvmcap: le::U128 as u128 = "NVMCAP";
        /// Namespace Preferred Write Granularity, raw; see `npwg_blocks`.
        64 => pub npwg: le::U16 as u16 = "NPWG";
        /// Namespace Preferred Write Alignment, raw; see `npwa_blocks`.
        66 => pub npwa: le::U16 as u16 = "NPWA";
        /// Namespace Preferred Deallocate Granularity, raw; see `npdg_blocks`.
        68 => pub npdg: le::U16 as u16 = "NPDG";
        /// Namespace Preferred Deallocate Alignment, raw; see `npda_blocks`.
        70 => pub npda: le::U16 as u16 = "NPDA";
        /// Namespace Optimal Write Size, raw; see `nows_blocks`.
        72 => pub nows: le::U16 as u16 = "NOWS";
        /// Maximum Single Source Range Length, logical blocks.
        74 => pub mssrl: le::U16 as u16 = "MSSRL";
        /// Maximum Copy Length, logical blocks.
        76 => pub mcl: le::U32 as u32 = "MCL";
        /// Maximum Source Range Count, 0's based.
        80 => pub msrc: u8 as u8 = "MSRC";
        /// Key Per I/O Status.
        81 => pub kpios: u8 as u8 = "KPIOS";
        /// Number of Unique Attribute LBA Formats.
        82 => pub nulbaf: u8 as u8 = "NULBAF";
        /// Reserved.
        83 => rsvd83: u8;
        /// Key Per I/O Data Access Alignment and Granularity, 0's based.
        84 => pub kpiodaag: le::U32 as u32 = "KPIODAAG";
        /// Reserved.
        88 => rsvd88: [u8; 4];
        /// ANA Group Identifier.
        92 => pub anagrpid: le::U32 as u32 = "ANAGRPID";
        /// Reserved.
        96 => rsvd96: [u8; 3];
        /// Namespace Attributes.
        99 => pub nsattr: u8 as u8 = "NSATTR";
        /// NVM Set Identifier.
        100 => pub nvmsetid: le::U16 as u16 = "NVMSETID";
        /// Endurance Group Identifier.
        102 => pub endgid: le::U16 as u16 = "ENDGID";
        /// Namespace Globally Unique Identifier, big endian.
        104 => pub nguid: [u8; 16] as [u8; 16] = "NGUID";
        /// IEEE Extended Unique Identifier, big endian.
        120 => pub eui64: [u8; 8] as [u8; 8] = "EUI64";
        /// LBA Format 0 to 63 Support.
        128 => lbaf: [RawLbaFormat; 64] = "LBAF";
        /// Vendor Specific.
        384 => vs: [u8; 3712];
    }
}

/// One LBA format as it lies in memory (NVM Command Set 1.1, Figure 116).
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct RawLbaFormat {
    ms: le::U16,
    lbads: u8,
    rp: u8,
}

const _: () = assert!(size_of::<RawLbaFormat>() == 4);

/// One LBA format (NVM Command Set 1.1, Figure 116).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LbaFormat {
    /// Its place in the table, 0 to 63.
    pub index: u8,
    /// MS, bits 15:0: bytes of metadata for each block.
    pub ms: u16,
    /// LBADS, bits 23:16: the data size as a power of two; 0 is "not available".
    pub lbads: u8,
    /// RP, bits 25:24: relative performance, 0 best to 3 degraded.
    pub rp: u8,
}

impl LbaFormat {
    /// Bytes of data in a block; `None` where the format is not available (LBADS 0) or its LBADS is
    /// not one that the standard allows (1 to 8) or that a number of 64 bits holds.
    pub fn data_size(&self) -> Option<u64> {
        if self.lbads < 9 {
            None
        } else {
            1_u64.checked_shl(u32::from(self.lbads))
        }
    }
}

/// A preferred granularity or alignment, in logical blocks.
///
/// The fields are 0's based, so a raw 0 is one block where OPTPERF defines the field and nothing at
/// all where it does not (NVM Command Set 1.1, Figure 115).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granularity {
    /// OPTPERF does not define the field, and it is 0.
    NotReported,
    /// OPTPERF defines the field: its value plus one.
    Blocks(u64),
    /// OPTPERF does not define the field, yet it is not 0.
    Odd {
        /// The field.
        raw: u16,
        /// Why its value can't be relied on.
        why: &'static str,
    },
}

impl Granularity {
    /// The number of blocks, where it is reported as the standard says.
    pub const fn blocks(self) -> Option<u64> {
        match self {
            Self::Blocks(blocks) => Some(blocks),
            Self::NotReported | Self::Odd { .. } => None,
        }
    }

    fn new(raw: u16, defined: bool, why: &'static str) -> Self {
        match (defined, raw) {
            (true, _) => Self::Blocks(u64::from(raw) + 1),
            (false, 0) => Self::NotReported,
            (false, _) => Self::Odd { raw, why },
        }
    }
}

const OPTPERF_CLEAR: &str = "NSFEAT OPTPERF is 00b, so the field is not defined";
const OPTPERF_LARGE: &str = "NSFEAT OPTPERF is 10b, so NPDGL stands in its place";

impl IdentifyNamespace {
    const WHAT: &'static str = "Identify Namespace";

    /// The structure in the first 4096 bytes; all ones is an error, and so is NSZE 0.
    pub fn decode(bytes: &[u8]) -> Result<&Self, WireError> {
        let (structure, _) = whole::<Self>(bytes, Self::WHAT)?;
        if structure.nsze.get() == 0 {
            return Err(WireError::InactiveNamespace);
        }
        Ok(structure)
    }

    /// NSFEAT: Namespace Features (NVM Command Set 1.1, Figure 114, byte 24).
    pub fn nsfeat(&self) -> Nsfeat {
        Nsfeat::from_bits_retain(self.nsfeat)
    }

    /// DLFEAT: Deallocate Logical Block Features (NVM Command Set 1.1, Figure 114, byte 33).
    pub fn dlfeat(&self) -> Dlfeat {
        Dlfeat(self.dlfeat)
    }

    /// NMIC bit 0, SHRNS: the namespace may be attached to more than one controller (NVM Express
    /// Base 2.1, I/O Command Set Independent Identify Namespace, NMIC).
    pub fn shared(&self) -> bool {
        bit(self.nmic, 0)
    }

    /// DPS bits 2:0, PIT: the protection information type, 0 none (Figure 114, byte 29).
    pub fn protection_type(&self) -> u8 {
        bits(self.dps, 2, 0)
    }

    /// FLBAS bit 4, MTELBA: metadata follows the data in an extended block (Figure 114, byte 26).
    pub fn metadata_extended(&self) -> bool {
        bit(self.flbas, 4)
    }

    /// How many formats there are: NLBAF plus one, and NULBAF (NVM Command Set 1.1, section 5.5).
    pub fn lba_format_count(&self) -> u16 {
        u16::from(self.nlbaf) + 1 + u16::from(self.nulbaf)
    }

    /// The index of the format in use: FLBAS bits 3:0, and 6:5 above them where there are more than
    /// 16 formats (NVM Command Set 1.1, Figure 114, byte 26: FIDXU is to be ignored otherwise).
    pub fn format_index(&self) -> u8 {
        let lower = bits(self.flbas, 3, 0);
        if self.lba_format_count() > 16 {
            bits(self.flbas, 6, 5) << 4 | lower
        } else {
            lower
        }
    }

    /// The LBA format in use. An index beyond the table's end and a data size below 512 bytes or of
    /// 0 (the format is not available) are malformed.
    pub fn lba_format(&self) -> Result<LbaFormat, WireError> {
        let malformed = |field, found: u8, expected| {
            let found = u64::from(found);
            Err(WireError::Malformed {
                what: Self::WHAT,
                field,
                found,
                expected,
            })
        };
        let index = self.format_index();
        let Some(format) = self.lba_formats().nth(usize::from(index)) else {
            return malformed("FLBAS", self.flbas, "a format index within NLBAF");
        };
        match format.lbads {
            0 => malformed("LBADS", 0, "a format in use to be available (LBADS not 0)"),
            1..=8 | 64.. => malformed(
                "LBADS",
                format.lbads,
                "a power of two from 9 (512 bytes) up",
            ),
            9..=63 => Ok(format),
        }
    }

    /// Every LBA format of the table, those that are not available (LBADS 0) too.
    pub fn lba_formats(&self) -> impl Iterator<Item = LbaFormat> + '_ {
        let count = usize::from(self.lba_format_count());
        (0_u8..64)
            .zip(&self.lbaf)
            .take(count)
            .map(|(index, raw)| LbaFormat {
                index,
                ms: raw.ms.get(),
                lbads: raw.lbads,
                rp: bits(raw.rp, 1, 0),
            })
    }

    fn optperf(&self, raw: u16) -> Granularity {
        Granularity::new(raw, self.nsfeat().optperf() != 0, OPTPERF_CLEAR)
    }

    /// NPWG, defined by OPTPERF 01b, 10b and 11b (NVM Command Set 1.1, Figure 115).
    pub fn npwg_blocks(&self) -> Granularity {
        self.optperf(self.npwg.get())
    }

    /// NPWA, defined by OPTPERF 01b, 10b and 11b (NVM Command Set 1.1, Figure 115).
    pub fn npwa_blocks(&self) -> Granularity {
        self.optperf(self.npwa.get())
    }

    /// NPDG, defined by OPTPERF 01b and 11b only (NVM Command Set 1.1, Figure 115): with 10b the
    /// granularity is NPDGL, in the structure of CNS 05h.
    pub fn npdg_blocks(&self) -> Granularity {
        let optperf = self.nsfeat().optperf();
        let why = if optperf == 0 {
            OPTPERF_CLEAR
        } else {
            OPTPERF_LARGE
        };
        Granularity::new(self.npdg.get(), matches!(optperf, 1 | 3), why)
    }

    /// NPDA, defined by OPTPERF 01b, 10b and 11b (NVM Command Set 1.1, Figure 115).
    pub fn npda_blocks(&self) -> Granularity {
        self.optperf(self.npda.get())
    }

    /// NOWS, defined by OPTPERF 01b, 10b and 11b (NVM Command Set 1.1, Figure 115).
    pub fn nows_blocks(&self) -> Granularity {
        self.optperf(self.nows.get())
    }
}
