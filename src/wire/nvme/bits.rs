//! Bit fields of the Identify data structures.

use std::fmt;

bitflags::bitflags! {
    /// ONCS: Optional NVM Command Support (NVM Express Base 2.1, Figure 312, bytes 521:520).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Oncs: u16 {
        /// NVMCMPS, bit 0: Compare.
        const COMPARE = 1 << 0;
        /// NVMWUSV, bit 1: Write Uncorrectable.
        const WRITE_UNCORRECTABLE = 1 << 1;
        /// NVMDSMSV, bit 2: Dataset Management.
        const DSM = 1 << 2;
        /// NVMWZSV, bit 3: Write Zeroes.
        const WRITE_ZEROES = 1 << 3;
        /// SSFS, bit 4: Save and Select in Set and Get Features.
        const SAVE_SELECT = 1 << 4;
        /// RESERVS, bit 5: reservations.
        const RESERVATIONS = 1 << 5;
        /// TSS, bit 6: the Timestamp feature.
        const TIMESTAMP = 1 << 6;
        /// NVMVFYS, bit 7: Verify.
        const VERIFY = 1 << 7;
        /// NVMCPYS, bit 8: Copy.
        const COPY = 1 << 8;
        /// NVMCSA, bit 9: Copy Single Atomicity.
        const COPY_SINGLE_ATOMICITY = 1 << 9;
        /// NVMAFC, bit 10: All Fast Copy.
        const ALL_FAST_COPY = 1 << 10;
        /// MAXWZD, bit 11: Write Zeroes with Deallocate has its own limit, WZDSL.
        const MAXWZD = 1 << 11;
        /// NSZS, bit 12: the Namespace Zeroes bit of Write Zeroes.
        const NAMESPACE_ZEROES = 1 << 12;
        /// Bits that later revisions may define are kept.
        const _ = !0;
    }

    /// NSFEAT: Namespace Features (NVM Command Set 1.1, Figure 114, byte 24).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Nsfeat: u8 {
        /// THINP, bit 0: thin provisioning, so NUSE and NCAP mean something.
        const THINP = 1 << 0;
        /// NSABP, bit 1: NAWUN, NAWUPF and NACWU are defined.
        const NSABP = 1 << 1;
        /// DAE, bit 2: Deallocated or Unwritten Logical Block error.
        const DAE = 1 << 2;
        /// UIDREUSE, bit 3: NGUID and EUI64 are never reused.
        const UIDREUSE = 1 << 3;
        /// OPTPERF, bit 4: NPWG, NPWA, NPDG, NPDA and NOWS are defined (1.4 and 2.0: whole field).
        const OPTPERF = 1 << 4;
        /// OPTPERF's upper bit, bit 5, since 2.1: NPDGL and NPDAL are defined.
        const OPTPERF_LARGE = 1 << 5;
        /// MAM, bit 6, since 2.1: Multiple Atomicity Mode.
        const MAM = 1 << 6;
        /// OPTRPERF, bit 7, since 2.1: NPRG, NPRA and NORS are defined.
        const OPTRPERF = 1 << 7;
    }

    /// CMIC: Controller Multi-Path I/O and Namespace Sharing Capabilities (NVM Express Base 2.1,
    /// Figure 312, byte 76).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Cmic: u8 {
        /// MPORTS, bit 0: the subsystem may have more than one port.
        const MULTI_PORT = 1 << 0;
        /// MCTRS, bit 1: the subsystem may have more than one controller.
        const MULTI_CONTROLLER = 1 << 1;
        /// FTYPE, bit 2: the controller is an SR-IOV virtual function.
        const VIRTUAL_FUNCTION = 1 << 2;
        /// ANARS, bit 3: Asymmetric Namespace Access reporting.
        const ANA = 1 << 3;
        /// Bits that later revisions may define are kept.
        const _ = !0;
    }
}

macro_rules! names {
    ($($flags:ty),+) => {
        $(impl $flags {
            /// The names of the bits that are set and known, lowest first.
            pub fn names(&self) -> Vec<&'static str> {
                self.iter_names().map(|(name, _)| name).collect()
            }
        })+
    };
}

names!(Oncs, Nsfeat, Cmic);

impl Nsfeat {
    /// OPTPERF as the two bits of NVM Command Set 1.1 (Figures 114 and 115, bits 5:4).
    ///
    /// Up to NVM Command Set 1.0 the field is bit 4 alone and bit 5 is reserved, zero.
    pub const fn optperf(self) -> u8 {
        super::super::bits(self.bits(), 5, 4)
    }
}

/// DLFEAT: Deallocate Logical Block Features (NVM Command Set 1.1, Figure 114, byte 33).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dlfeat(pub u8);

impl Dlfeat {
    /// The whole byte.
    pub const fn raw(self) -> u8 {
        self.0
    }

    /// DRB, bits 2:0: what a deallocated logical block reads as.
    pub const fn read_behavior(self) -> ReadBehavior {
        match super::super::bits(self.0, 2, 0) {
            0 => ReadBehavior::NotReported,
            1 => ReadBehavior::AllZeroes,
            2 => ReadBehavior::AllOnes,
            other => ReadBehavior::Reserved(other),
        }
    }

    /// WZDS, bit 3: Write Zeroes may carry the Deallocate (DEAC) bit.
    pub const fn deac(self) -> bool {
        super::super::bit(self.0, 3)
    }

    /// GDS, bit 4: the Guard of a deallocated block is the CRC of what it reads as, not FFFFh.
    pub const fn guard_crc(self) -> bool {
        super::super::bit(self.0, 4)
    }

    /// Bits 7:5, reserved.
    pub const fn reserved(self) -> u8 {
        super::super::bits(self.0, 7, 5)
    }
}

impl From<u8> for Dlfeat {
    fn from(raw: u8) -> Self {
        Self(raw)
    }
}

/// What a deallocated logical block reads as: DLFEAT bits 2:0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadBehavior {
    /// 000b: the read behaviour is not reported.
    NotReported,
    /// 001b: all bytes cleared to 0h.
    AllZeroes,
    /// 010b: all bytes set to FFh.
    AllOnes,
    /// 011b to 111b.
    Reserved(u8),
}

impl fmt::Display for ReadBehavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotReported => "not-reported",
            Self::AllZeroes => "all-zeroes",
            Self::AllOnes => "all-ones",
            Self::Reserved(_) => "reserved",
        })
    }
}

/// VER: the revision a controller complies with (NVM Express Base 2.1, property VS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NvmeVersion(pub u32);

impl NvmeVersion {
    /// A revision by its parts.
    pub const fn new(major: u16, minor: u8, tertiary: u8) -> Self {
        let [hi, lo] = major.to_be_bytes();
        Self(u32::from_be_bytes([hi, lo, minor, tertiary]))
    }

    /// MJR, bits 31:16.
    pub const fn major(self) -> u16 {
        let [hi, lo, _, _] = self.0.to_be_bytes();
        u16::from_be_bytes([hi, lo])
    }

    /// MNR, bits 15:8.
    pub const fn minor(self) -> u8 {
        let [_, _, minor, _] = self.0.to_be_bytes();
        minor
    }

    /// TER, bits 7:0.
    pub const fn tertiary(self) -> u8 {
        let [_, _, _, tertiary] = self.0.to_be_bytes();
        tertiary
    }

    /// Whether a revision is stated at all: controllers before 1.2 leave the field 0.
    pub const fn is_reported(self) -> bool {
        self.0 != 0
    }
}

impl fmt::Display for NvmeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major(), self.minor(), self.tertiary())
    }
}
