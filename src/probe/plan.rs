//! What a run shall do, worked out before anything is opened. Pure.

use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::span::Span;
use super::target::Target;

macro_rules! methods {
    ($($variant:ident $word:literal $kind:ident $doc:literal;)*) => {
        /// A way to ask for zeroes, or to discard.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum Method { $(#[doc = $doc] #[serde(rename = $word)] $variant),* }

        impl Method {
            /// Every method, in the order they are tried.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word for it in every output.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// Which way it goes.
            pub fn way(self) -> Way {
                match self { $(Self::$variant => Way::$kind),* }
            }
        }
    };
}

methods! {
    Pwrite "pwrite" Write "Pages of zeroes by direct I/O: what everything is compared with.";
    BlkZeroOut "blkzeroout" Kernel "The ioctl BLKZEROOUT.";
    FallocateWriteZeroes "fallocate-write-zeroes" Kernel "fallocate with FALLOC_FL_WRITE_ZEROES (since 6.17).";
    FallocateZeroRange "fallocate-zero-range" Kernel "fallocate with FALLOC_FL_ZERO_RANGE.";
    FallocatePunchHole "fallocate-punch-hole" Kernel "fallocate with FALLOC_FL_PUNCH_HOLE.";
    NvmeWriteZeroes "nvme-write-zeroes" Passthrough "NVMe Write Zeroes, sent to the controller.";
    NvmeWriteZeroesDeac "nvme-write-zeroes-deac" Passthrough "NVMe Write Zeroes with the deallocate bit.";
    ScsiWriteSame16 "scsi-write-same-16" Passthrough "SCSI WRITE SAME (16) of a zero block.";
    ScsiWriteSame16Ndob "scsi-write-same-16-ndob" Passthrough "SCSI WRITE SAME (16) without a data-out buffer.";
    ScsiWriteSame16Unmap "scsi-write-same-16-unmap" Passthrough "SCSI WRITE SAME (16) with the UNMAP bit.";
    ScsiWriteSame10 "scsi-write-same-10" Passthrough "SCSI WRITE SAME (10) of a zero block.";
    ScsiWriteSame10Unmap "scsi-write-same-10-unmap" Passthrough "SCSI WRITE SAME (10) with the UNMAP bit.";
    BlkDiscard "blkdiscard" Discard "The ioctl BLKDISCARD, which promises no zeroes.";
    UringDiscard "uring-discard" Discard "A discard through io_uring (since 6.12), which promises no zeroes.";
}

/// Which way a method goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Writing.
    Write,
    /// The kernel's own zeroing.
    Kernel,
    /// A command to the device, past the kernel's block layer.
    Passthrough,
    /// Discarding: what reads back is information, not a promise kept or broken.
    Discard,
}

/// What becomes of the bytes that the probe writes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A file of the probe's own: there are none.
    Scratch,
    /// They are copied to a journal and put back.
    Preserve,
    /// They are lost.
    Destroy,
}

/// What a user asks for.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Methods; empty is all.
    pub methods: Vec<Method>,
    /// The range to zero; `None` takes one that shows something.
    pub range: Option<Span>,
    /// What becomes of a device's bytes; `None` was not said.
    pub mode: Option<Mode>,
}

/// What a run shall do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What becomes of the bytes.
    pub mode: Mode,
    /// The methods, each once, in the order they are tried.
    pub methods: Vec<Method>,
    /// What is to be zeroed.
    pub range: Span,
    /// The range with its guards on both sides: all that is ever written.
    pub span: Span,
    /// Which device; `None` for a scratch file.
    pub identity: Option<String>,
}

const MIB: u64 = 1 << 20;
/// Long enough for commands to be split, short enough for slow disks.
const DEFAULT_LENGTH: u64 = 32 * MIB;
/// Guards on both sides of the range.
const GUARD: u64 = MIB;
/// NVMe's number of blocks has 16 bits, and the kernel cuts a longer one off without an error
/// (`nvme_setup_write_zeroes`, drivers/nvme/host/core.c, 6.1 to 7.3).
const NVME_BLOCKS: u64 = 1 << 16;

impl Plan {
    /// Works out the range, its guards and what is allowed. Nothing has been opened, nothing is promised.
    pub fn new(target: &Target, ask: &Ask) -> Result<Self, Refusal> {
        let mode = mode(target, ask)?;
        let (size, block) = match target {
            Target::Scratch(dir) => (dir.free_bytes / 2, dir.block),
            Target::Device(device) => (device.size_bytes, device.block),
        };
        let longest = longest_command(target);
        let range = match ask.range {
            Some(range) => range,
            None => default_range(size, block, longest),
        };
        check_range(target, range, size, block)?;
        let guard = GUARD.max(block) / block * block;
        let start = range.offset.saturating_sub(guard);
        // A device has an end, and a scratch file may take its share of the room only.
        let end = (range.end() + guard).min(size / block * block);
        let methods = Method::ALL
            .iter()
            .filter(|method| ask.methods.is_empty() || ask.methods.contains(method))
            .copied()
            .collect();
        let identity = match target {
            Target::Scratch(_) => None,
            Target::Device(device) => Some(device.identity.clone()),
        };
        let span = Span {
            offset: start,
            length: end - start,
        };
        Ok(Self {
            mode,
            methods,
            range,
            span,
            identity,
        })
    }
}

