//! SCSI commands through SG_IO, interface version 3 (include/scsi/sg.h). A [`ReadCdb`] can only
//! be a command that reads, and data can only come from the device.

use std::ffi::c_void;
use std::ptr;

use rustix::ioctl::Opcode;

use super::call::call;
use super::{Device, TIMEOUT_MS};
use crate::source::command::{CommandError, Reply};
use crate::source::transcript::MAX_DATA;
use crate::wire::scsi::cdb::ReadCdb;

const REQUEST: &str = "SG_IO";

pub(crate) const SG_IO: Opcode = 0x2285;

const SG_DXFER_NONE: i32 = -1;
const SG_DXFER_TO_DEV: i32 = -2;
const SG_DXFER_FROM_DEV: i32 = -3;

/// Sense data are never longer (SPC-6, sense data).
pub(crate) const SENSE_LEN: usize = 252;

/// `struct sg_io_hdr`.
#[repr(C)]
pub(crate) struct SgIoHdr {
    pub(crate) interface_id: i32,
    pub(crate) dxfer_direction: i32,
    pub(crate) cmd_len: u8,
    pub(crate) mx_sb_len: u8,
    pub(crate) iovec_count: u16,
    pub(crate) dxfer_len: u32,
    pub(crate) dxferp: *mut c_void,
    pub(crate) cmdp: *mut u8,
    pub(crate) sbp: *mut c_void,
    pub(crate) timeout: u32,
    pub(crate) flags: u32,
    pub(crate) pack_id: i32,
    pub(crate) usr_ptr: *mut c_void,
    pub(crate) status: u8,
    pub(crate) masked_status: u8,
    pub(crate) msg_status: u8,
    pub(crate) sb_len_wr: u8,
    pub(crate) host_status: u16,
    pub(crate) driver_status: u16,
    pub(crate) resid: i32,
    pub(crate) duration: u32,
    pub(crate) info: u32,
}

/// What goes with a command, and which way.
pub(crate) enum Transfer<'b> {
    /// Nothing.
    Nothing,
    /// From the device into this buffer.
    FromDevice(&'b mut [u8]),
    /// From this buffer to the device; only the probe has such commands.
    ToDevice(&'b mut [u8]),
}

impl SgIoHdr {
    /// The header for one command; `None` if a length does not fit its field. It points to what it was given, which must
    /// live, untouched, until the command is done.
    pub(crate) fn new(
        cdb: &mut [u8],
        transfer: Transfer<'_>,
        sense: &mut [u8],
        timeout_ms: u32,
    ) -> Option<Self> {
        let (direction, data) = match transfer {
            Transfer::FromDevice(data) if !data.is_empty() => (SG_DXFER_FROM_DEV, data),
            Transfer::ToDevice(data) if !data.is_empty() => (SG_DXFER_TO_DEV, data),
            _ => (SG_DXFER_NONE, &mut [][..]),
        };
        Some(Self {
            interface_id: i32::from(b'S'),
            dxfer_direction: direction,
            cmd_len: u8::try_from(cdb.len()).ok()?,
            mx_sb_len: u8::try_from(sense.len()).ok()?,
            iovec_count: 0,
            dxfer_len: u32::try_from(data.len()).ok()?,
            dxferp: data.as_mut_ptr().cast(),
            cmdp: cdb.as_mut_ptr(),
            sbp: sense.as_mut_ptr().cast(),
            timeout: timeout_ms,
            flags: 0,
            pack_id: 0,
            usr_ptr: ptr::null_mut(),
            status: 0,
            masked_status: 0,
            msg_status: 0,
            sb_len_wr: 0,
            host_status: 0,
            driver_status: 0,
            resid: 0,
            duration: 0,
            info: 0,
        })
    }
}

pub(super) fn read(device: &Device<'_>, cdb: &ReadCdb) -> Result<Reply, CommandError> {
    let length = usize::try_from(cdb.transfer_len())
        .ok()
        .filter(|length| *length <= MAX_DATA)
        .ok_or_else(|| device.malformed(REQUEST, format!("{cdb} asks for too much")))?;
    let mut bytes = cdb.bytes().to_vec();
    let (mut data, mut sense) = (vec![0; length], vec![0; SENSE_LEN]);
    let transfer = Transfer::FromDevice(&mut data);
    let mut header = SgIoHdr::new(&mut bytes, transfer, &mut sense, TIMEOUT_MS)
        .ok_or_else(|| device.malformed(REQUEST, format!("{cdb} is too long")))?;
    // SAFETY: the request takes a `struct sg_io_hdr`, which `SgIoHdr` is; its pointers and lengths
    // are those of `bytes`, `data` and `sense`, which live, untouched, until after the call.
    let result = unsafe { call(&device.fd, SG_IO, &mut header) };
    result.map_err(|errno| device.refused(REQUEST, errno))?;

    // A residual that is negative or longer than the buffer says nothing about what was written.
    let residual = usize::try_from(header.resid).unwrap_or(0);
    data.truncate(data.len().checked_sub(residual).unwrap_or(data.len()));
    sense.truncate(usize::from(header.sb_len_wr));
    Ok(Reply::Scsi {
        status: header.status,
        host_status: header.host_status,
        driver_status: header.driver_status,
        sense,
        data,
    })
}
