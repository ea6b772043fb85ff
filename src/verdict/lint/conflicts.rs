//! Conflicts of the verdict: numbers that mislead, or that are about to.

use super::Finding;
use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::verdict::judgement;

/// Rule and why it matters. Every conflict has a line; a test holds the two lists together.
pub(super) const WHY: &[(&str, &str)] = &[
    (
        "dm-over-disabled",
        "what looks offloaded is written, and punching a hole fails",
    ),
    (
        "head-shrunk",
        "zeroing is slower than the paths allow until the head is made anew",
    ),
    (
        "loop-discard-off",
        "what looks offloaded is written, and punching a hole fails",
    ),
    (
        "loop-optimistic",
        "the first request fails and the limit is gone: what was measured before means nothing",
    ),
    (
        "loop-refused",
        "zeroes are written from now on, though the filesystem's limit looked otherwise",
    ),
    (
        "md-cannot-start",
        "a reboot, or a stop, would leave the array down",
    ),
    (
        "limits-moving",
        "a report made now may join limits that never stood together",
    ),
    (
        "md-runtime-disabled",
        "FALLOC_FL_WRITE_ZEROES succeeds and writes; no limit of the queue can be set any more",
    ),
    (
        "nvme-nlb-truncation",
        "data that was to be zeroed is still there, and the caller was told it is gone",
    ),
    (
        "path-limits-differ",
        "one path holds the others back, and a request that fits one may fail on another",
    ),
    (
        "prediction-differs",
        "the device and the kernel's idea of it have parted; either may be wrong",
    ),
    (
        "runtime-disabled",
        "zeroes are written, and no limit of the queue can be set any more",
    ),
    (
        "scsi-lbprz-disagree",
        "tools that read the page come to another answer than the kernel",
    ),
    (
        "scsi-lbpu-without-lbpme",
        "no discard reaches the disk, so that its spare blocks run out",
    ),
    (
        "scsi-max-write-same-written",
        "zeroing does not do what the device offers",
    ),
    (
        "scsi-page-malformed",
        "the kernel reads limits from such pages, and so does every tool",
    ),
    (
        "scsi-write-same-limit-ignored",
        "the first large zeroing fails, and zeroes are written from then on",
    ),
    (
        "scsi-zeroing-mode-differs",
        "zeroing deallocates where the limits say it does not, or writes where they say it deallocates",
    ),
    (
        "stacked-snapshot-stale",
        "the limits promise what the devices below do not do now, or hide what they do",
    ),
    (
        "unmap-file-of-earlier-patch",
        "programs written for 6.17 do not find what this kernel has",
    ),
    (
        "unmap-limit-kept",
        "the kernel asks the device to deallocate, and it promises no zeroes there any more",
    ),
    (
        "user-limit",
        "programs that count on FALLOC_FL_WRITE_ZEROES fail or write",
    ),
    ("user-limit-32-bit", "a number that looks wrong and is not"),
    (
        "user-limit-no-return",
        "switching unmap off for a test cannot be undone",
    ),
    ("user-limit-pinned", "a number that looks wrong and is not"),
];

/// A finding for each conflict.
pub(super) fn all(judge: &Judge, device: &BlockDevice) -> Vec<Finding> {
    let Some(device) = judge.topology.get(&device.kname) else {
        return Vec::new();
    };
    let conflicts = judgement::judge(judge, device).verdict.conflicts;
    conflicts
        .into_iter()
        .map(|conflict| Finding {
            lint: conflict.rule,
            level: conflict.level,
            at: conflict.at.to_string(),
            what: conflict.text,
            why: why(conflict.rule),
            evidence: conflict.evidence,
            advice: conflict.advice,
            udev_rule: None,
        })
        .collect()
}

fn why(rule: &str) -> &'static str {
    WHY.iter()
        .find(|(known, _)| *known == rule)
        .map_or("its numbers do not fit together", |(_, why)| why)
}
