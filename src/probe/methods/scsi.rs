//! SCSI WRITE SAME past the block layer (SBC-4).

use super::{Options, failed, open_leg};
use crate::probe::exec::{self, WriteSame};
use crate::probe::outcome::Failure;
use crate::probe::plan::Method;
use crate::probe::safety::Piece;
use crate::probe::target::Device;
use crate::wire::scsi::sense::Sense;
use rustix::fd::AsFd;
use rustix::io::Errno;

/// What the kernel sends where the device names no largest (`SD_MAX_WS10_BLOCKS`, drivers/scsi/sd.h).
const DEFAULT_BLOCKS: u64 = 0xffff;

fn how(method: Method, device: &Device, options: &Options) -> WriteSame {
    let sixteen = !matches!(
        method,
        Method::ScsiWriteSame10 | Method::ScsiWriteSame10Unmap
    );
    WriteSame {
        sixteen,
        unmap: matches!(
            method,
            Method::ScsiWriteSame16Unmap | Method::ScsiWriteSame10Unmap
        ),
        ndob: method == Method::ScsiWriteSame16Ndob,
        block: device.logical_block,
        start_bytes: device.start_bytes,
        timeout_ms: options.timeout_ms,
    }
}

pub(super) fn requires(method: Method, device: &Device, options: &Options) -> Option<String> {
    if let Some(leg) = &options.leg {
        if !leg.kname.starts_with("sd") {
            return Some(format!("the leg {} is no SCSI disk", leg.kname));
        }
        return leg.skip.clone();
    }
    let Some(scsi) = &device.scsi else {
        return Some("not a SCSI disk".to_owned());
    };
    let how = how(method, device, options);
    let (supported, name) = if how.sixteen {
        (scsi.write_same_16, "WRITE SAME (16)")
    } else {
        (scsi.write_same_10, "WRITE SAME (10)")
    };
    if supported == Some(false) {
        return Some(format!(
            "REPORT SUPPORTED OPERATION CODES says that the device has no {name}"
        ));
    }
    if how.ndob && scsi.ndob == Some(false) {
        return Some(
            "REPORT SUPPORTED OPERATION CODES says that WRITE SAME (16) ignores NDOB".to_owned(),
        );
    }
    let (bit, page) = if how.sixteen {
        (scsi.lbpws, "LBPWS")
    } else {
        (scsi.lbpws10, "LBPWS10")
    };
    if how.unmap && bit == Some(false) {
        return Some(format!(
            "{page} of VPD page B2h is 0: {name} takes no UNMAP bit"
        ));
    }
    let end = device.start_bytes + device.size_bytes;
    if !how.sixteen && end / device.logical_block > u64::from(u32::MAX) {
        return Some(
            "the device has blocks past 2^32, which WRITE SAME (10) cannot name".to_owned(),
        );
    }
    None
}

pub(super) fn run(
    method: Method,
    piece: Piece<'_>,
    device: &Device,
    options: &Options,
) -> Result<(), Failure> {
    let leg = options.leg.as_ref().map(open_leg).transpose()?;
    let fd = leg.as_ref().map_or_else(|| piece.fd(), AsFd::as_fd);
    let how = how(method, device, options);
    let said = device.scsi.as_ref().map_or(0, |scsi| scsi.max_blocks);
    let most = if said == 0 { DEFAULT_BLOCKS } else { said };
    let most = if how.sixteen {
        most.min(u64::from(u32::MAX))
    } else {
        most.min(DEFAULT_BLOCKS)
    };
    for part in piece.span().pieces(most * device.logical_block) {
        let place = piece
            .part(part)
            .ok_or_else(|| failed("WRITE SAME", Errno::RANGE))?;
        let end = exec::write_same(fd, place, how)
            .map_err(|error| failed("SG_IO with WRITE SAME", error))?;
        if end.status != 0 || end.host_status != 0 {
            return Err(refused(&end, part.length));
        }
    }
    Ok(())
}

fn refused(end: &exec::ScsiEnd, length: u64) -> Failure {
    let sense = Sense::decode(&end.sense)
        .ok()
        .map(|sense| sense.to_string());
    let (status, host) = (end.status, end.host_status);
    let why = sense
        .clone()
        .unwrap_or_else(|| format!("SCSI status {status:#04x}, host status {host:#04x}"));
    Failure {
        sense,
        text: format!("WRITE SAME of {length} bytes: {why}"),
        ..Failure::default()
    }
}