fn mode(target: &Target, ask: &Ask) -> Result<Mode, Refusal> {
    match (target, ask.mode) {
        (Target::Scratch(_), None) => Ok(Mode::Scratch),
        (Target::Scratch(_), Some(_)) => Err(Refusal::ScratchNeedsNoMode),
        (Target::Device(_), Some(mode @ (Mode::Preserve | Mode::Destroy))) => Ok(mode),
        (Target::Device(device), _) => Err(Refusal::NoMode {
            kname: device.kname.clone(),
        }),
    }
}

/// The largest command that the kernel would cut off, where it would.
fn longest_command(target: &Target) -> Option<u64> {
    let Target::Device(device) = target else {
        return None;
    };
    let cut = NVME_BLOCKS * device.logical_block;
    let limit = device.limits.write_zeroes_max_bytes.unwrap_or(0);
    (device.driver == Some("nvme") && limit > cut).then_some(cut)
}

fn default_range(size: u64, block: u64, longest: Option<u64>) -> Span {
    let unit = MIB.max(block);
    let wanted = DEFAULT_LENGTH
        .max(longest.map_or(0, |cut| cut * 2))
        .next_multiple_of(unit);
    let guard = unit;
    if size >= wanted + 2 * guard {
        // The middle: tables and superblocks stand at the edges.
        let offset = ((size - wanted) / 2 / unit * unit).max(guard);
        return Span {
            offset,
            length: wanted,
        };
    }
    let guard = (size / 8 / block * block).min(guard);
    Span {
        offset: guard,
        length: (size.saturating_sub(2 * guard)) / block * block,
    }
}

fn check_range(target: &Target, range: Span, size: u64, block: u64) -> Result<(), Refusal> {
    let shown = target.shown();
    if range.length == 0 || range.end() > size {
        return Err(match target {
            // A loop device without a file, a drive without a disk.
            Target::Device(_) if size == 0 => Refusal::Empty { kname: shown },
            Target::Scratch(_) => Refusal::NoRoom {
                dir: shown,
                wanted: range.end(),
                free: size,
            },
            Target::Device(_) => Refusal::OutsideDevice {
                kname: shown,
                range,
                size,
            },
        });
    }
    if !range.offset.is_multiple_of(block) || !range.length.is_multiple_of(block) {
        return Err(Refusal::Unaligned { range, block });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::target::fixtures::disk;
    use super::*;

    fn ask(mode: Option<Mode>) -> Ask {
        Ask {
            methods: Vec::new(),
            range: None,
            mode,
        }
    }

    fn plan(target: &Target, range: Option<Span>) -> Result<Plan, Refusal> {
        Plan::new(
            target,
            &Ask {
                range,
                ..ask(Some(Mode::Destroy))
            },
        )
    }

    #[test]
    fn a_device_needs_a_word_about_its_data() {
        let target = Target::Device(Box::new(disk(1 << 30)));
        assert!(matches!(
            Plan::new(&target, &ask(None)),
            Err(Refusal::NoMode { .. })
        ));
        let plan = Plan::new(&target, &ask(Some(Mode::Preserve))).expect("a plan");
        assert_eq!(plan.range.length, 32 * MIB);
        assert!(plan.span.holds(&plan.range));
        assert_eq!(plan.methods.len(), Method::ALL.len());
    }

    #[test]
    fn the_range_and_its_guards_stay_on_the_device() {
        for size in [1u64 << 20, 3 << 20, 40 << 20, 1 << 40, (33 << 20) + 512] {
            let target = Target::Device(Box::new(disk(size)));
            let plan = plan(&target, None).expect("a plan");
            assert!(plan.span.end() <= size, "{size}");
            assert!(
                plan.range.offset >= 512 && plan.range.end() < plan.span.end(),
                "{size}"
            );
        }
        let target = Target::Device(Box::new(disk(1 << 20)));
        let outside = Span {
            offset: 1 << 19,
            length: 1 << 20,
        };
        assert!(matches!(
            plan(&target, Some(outside)),
            Err(Refusal::OutsideDevice { .. })
        ));
        let odd = Span {
            offset: 100,
            length: 512,
        };
        assert!(matches!(
            plan(&target, Some(odd)),
            Err(Refusal::Unaligned { .. })
        ));
        let edge = Span {
            offset: 0,
            length: 1 << 20,
        };
        assert_eq!(plan(&target, Some(edge)).expect("a plan").span, edge);
    }

    #[test]
    fn a_scratch_file_takes_no_more_than_half_of_the_room_with_its_guards() {
        for free in [64 << 10, 1 << 20, 3 << 20, 60 << 20, 1_u64 << 30] {
            let dir = super::super::target::ScratchDir {
                path: "/mnt".into(),
                kname: None,
                free_bytes: free,
                block: 4096,
                bad: None,
            };
            let target = Target::Scratch(Box::new(dir));
            let plan = Plan::new(&target, &ask(None)).expect("a plan");
            assert!(plan.span.end() <= free / 2, "{free}: {:?}", plan.span);
            let whole = Span {
                offset: 0,
                length: free / 2,
            };
            let asked = Ask {
                range: Some(whole),
                ..ask(None)
            };
            assert_eq!(Plan::new(&target, &asked).expect("a plan").span, whole);
        }
    }

    #[test]
    fn a_range_that_the_kernel_would_cut_off_is_longer_than_one_command() {
        let mut device = disk(1 << 30);
        device.driver = Some("nvme");
        device.limits.write_zeroes_max_bytes = Some(2_199_023_255_040);
        let plan = plan(&Target::Device(Box::new(device)), None).expect("a plan");
        assert!(plan.range.length > 65536 * 512);
    }
}
