//! NVMe admin passthrough (include/uapi/linux/nvme_ioctl.h), on a controller, a generic namespace
//! or a block device. Nothing but Identify is sent.

use rustix::ioctl::{Opcode, opcode};

use super::call::call;
use super::{Device, TIMEOUT_MS};
use crate::source::command::{CommandError, Reply};
use crate::wire::nvme::command::{IDENTIFY_LEN, Identify, PassthruCommand};

const REQUEST: &str = "NVME_IOCTL_ADMIN_CMD";

pub(super) const NVME_IOCTL_ADMIN_CMD: Opcode = opcode::read_write::<PassthruCommand>(b'N', 0x41);

/// A buffer that the controller can reach without a copy.
#[repr(C, align(4096))]
struct Page([u8; 4096]);

const _: () = assert!(size_of::<Page>() == IDENTIFY_LEN as usize);

pub(super) fn identify(device: &Device<'_>, identify: Identify) -> Result<Reply, CommandError> {
    let mut page = Box::new(Page([0; 4096]));
    let address = u64::try_from(page.0.as_mut_ptr().expose_provenance())
        .map_err(|_| device.malformed(REQUEST, "the buffer's address has more than 64 bits"))?;
    let mut command = identify.to_passthru(address, IDENTIFY_LEN, TIMEOUT_MS);
    // SAFETY: the request takes a `struct nvme_passthru_cmd`, which `PassthruCommand` is; it is an
    // Identify, whose 4096 bytes go to `page`, which lives until after the call.
    let result = unsafe { call(&device.fd, NVME_IOCTL_ADMIN_CMD, &mut command) };
    let status = result.map_err(|errno| device.refused(REQUEST, errno))?;
    // The status field of the completion without its phase bit: 15 bits.
    let status = u16::try_from(status)
        .map_err(|_| device.malformed(REQUEST, format!("status {status:#x}")))?;
    let data = if status == 0 {
        page.0.to_vec()
    } else {
        Vec::new()
    };
    Ok(Reply::Nvme { status, data })
}
