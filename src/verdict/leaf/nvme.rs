//! NVMe namespaces: `nvme_init_non_mdts_limits`, `nvme_update_disk_info` and `nvme_update_ns_info_block`
//! (drivers/nvme/host/core.c, Linux 6.1 to 7.3).

use crate::facts::nvme::{Controller, NvmeFacts};
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::model::units::{UNLIMITED, in_words};
use crate::verdict::Judge;
use crate::verdict::dlfeat;
use crate::verdict::prediction::{Limits, Prediction};
use crate::verdict::quirks::{self, Quirks};
use crate::verdict::reason::{Conflict, Evidence, Level, Reason};
use crate::wire::nvme::identify::Oncs;

const LIMITS: &str = "nvme_init_non_mdts_limits (drivers/nvme/host/core.c)";
const TO_KNOW: &str = "run as root, or give read access to the device's node: Identify (CNS 00h, 01h, 06h) needs no privilege beyond that since 6.2";

/// The largest Write Zeroes command: NLB is a 16-bit, 0's based field (NVM Command Set 1.0, figure 72).
pub const LONGEST_BLOCKS: u64 = 65536;

/// What the driver makes of Identify.
pub fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let Some(nvme) = device.nvme.as_deref() else {
        return Prediction::unknown("no NVMe facts were read", None, Vec::new());
    };
    let Some(controller) = nvme.controller() else {
        return Prediction::unknown("its controller could not be found", None, Vec::new());
    };
    let namespace = match nvme.namespace() {
        Reading::Present(namespace) => namespace,
        other => return not_read(device, "Identify Namespace", &other, &nvme.identify.origin),
    };
    if let reading @ (Reading::Denied(_)
    | Reading::NotAsked(_)
    | Reading::Malformed(_)
    | Reading::Unsupported(_)
    | Reading::Absent) = controller.data()
    {
        return not_read(
            device,
            "Identify Controller",
            &reading,
            &controller.identify.origin,
        );
    }
    let (limit, limit_reason) = match largest(judge, device, nvme, controller) {
        Ok(found) => found,
        Err(prediction) => return *prediction,
    };
    let dlfeat = namespace.dlfeat();
    let zeroes = dlfeat::deallocates_to_zeroes(dlfeat);
    let dlfeat_reason = Reason::new("nvme-dlfeat", &device.kname, dlfeat::explain(dlfeat))
        .because(dlfeat::origin(&nvme.identify.origin), dlfeat::value(dlfeat))
        .by_rule(
            "nvme_update_ns_info_block (drivers/nvme/host/core.c, since 6.17)",
            "the unmap limit is set only for DLFEAT bits 2:0 = 001b with bit 3 set",
        );
    let hw = if zeroes { limit } else { 0 };
    let reasons = match (limit, zeroes) {
        (0, _) => vec![limit_reason, dlfeat_reason],
        _ => vec![dlfeat_reason, limit_reason],
    };
    Prediction::known(Limits::new(limit, hw), reasons)
}

fn not_read<T>(
    device: &BlockDevice,
    what: &str,
    reading: &Reading<T>,
    origin: &Origin,
) -> Prediction {
    let status = reading.status().unwrap_or("absent");
    let detail = reading
        .detail()
        .map(|detail| format!(" ({detail})"))
        .unwrap_or_default();
    let reason = Reason::new(
        "nvme-identify",
        &device.kname,
        format!("{what} was not read: {status}{detail}"),
    )
    .because(origin.clone(), status);
    let to_know = match reading {
        Reading::Denied(_) | Reading::NotAsked(_) | Reading::Absent => Some(TO_KNOW),
        _ => None,
    };
    let why = format!("{what} is not known: {status}{detail}");
    Prediction::unknown(why, to_know, vec![reason])
}

