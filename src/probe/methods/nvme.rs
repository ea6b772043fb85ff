//! NVMe Write Zeroes past the block layer (NVM Command Set 1.1, Write Zeroes command).

use super::{Options, failed, open_leg};
use crate::probe::exec::{self, NvmeWriteZeroes};
use crate::probe::outcome::Failure;
use crate::probe::plan::Method;
use crate::probe::safety::Piece;
use crate::probe::target::Device;
use crate::wire::nvme::status::NvmeStatus;
use rustix::fd::AsFd;
use rustix::io::Errno;

/// NLB has 16 bits and counts from 0.
const MAX_BLOCKS: u64 = 1 << 16;

pub(super) fn requires(device: &Device, options: &Options) -> Option<String> {
    if let Some(why) = options.leg.as_ref().and_then(|leg| leg.skip.clone()) {
        return Some(why);
    }
    match &device.nvme {
        None if device.legs.is_empty() => Some("not an NVMe namespace".to_owned()),
        None => Some("the map's legs are no NVMe namespaces".to_owned()),
        Some(nvme) if nvme.write_zeroes == Some(false) => {
            Some("ONCS says that the controller has no Write Zeroes command".to_owned())
        }
        Some(_) if options.despite_quirks => None,
        Some(nvme) => nvme
            .turned_off
            .as_ref()
            .map(|why| format!("{why}, unless --despite-quirks")),
    }
}

pub(super) fn run(
    method: Method,
    piece: Piece<'_>,
    device: &Device,
    options: &Options,
) -> Result<(), Failure> {
    let Some(nvme) = &device.nvme else {
        return Err(failed("Write Zeroes", Errno::NODEV));
    };
    let leg = options.leg.as_ref().map(open_leg).transpose()?;
    let fd = leg.as_ref().map_or_else(|| piece.fd(), AsFd::as_fd);
    let how = NvmeWriteZeroes {
        nsid: nvme.nsid,
        block: device.logical_block,
        start_bytes: device.start_bytes,
        deac: method == Method::NvmeWriteZeroesDeac,
        timeout_ms: options.timeout_ms,
    };
    for part in piece.span().pieces(most(device) * device.logical_block) {
        let place = piece
            .part(part)
            .ok_or_else(|| failed("Write Zeroes", Errno::RANGE))?;
        let status = exec::nvme_write_zeroes(fd, place, how)
            .map_err(|error| failed("NVME_IOCTL_IO_CMD with Write Zeroes", error))?;
        if status != 0 {
            return Err(Failure {
                nvme_status: Some(status),
                text: format!(
                    "Write Zeroes of {} bytes: {}",
                    part.length,
                    NvmeStatus(status)
                ),
                ..Failure::default()
            });
        }
    }
    Ok(())
}

/// How many blocks one command may cover: what the kernel takes from WZSL or MDTS, else its limit for transfers. A longer
/// one is answered with Invalid Field, which says nothing of the command.
fn most(device: &Device) -> u64 {
    let limits = &device.limits;
    let transfer = limits.max_hw_sectors_kb.map(|kib| kib.saturating_mul(1024));
    let bytes = limits
        .write_zeroes_max_bytes
        .filter(|bytes| *bytes > 0)
        .or(transfer);
    bytes.map_or(MAX_BLOCKS, |bytes| {
        (bytes / device.logical_block).clamp(1, MAX_BLOCKS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::target::Nvme;
    use crate::probe::target::fixtures::disk;

    #[test]
    fn a_command_is_no_longer_than_the_controller_takes() {
        let mut device = disk(1 << 30);
        assert_eq!(most(&device), 1 << 16);
        device.limits.max_hw_sectors_kb = Some(512);
        assert_eq!(most(&device), 1024);
        device.limits.write_zeroes_max_bytes = Some(1 << 20);
        assert_eq!(most(&device), 2048);
        // Quirk DISABLE_WRITE_ZEROES.
        device.limits.write_zeroes_max_bytes = Some(0);
        assert_eq!(most(&device), 1024);
        device.limits.write_zeroes_max_bytes = Some(2_199_023_255_040);
        assert_eq!(most(&device), 1 << 16);
    }

    #[test]
    fn what_the_kernel_has_turned_off_is_sent_only_when_asked_for() {
        let mut device = disk(1 << 30);
        device.nvme = Some(Nvme {
            nsid: 1,
            write_zeroes: Some(true),
            dlfeat: None,
            turned_off: Some("the kernel never sends Write Zeroes to nvme0".to_owned()),
        });
        let why = requires(&device, &Options::default()).expect("skipped");
        assert!(why.contains("--despite-quirks"), "{why}");
        let asked = Options {
            despite_quirks: true,
            ..Options::default()
        };
        assert_eq!(requires(&device, &asked), None);
        device.nvme.as_mut().expect("set above").write_zeroes = Some(false);
        assert!(
            requires(&device, &asked).is_some(),
            "ONCS is the device's own word"
        );
    }
}
