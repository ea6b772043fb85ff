//! What the running kernel itself does wrong or cannot show.

use super::{Finding, release};
use crate::model::device::{BlockDevice, Kind};
use crate::verdict::Judge;
use crate::verdict::judgement::KernelLimits;
use crate::verdict::reason::{Evidence, Level};

pub(super) fn all(judge: &Judge, devices: &[&BlockDevice]) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(too_old(judge, devices));
    found.extend(wrong_range(judge));
    found.extend(uring_on_md(judge, devices));
    found
}

fn finding(
    judge: &Judge,
    lint: &'static str,
    level: Level,
    what: &str,
    why: &'static str,
) -> Finding {
    Finding {
        lint,
        level,
        at: "kernel".to_owned(),
        what: what.to_owned(),
        why,
        evidence: vec![release(judge.kernel)],
        advice: None,
        udev_rule: None,
    }
}

/// By the files, not by the number: vendors carry them back.
fn too_old(judge: &Judge, devices: &[&BlockDevice]) -> Option<Finding> {
    let mut queues = devices
        .iter()
        .map(|device| KernelLimits::of(&judge.topology.disk_of(device).queue))
        .filter(|limits| limits.wz.get().is_some())
        .peekable();
    queues.peek()?;
    if !queues.all(|limits| limits.silent()) {
        return None;
    }
    let mut what =
        "this kernel has no unmap limits and no FALLOC_FL_WRITE_ZEROES (both since 6.17)"
            .to_owned();
    if judge.kernel.may_carry_backports() {
        what.push_str("; a vendor's release, whose other backports are not known here");
    }
    Some(finding(
        judge,
        "kernel-no-unmap-limits",
        Level::Info,
        &what,
        "whether zeroing deallocates is a prediction from what the devices say, and no program can ask for it",
    ))
}

fn wrong_range(judge: &Judge) -> Option<Finding> {
    if judge.kernel.version != Some((7, 0)) {
        return None;
    }
    let mut found = finding(
        judge,
        "kernel-uring-discard-range",
        Level::Error,
        "discards sent through io_uring hit the range of an earlier request and report success (7.0, fixed in 7.1)",
        "data that was to stay is discarded",
    );
    found.evidence.push(Evidence::rule(
        "blkdev_uring_cmd (block/ioctl.c, 7.0)",
        "a fresh request is taken for one issued again, and its range is not read",
    ));
    found.advice =
        Some("boot another kernel, or use BLKDISCARD (blkdiscard, fstrim) only".to_owned());
    Some(found)
}

fn uring_on_md(judge: &Judge, devices: &[&BlockDevice]) -> Option<Finding> {
    let arrays = devices.iter().filter(|device| device.kind == Kind::Md);
    let names: Vec<String> = arrays.map(|device| device.kname.to_string()).collect();
    if names.is_empty() || judge.kernel.at_least(7, 2) != Some(true) {
        return None;
    }
    let what = format!(
        "discards sent through io_uring fail on MD arrays since 7.2 (EOPNOTSUPP): {}",
        names.join(", ")
    );
    let mut found = finding(
        judge,
        "kernel-uring-discard-md",
        Level::Info,
        &what,
        "a program takes the array for one without discard",
    );
    found.evidence.push(Evidence::rule(
        "drivers/md/md.c (since 7.2)",
        "its queues take no non-blocking requests, which io_uring sends first",
    ));
    found.advice = Some("BLKDISCARD works, and io_uring with IOSQE_ASYNC".to_owned());
    Some(found)
}