/// `write_zeroes_max_bytes` and why.
fn largest(
    judge: &Judge,
    device: &BlockDevice,
    nvme: &NvmeFacts,
    controller: &Controller,
) -> Result<(u64, Reason), Box<Prediction>> {
    let (quirks, quirk_evidence) = quirks::in_force(controller, judge.kernel);
    let Some(quirks) = quirks else {
        let why = "the kernel's quirks of the controller are not known";
        let mut reason = Reason::new("nvme-quirk", &device.kname, why);
        reason.evidence = vec![quirk_evidence];
        return Err(Box::new(Prediction::unknown(why, None, vec![reason])));
    };
    let at = &device.kname;
    let oncs = controller
        .data()
        .get()
        .map_or(Oncs::empty(), |data| data.oncs());
    let oncs_evidence = Evidence::new(
        byte(&controller.identify.origin, "bytes 521:520 (ONCS)"),
        format!("{:#06x}: {}", oncs.bits(), oncs.names().join(" ")),
    );
    // In 6.1 the value that this quirk sets was overwritten at once by the controller's own.
    let deallocates =
        quirks.contains(Quirks::DEALLOCATE_ZEROES) && judge.kernel.has(6, 12) != Some(false);
    if deallocates && oncs.contains(Oncs::DSM) {
        let text = "the kernel zeroes it by Dataset Management, Deallocate (quirk DEALLOCATE_ZEROES): no limit, and no unmap limit from the quirk alone";
        let mut reason = Reason::new("nvme-quirk", at, text);
        reason.evidence = vec![quirk_evidence, oncs_evidence];
        return Ok((UNLIMITED, reason));
    }
    let disabled = quirks.contains(Quirks::DISABLE_WRITE_ZEROES);
    match by_wzsl(judge, device, controller, disabled) {
        Wzsl::Decides(limit, mut reason) => {
            reason.evidence.push(oncs_evidence);
            return Ok((limit, *reason));
        }
        Wzsl::Unknown(prediction) => return Err(prediction),
        Wzsl::Silent => {}
    }
    if disabled {
        let claims = oncs.contains(Oncs::WRITE_ZEROES);
        let text = if claims {
            "the device claims Write Zeroes, the kernel does not use it (quirk DISABLE_WRITE_ZEROES)"
        } else {
            "no Write Zeroes: ONCS bit 3 is clear, and the kernel has quirk DISABLE_WRITE_ZEROES"
        };
        let mut reason = Reason::new("nvme-quirk", at, text);
        reason.evidence = vec![quirk_evidence, oncs_evidence];
        return Ok((0, reason));
    }
    if !oncs.contains(Oncs::WRITE_ZEROES) {
        let mut reason = Reason::new(
            "nvme-oncs",
            at,
            "no Write Zeroes command: ONCS bit 3 is clear",
        );
        reason.evidence = vec![oncs_evidence];
        return Ok((0, reason));
    }
    by_transfer(device, nvme, controller, oncs_evidence)
}

/// What WZSL says of the limit.
enum Wzsl {
    /// It sets one.
    Decides(u64, Box<Reason>),
    /// It sets none, or the kernel does not look at it.
    Silent,
    /// It could not be read, and the kernel did read it.
    Unknown(Box<Prediction>),
}

/// WZSL decides where it is not 0, even with ONCS bit 3 clear.
fn by_wzsl(judge: &Judge, device: &BlockDevice, controller: &Controller, disabled: bool) -> Wzsl {
    let version = controller.data().get().map_or(0, |data| data.ver());
    let asked = match judge.kernel.has(6, 12) {
        Some(false) => version >= 0x0001_0100,
        _ => version >= 0x0001_0200,
    };
    // WZSL overrides the quirk up to 6.19, but for the point releases that have the fix of 7.0.
    let held = disabled.then(|| quirks::of_7_0(judge.kernel));
    if !asked || controller.nvm_refused || held == Some(Some(true)) {
        return Wzsl::Silent;
    }
    let wzsl = match controller.nvm_data() {
        Reading::Present(nvm) => nvm.wzsl(),
        other => {
            let what = "Identify Controller of the NVM command set (WZSL)";
            return Wzsl::Unknown(Box::new(not_read(
                device,
                what,
                &other,
                &controller.nvm.origin,
            )));
        }
    };
    if wzsl == 0 {
        return Wzsl::Silent;
    }
    if held == Some(None) {
        let why = format!(
            "quirk DISABLE_WRITE_ZEROES holds against WZSL {wzsl} since 7.0, 6.12.86 and 6.1.175, and kernel {} does \
             not tell whether it has that",
            judge.kernel
        );
        let reason = Reason::new("nvme-quirk", &device.kname, why.clone());
        let unknown = Prediction::unknown(why, None, vec![reason]);
        return Wzsl::Unknown(Box::new(unknown));
    }
    // WZSL counts in powers of two of CAP.MPSMIN pages, which nothing exports: 4 KiB everywhere known.
    let shift = u32::from(wzsl) + 3;
    let limit = 1_u32
        .checked_shl(shift)
        .map_or(UNLIMITED, |sectors| u64::from(sectors) * 512);
    let text = format!("{} a command (WZSL {wzsl})", in_words(limit));
    let reason = Reason::new("nvme-wzsl", &device.kname, text)
        .because(
            byte(&controller.nvm.origin, "byte 1 (WZSL)"),
            wzsl.to_string(),
        )
        .by_rule(LIMITS, "2^WZSL pages of 4 KiB, whatever MDTS and ONCS say");
    Wzsl::Decides(limit, Box::new(reason))
}

