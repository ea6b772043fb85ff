//! What the last probe of a device found, and kept results that tell nothing.

use super::{Finding, finding};
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::model::device::BlockDevice;
use crate::probe::outcome::Outcome;
use crate::probe::store::{Probed, Record, StoreError};
use crate::probe::verdict::NO_FASTER;
use crate::verdict::Judge;
use crate::verdict::judgement::{self, Zeroing};
use crate::verdict::reason::{Evidence, Level};

/// Of all devices, and of what is kept as a whole.
pub fn all(judge: &Judge, devices: &[&BlockDevice], probed: &Probed) -> Vec<Finding> {
    let mut found: Vec<Finding> = probed.bad.iter().map(unreadable).collect();
    for device in devices {
        if let Some(record) = probed.of.get(&device.kname) {
            found.extend(wrong(device, record).or_else(|| slow(judge, device, record)));
        }
    }
    found
}

fn unreadable(bad: &StoreError) -> Finding {
    Finding {
        lint: "probe-result-unreadable",
        level: if bad.denied {
            Level::Info
        } else {
            Level::Warning
        },
        at: "kernel".to_owned(),
        what: bad.to_string(),
        why: "what a probe found is missing from metrics and from here",
        evidence: Vec::new(),
        udev_rule: None,
        advice: Some(
            if bad.denied {
                "run it as the user who probes, root mostly"
            } else {
                "probe again; or remove it, if no zinspect of this host wrote it"
            }
            .to_owned(),
        ),
    }
}

fn wrong(device: &BlockDevice, record: &Record) -> Option<Finding> {
    let tried = record.fault()?;
    let what = format!(
        "the last probe: {} came out as {}",
        tried.method.word(),
        tried.outcome.word()
    );
    let why = match tried.outcome {
        Outcome::TimedOut => "whoever zeroes waits for the device, maybe for ever",
        _ => "data that was to be zeroed is still there, or data beside it is gone",
    };
    let found = finding(device, "probed-wrong", Level::Error, what, why);
    let again = "zinspect probe, once it is mended".to_owned();
    Some(with(found, record, Some(again)))
}

fn slow(judge: &Judge, device: &BlockDevice, record: &Record) -> Option<Finding> {
    let times = record
        .times_faster_than_writing
        .filter(|times| *times < NO_FASTER)?;
    let sent = matches!(
        judgement::judge(judge, device).verdict.zeroing,
        Zeroing::Unmap | Zeroing::Offload
    );
    sent.then(|| {
        let what = format!("the last probe: zeroing was {times:.1} times as fast as writing");
        let why = "the kernel sends a command that brings nothing";
        let found = finding(device, "probed-slow", Level::Warning, what, why);
        with(found, record, switch_off(judge, device))
    })
}

/// Only a limit that stands above 0 can be taken away, and a mapped or MD device has its own.
fn switch_off(judge: &Judge, device: &BlockDevice) -> Option<String> {
    let disk = judge.topology.disk_of(device);
    let attr = Attr::WriteZeroesUnmapMaxBytes;
    disk.queue.number(attr).get().filter(|un| *un > 0)?;
    let file = format!("{}/{}", disk.queue_path(), attr.name());
    Some(format!(
        "echo 0 > {file}, then FALLOC_FL_WRITE_ZEROES does not count on it"
    ))
}

fn with(mut found: Finding, record: &Record, advice: Option<String>) -> Finding {
    let origin = Origin::File(record.path.display().to_string());
    found
        .evidence
        .push(Evidence::new(origin, record.summary.clone()));
    found.advice = advice;
    found
}
