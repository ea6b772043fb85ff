//! The device's own word on its blocks.

use super::{Evidence, Places};
use crate::probe::outcome::Says;
use crate::probe::span::Span;
use crate::probe::target::Device;
use crate::source::command::{Command, Commands, Node, Reply};
use crate::source::ioctl::LiveCommands;
use crate::wire::scsi::cdb::ReadCdb;
use crate::wire::scsi::lba_status::{LbaStatus, ProvisioningStatus};

/// The answers of one GET LBA STATUS.
const LENGTH: u32 = 4096;
/// No more of them are asked for.
const MOST: usize = 256;

/// What GET LBA STATUS says of a range; `None` where the device does not know the command.
pub fn lba_status(device: &Device, range: Span) -> Option<Evidence> {
    device.scsi.as_ref()?;
    let node = Node::block(device.node.clone(), device.devno);
    let block = device.logical_block;
    let (first, end) = (
        (device.start_bytes + range.offset) / block,
        (device.start_bytes + range.end()) / block,
    );
    let (mut at, mut mapped, mut unmapped) = (first, 0, 0);
    for _ in 0..MOST {
        if at >= end {
            break;
        }
        let command = Command::Scsi(ReadCdb::get_lba_status(at, LENGTH));
        let Ok(Reply::Scsi {
            status: 0, data, ..
        }) = LiveCommands.command(&node, &command)
        else {
            return None;
        };
        let before = at;
        for run in LbaStatus::decode(&data).ok()?.descriptors {
            let (from, to) = (
                run.lba().max(at),
                run.lba().saturating_add(u64::from(run.blocks())).min(end),
            );
            let count = to.saturating_sub(from);
            *if is_free(run.provisioning_status()) {
                &mut unmapped
            } else {
                &mut mapped
            } += count;
            at = to.max(at);
        }
        if at == before {
            return None;
        }
    }
    let says = if unmapped >= mapped {
        Says::Unmapped
    } else {
        Says::Written
    };
    let value = format!(
        "{} bytes of the range deallocated, {} mapped",
        unmapped * block,
        mapped * block
    );
    Some(Evidence::new("lba-status", value, says))
}

/// Anchored is reserved, with nothing in it.
fn is_free(status: ProvisioningStatus) -> bool {
    matches!(
        status,
        ProvisioningStatus::Deallocated | ProvisioningStatus::Anchored
    )
}

/// What NUSE says, before and after. Many devices never change it, which says nothing.
pub fn used(before: u64, after: u64, bytes: u64, block: u64) -> Evidence {
    let freed = before.saturating_sub(after).saturating_mul(block);
    let says = if freed > 0 && freed >= bytes / 2 {
        Says::Unmapped
    } else {
        Says::Nothing
    };
    Evidence::new(
        "nuse",
        format!("{before} blocks in use before, {after} after"),
        says,
    )
}

/// NUSE of a namespace, in blocks, as the kernel last asked for it (it asks once in 5 s at most).
pub fn nuse(places: &Places) -> Option<u64> {
    std::fs::read_to_string(places.nuse.as_ref()?)
        .ok()?
        .trim()
        .parse()
        .ok()
}
