//! Write Zeroes and WRITE SAME past the kernel's block layer.

use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::ioctl::{Opcode, opcode};

use super::super::safety::Piece;
use super::Buffer;
use crate::source::ioctl::call::call;
use crate::source::ioctl::scsi::{SENSE_LEN, SG_IO, SgIoHdr, Transfer};
use crate::wire::nvme::command::PassthruCommand;

const NVME_IOCTL_IO_CMD: Opcode = opcode::read_write::<PassthruCommand>(b'N', 0x43);

/// NVM Command Set 1.1, Opcodes for I/O commands: Write Zeroes.
const OPCODE_WRITE_ZEROES: u8 = 0x08;
/// NVM Command Set 1.1, Write Zeroes, CDW12 bit 25: DEAC.
const DEAC: u32 = 1 << 25;

/// What one Write Zeroes covers, in the device's own terms.
#[derive(Debug, Clone, Copy)]
pub struct NvmeWriteZeroes {
    /// Namespace id.
    pub nsid: u32,
    /// Bytes of a block.
    pub block: u64,
    /// Where the node's first byte lies in the namespace.
    pub start_bytes: u64,
    /// Whether to ask for deallocation.
    pub deac: bool,
    /// How long the kernel waits.
    pub timeout_ms: u32,
}

/// Sends one Write Zeroes for a piece of at most 65536 blocks. Gives the NVMe status, 0 for success.
pub fn nvme_write_zeroes(
    fd: BorrowedFd<'_>,
    piece: Piece<'_>,
    how: NvmeWriteZeroes,
) -> Result<u16, Errno> {
    let (slba, blocks) = blocks(piece, how.start_bytes, how.block)?;
    // NLB, CDW12 bits 15:0, counts from 0.
    let nlb = u16::try_from(blocks - 1).map_err(|_| Errno::RANGE)?;
    let [low, high] = halves(slba);
    let mut command = PassthruCommand {
        opcode: OPCODE_WRITE_ZEROES,
        nsid: how.nsid,
        cdw10: low,
        cdw11: high,
        cdw12: u32::from(nlb) | if how.deac { DEAC } else { 0 },
        timeout_ms: how.timeout_ms,
        ..PassthruCommand::default()
    };
    // SAFETY: the request takes a `struct nvme_passthru_cmd`, which `PassthruCommand` is; the command has no data.
    let status = unsafe { call(fd, NVME_IOCTL_IO_CMD, &mut command) }?;
    u16::try_from(status).map_err(|_| Errno::PROTO)
}

/// A WRITE SAME (SBC-4), in the device's own terms.
#[derive(Debug, Clone, Copy)]
pub struct WriteSame {
    /// WRITE SAME (16), else (10).
    pub sixteen: bool,
    /// UNMAP bit.
    pub unmap: bool,
    /// NDOB bit: no data-out buffer; (16) only.
    pub ndob: bool,
    /// Bytes of a block.
    pub block: u64,
    /// Where the node's first byte lies on the disk.
    pub start_bytes: u64,
    /// How long the kernel waits.
    pub timeout_ms: u32,
}

/// How a SCSI command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScsiEnd {
    /// SCSI status.
    pub status: u8,
    /// `DID_*`.
    pub host_status: u16,
    /// Sense data.
    pub sense: Vec<u8>,
}

impl WriteSame {
    /// The command block; `None` where the place or the number of blocks does not fit.
    fn cdb(self, lba: u64, blocks: u64) -> Option<Vec<u8>> {
        const WRITE_SAME_10: u8 = 0x41;
        const WRITE_SAME_16: u8 = 0x93;
        let flags = (u8::from(self.unmap) << 3) | u8::from(self.ndob && self.sixteen);
        let mut cdb = Vec::with_capacity(16);
        if self.sixteen {
            cdb.extend([WRITE_SAME_16, flags]);
            cdb.extend(lba.to_be_bytes());
            cdb.extend(u32::try_from(blocks).ok()?.to_be_bytes());
            cdb.extend([0, 0]);
        } else {
            cdb.extend([WRITE_SAME_10, flags]);
            cdb.extend(u32::try_from(lba).ok()?.to_be_bytes());
            cdb.push(0);
            cdb.extend(u16::try_from(blocks).ok()?.to_be_bytes());
            cdb.push(0);
        }
        Some(cdb)
    }
}

/// Sends one WRITE SAME of zeroes for a piece.
pub fn write_same(fd: BorrowedFd<'_>, piece: Piece<'_>, how: WriteSame) -> Result<ScsiEnd, Errno> {
    let (lba, blocks) = blocks(piece, how.start_bytes, how.block)?;
    let mut cdb = how.cdb(lba, blocks).ok_or(Errno::RANGE)?;
    let block = usize::try_from(how.block).map_err(|_| Errno::RANGE)?;
    let mut zeroes = Buffer::new(block)?;
    let mut sense = vec![0_u8; SENSE_LEN];
    let transfer = if how.ndob && how.sixteen {
        Transfer::Nothing
    } else {
        Transfer::ToDevice(zeroes.get_mut(..block).ok_or(Errno::RANGE)?)
    };
    let mut header =
        SgIoHdr::new(&mut cdb, transfer, &mut sense, how.timeout_ms).ok_or(Errno::RANGE)?;
    // SAFETY: the request takes a `struct sg_io_hdr`, which `SgIoHdr` is; its pointers and lengths are those of `cdb`,
    // `zeroes` and `sense`, which live, untouched, until after the call.
    unsafe { call(fd, SG_IO, &mut header) }?;
    sense.truncate(usize::from(header.sb_len_wr));
    Ok(ScsiEnd {
        status: header.status,
        host_status: header.host_status,
        sense,
    })
}

/// First block and number of blocks of a piece on the device, of which the node may be a part only.
fn blocks(piece: Piece<'_>, start_bytes: u64, block: u64) -> Result<(u64, u64), Errno> {
    let span = piece.span();
    let first = span.offset.checked_add(start_bytes).ok_or(Errno::RANGE)?;
    let whole = block > 0 && first.is_multiple_of(block) && span.length.is_multiple_of(block);
    if !whole || span.length == 0 {
        return Err(Errno::INVAL);
    }
    Ok((first / block, span.length / block))
}

fn halves(number: u64) -> [u32; 2] {
    let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(0);
    [half(number), half(number >> 32)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_same_is_laid_out_as_in_sbc() {
        let how = WriteSame {
            sixteen: true,
            unmap: true,
            ndob: false,
            block: 512,
            start_bytes: 0,
            timeout_ms: 0,
        };
        let cdb = how.cdb(0x0102_0304_0506, 0x0a0b).expect("fits");
        assert_eq!(cdb, [0x93, 8, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 10, 11, 0, 0]);
        let ndob = WriteSame {
            ndob: true,
            unmap: false,
            ..how
        };
        assert_eq!(ndob.cdb(0, 1).expect("fits")[1], 1);
        let ten = WriteSame {
            sixteen: false,
            ..how
        };
        assert_eq!(
            ten.cdb(0x0102_0304, 0x0a0b).expect("fits"),
            [0x41, 8, 1, 2, 3, 4, 0, 10, 11, 0]
        );
        assert_eq!(ten.cdb(1 << 32, 1), None);
        assert_eq!(ten.cdb(0, 1 << 16), None);
        assert_eq!(halves(0x0102_0304_0506_0708), [0x0506_0708, 0x0102_0304]);
    }
}
