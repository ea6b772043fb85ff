//! The device's own word on its blocks.

use super::Evidence;
use crate::probe::outcome::Says;
use crate::probe::span::Span;
use crate::probe::target::{Device, Thin};
use crate::source::command::{Command, Commands, Node, Reply};
use crate::source::ioctl::LiveCommands;
use crate::wire::dm::status::InUse;
use crate::wire::nvme::command::Identify;
use crate::wire::nvme::identify::IdentifyNamespace;
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

/// What the device says it has in use, at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    /// NUSE of an NVMe namespace, in its blocks.
    nuse: Option<u64>,
    /// Of a thin volume: sectors mapped, and blocks given out by its pool.
    thin: Option<(u64, u64)>,
}

/// Asks it now.
pub fn used(device: &Device) -> Used {
    Used {
        nuse: nuse(device),
        thin: device.thin.and_then(thin),
    }
}

/// By Identify, since the kernel's own file is up to 5 s old (`ns_update_nuse`, drivers/nvme/host/sysfs.c).
fn nuse(device: &Device) -> Option<u64> {
    let node = Node::block(device.node.clone(), device.devno);
    let command = Command::NvmeIdentify(Identify::namespace(device.nvme.as_ref()?.nsid));
    match LiveCommands.command(&node, &command) {
        Ok(Reply::Nvme { status: 0, data }) => IdentifyNamespace::decode(&data)
            .ok()
            .map(|found| found.nuse()),
        _ => None,
    }
}

fn thin(thin: Thin) -> Option<(u64, u64)> {
    let ask = |devno| LiveCommands.thin_in_use(devno).ok().flatten();
    match (ask(thin.volume)?, ask(thin.pool)?) {
        (InUse::MappedSectors(mapped), InUse::PoolBlocks(given)) => Some((mapped, given)),
        _ => None,
    }
}

/// What two moments say of a command on `bytes` between them.
pub fn changed(device: &Device, before: Used, after: Used, bytes: u64) -> Vec<Evidence> {
    let mut found = Vec::new();
    if let (Some(before), Some(after)) = (before.nuse, after.nuse) {
        found.push(nuse_changed(before, after, bytes, device.logical_block));
    }
    if let (Some(before), Some(after)) = (before.thin, after.thin) {
        found.push(thin_changed(before, after, bytes));
    }
    found
}

/// Many devices never change NUSE, so only its fall says something.
fn nuse_changed(before: u64, after: u64, bytes: u64, block: u64) -> Evidence {
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

/// The volume's own count tells exactly what it lost; the pool's, which other volumes change too, whether that came back
/// to the pool, which a snapshot's share does not. Blocks of the pool may be larger than half the range.
fn thin_changed(before: (u64, u64), after: (u64, u64), bytes: u64) -> Evidence {
    let freed = before.0.saturating_sub(after.0).saturating_mul(512);
    let says = match () {
        () if freed > 0 && freed >= bytes / 2 && after.1 < before.1 => Says::Unmapped,
        () if freed == 0 => Says::Written,
        () => Says::Nothing,
    };
    let pool = match before.1.checked_sub(after.1) {
        Some(0) => "as many blocks in use in the pool".to_owned(),
        Some(fewer) => format!("{fewer} fewer blocks in use in the pool"),
        None => format!("{} more blocks in use in the pool", after.1 - before.1),
    };
    let value = format!(
        "{} sectors mapped before, {} after; {pool}",
        before.0, after.0
    );
    Evidence::new("thin-pool", value, says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_fall_of_nuse_says_something() {
        let says = |before, after| nuse_changed(before, after, 1 << 20, 512).says;
        assert_eq!(says(4096, 2048), Says::Unmapped);
        assert_eq!(says(4096, 3071), Says::Unmapped);
        assert_eq!(says(4096, 4095), Says::Nothing);
        assert_eq!(says(4096, 4096), Says::Nothing);
        assert_eq!(says(0, 4096), Says::Nothing);
    }

    #[test]
    fn a_thin_volume_gave_back_what_its_pool_got() {
        let says = |before, after| thin_changed(before, after, 1 << 20).says;
        assert_eq!(says((4096, 64), (2048, 48)), Says::Unmapped);
        assert_eq!(says((4096, 64), (4096, 64)), Says::Written);
        // A snapshot still has the blocks.
        assert_eq!(says((4096, 64), (2048, 64)), Says::Nothing);
        // Others of the pool gave back.
        assert_eq!(says((4096, 64), (4096, 48)), Says::Written);
        let value = thin_changed((4096, 64), (2048, 48), 1 << 20).value;
        assert_eq!(
            value,
            "4096 sectors mapped before, 2048 after; 16 fewer blocks in use in the pool"
        );
    }
}