/// Without WZSL the largest transfer is the largest zeroing: `max_hw_sectors` of the transport and MDTS together.
fn by_transfer(
    device: &BlockDevice,
    _nvme: &NvmeFacts,
    controller: &Controller,
    oncs: Evidence,
) -> Result<(u64, Reason), Box<Prediction>> {
    /// `UINT_MAX` sectors, rounded down to the block size and halved (`queue_max_hw_sectors_kb`).
    const NO_LIMIT_KB: u64 = 0x7fff_ffff - 64;
    let Some(kb) = device.queue.number(Attr::MaxHwSectorsKb).get() else {
        let why = "max_hw_sectors_kb could not be read";
        return Err(Box::new(Prediction::unknown(why, None, Vec::new())));
    };
    let limit = if kb >= NO_LIMIT_KB {
        UNLIMITED
    } else {
        kb * 1024
    };
    let mdts = controller.data().get().map_or(0, |data| data.mdts());
    let mdts_bytes = (mdts != 0)
        .then(|| 4096_u64.checked_shl(u32::from(mdts)))
        .flatten();
    let by = match mdts_bytes {
        Some(bytes) if bytes == limit => format!("MDTS {mdts}"),
        _ if limit == UNLIMITED => "neither MDTS nor WZSL sets one".to_owned(),
        Some(_) => format!("the transport's limit, below MDTS {mdts}"),
        None => "the transport's limit, no MDTS".to_owned(),
    };
    let amount = match limit {
        UNLIMITED => "no limit on a command".to_owned(),
        bytes => format!("{} a command", in_words(bytes)),
    };
    let text = format!("{amount} ({by})");
    let mut reason = Reason::new("nvme-limit", &device.kname, text)
        .because(
            Origin::File(format!("/{}/queue/max_hw_sectors_kb", device.syspath)),
            kb.to_string(),
        )
        .because(
            byte(&controller.identify.origin, "byte 77 (MDTS)"),
            mdts.to_string(),
        );
    if let Some(kind) = controller.iommu_group_type.value() {
        let path = format!(
            "/sys/class/nvme/{}/device/iommu_group/type",
            controller.name
        );
        reason = reason.because(Origin::File(path), kind.clone());
    }
    reason.evidence.push(oncs);
    Ok((
        limit,
        reason.by_rule(
            LIMITS,
            "WZSL is 0 or not reported: max_hw_sectors is the limit",
        ),
    ))
}

/// The same command, with the bytes that were looked at.
pub fn byte(origin: &Origin, bytes: &str) -> Origin {
    match origin {
        Origin::Command { node, what } => Origin::Command {
            node: node.clone(),
            what: format!("{what} {bytes}"),
        },
        other => other.clone(),
    }
}

/// What does not fit together at a namespace.
pub fn conflicts(judge: &Judge, device: &BlockDevice) -> Vec<Conflict> {
    truncation(judge, device).into_iter().collect()
}

/// A command longer than 65536 blocks is cut without a word: NLB is `length >> lba_shift` in 16 bits
/// (`nvme_setup_write_zeroes`). The quirk path, Dataset Management, has 32 bits.
fn truncation(judge: &Judge, device: &BlockDevice) -> Option<Conflict> {
    let wz = device.queue.number(Attr::WriteZeroesMaxBytes).get()?;
    let block = device.queue.number(Attr::LogicalBlockSize).get()?;
    let most = LONGEST_BLOCKS.checked_mul(block)?;
    if wz <= most || deallocates_by_quirk(judge, device) {
        return None;
    }
    let queue = device.queue_path();
    Some(Conflict {
        rule: "nvme-nlb-truncation",
        level: Level::Error,
        at: device.kname.clone(),
        text: format!(
            "a zeroes request above {most} is reported as done although only its first part is zeroed, \
             at most {most}: NLB has 16 bits and the kernel does not split at 65536 blocks",
            most = in_words(most),
        ),
        evidence: vec![
            Evidence::new(
                Origin::File(format!("{queue}/write_zeroes_max_bytes")),
                wz.to_string(),
            ),
            Evidence::new(
                Origin::File(format!("{queue}/logical_block_size")),
                block.to_string(),
            ),
            Evidence::rule(
                "nvme_setup_write_zeroes (drivers/nvme/host/core.c, 6.1 to 7.3)",
                "length = NLB in 16 bits",
            ),
        ],
        advice: Some(format!(
            "zero in pieces of at most {}, or have the target announce MDTS or WZSL (nvmet: param_mdts of the port, since 7.1)",
            in_words(most)
        )),
    })
}

/// Whether zeroes go as Dataset Management, whose ranges count blocks in 32 bits.
pub fn deallocates_by_quirk(judge: &Judge, device: &BlockDevice) -> bool {
    let controllers = device.nvme.iter().flat_map(|nvme| &nvme.controllers);
    controllers.into_iter().any(|controller| {
        let (quirks, _) = quirks::in_force(controller, judge.kernel);
        quirks.is_some_and(|quirks| quirks.contains(Quirks::DEALLOCATE_ZEROES))
    })
}

#[cfg(test)]
mod tests;
