//! A discard through io_uring.

use super::{Options, blkdiscard, failed};
use crate::probe::exec;
use crate::probe::outcome::Failure;
use crate::probe::safety::Piece;
use crate::probe::target::Device;

pub(super) fn requires(device: &Device, options: &Options) -> Option<String> {
    if let Some(why) = blkdiscard::requires(device) {
        return Some(why);
    }
    match device.kernel {
        Some(version) if version < (6, 12) => {
            return Some("io_uring discards since Linux 6.12".to_owned());
        }
        None if !options.force_async => {
            return Some("the kernel's release does not tell whether it is 7.0, which discards a wrong range, unless --force-async".to_owned());
        }
        // Seen on 7.0.13: a request that recycles an earlier one discards the earlier range and reports success.
        Some((7, 0)) if !options.force_async => {
            return Some(
                "Linux 7.0 discards a wrong range and reports success, unless --force-async"
                    .to_owned(),
            );
        }
        _ => {}
    }
    exec::uring_refusal()
}

pub(super) fn run(piece: Piece<'_>, device: &Device, options: &Options) -> Result<(), Failure> {
    // MD takes no non-blocking bio from 7.2 on, and answers EOPNOTSUPP to what is not forced.
    let md = device.kind == "md" && device.kernel.is_none_or(|version| version >= (7, 2));
    exec::uring_discard(piece, options.force_async || md)
        .map_err(|error| failed("BLOCK_URING_CMD_DISCARD", error))
}
