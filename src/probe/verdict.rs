//! One verdict from all results. Pure.

use super::outcome::{MethodResult, Outcome};
use super::plan::{Method, Way};
use super::target::Target;

/// What all of it comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// One line.
    pub summary: String,
    /// The fastest way that zeroes, against writing; `None` where either is not known.
    pub times_faster: Option<f64>,
    /// What to do.
    pub advice: Option<String>,
}

/// From here on a way is called fast.
const FAST: f64 = 2.0;
/// Up to here it is called no faster.
pub const NO_FASTER: f64 = 1.2;

/// Works it out.
pub fn verdict(target: &Target, results: &[MethodResult]) -> Verdict {
    let plain = |summary: String| Verdict {
        summary,
        times_faster: None,
        advice: None,
    };
    let first = |outcome| results.iter().find(|result| result.outcome == outcome);
    let name = |result: &MethodResult| match &result.leg {
        Some(leg) => format!("{} through {leg}", result.method.word()),
        None => result.method.word().to_owned(),
    };
    if let Some(result) = first(Outcome::NotStored) {
        let detail = result.detail.clone().unwrap_or_default();
        return plain(format!("nothing can be told: {detail}"));
    }
    if let Some(result) = first(Outcome::CollateralDamage) {
        return Verdict {
            advice: off(target),
            ..plain(format!(
                "dangerous: {} changed bytes outside its range",
                name(result)
            ))
        };
    }
    let lies = |result: &&MethodResult| {
        matches!(result.outcome, Outcome::NotZeroed | Outcome::PartlyZeroed)
            && result.method.way() != Way::Discard
    };
    if let Some(result) = results.iter().find(lies) {
        let how = match result.outcome {
            Outcome::PartlyZeroed => "zeroed a part only",
            _ => "zeroed nothing",
        };
        return Verdict {
            advice: off(target),
            ..plain(format!("lies: {} reported success and {how}", name(result)))
        };
    }
    if let Some(result) = first(Outcome::TimedOut) {
        return plain(format!("hangs: {} did not come back", name(result)));
    }
    speed(target, results)
}

fn speed(target: &Target, results: &[MethodResult]) -> Verdict {
    let rate = |result: &&MethodResult| result.bytes_per_second;
    let writing = results
        .iter()
        .find(|result| result.method == Method::Pwrite)
        .and_then(|result| rate(&result));
    let ways = results
        .iter()
        .filter(|result| matches!(result.method.way(), Way::Kernel | Way::Passthrough));
    let best = ways
        .filter_map(|result| Some((result, rate(&result)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let (Some(writing), Some((best, rate))) = (writing, best) else {
        let zeroed = results.iter().any(|result| result.outcome.zeroed());
        let summary = if zeroed {
            "zeroes as asked; there is nothing to compare its speed with"
        } else {
            "no method zeroed the range"
        };
        return Verdict {
            summary: summary.to_owned(),
            times_faster: None,
            advice: None,
        };
    };
    let times = rate / writing;
    let claims = target.device().is_some_and(|device| {
        device
            .limits
            .write_zeroes_unmap_max_bytes
            .is_some_and(|un| un > 0)
    });
    let word = best.method.word();
    let (summary, advice) = match () {
        () if times >= FAST => (format!("fast: {times:.0} × writing ({word})"), None),
        () if times <= NO_FASTER && claims => (
            "claims unmap, but no faster than writing: set write_zeroes_unmap_max_bytes to 0 (rule below)".to_owned(),
            rule(target),
        ),
        () => (format!("zeroes as asked, {times:.1} × writing ({word})"), None),
    };
    Verdict {
        summary,
        times_faster: Some(times),
        advice,
    }
}

/// The udev rule that keeps the kernel from trusting the claim.
fn rule(target: &Target) -> Option<String> {
    let device = target.device()?;
    let disk = &device.disk;
    Some(format!(
        "ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"{disk}\", ATTR{{queue/write_zeroes_unmap_max_bytes}}=\"0\""
    ))
}

fn off(target: &Target) -> Option<String> {
    let device = target.device()?;
    Some(match device.driver {
        Some("sd") => format!("echo 0 > /sys/block/{}/device/scsi_disk/*/max_write_same_blocks has the kernel write zeroes instead", device.disk),
        Some("nvme") => "nvme.quirks=VENDOR:DEVICE:disable_write_zeroes on the kernel's command line (7.0 and later) has it write zeroes instead".to_owned(),
        _ => "report it to the device's maker; until then write zeroes".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::target::fixtures::disk;
    use super::*;

    fn result(method: Method, outcome: Outcome, seconds: f64) -> MethodResult {
        MethodResult {
            bytes: 1 << 20,
            seconds: Some(seconds),
            ..MethodResult::new(method, outcome)
        }
        .rated()
    }

    #[test]
    fn the_worst_result_decides_then_the_fastest_way() {
        let mut device = disk(1 << 30);
        device.limits.write_zeroes_unmap_max_bytes = Some(1 << 20);
        let target = Target::Device(Box::new(device));
        let write = result(Method::Pwrite, Outcome::ZeroedWritten, 4.1);
        let fast = result(Method::BlkZeroOut, Outcome::ZeroedUnmapUnknown, 0.1);
        let said = verdict(&target, &[write.clone(), fast]);
        assert_eq!(said.summary, "fast: 41 × writing (blkzeroout)");
        let slow = result(Method::BlkZeroOut, Outcome::ZeroedUnmapUnknown, 4.0);
        let said = verdict(&target, &[write.clone(), slow.clone()]);
        assert!(
            said.summary.starts_with("claims unmap, but no faster"),
            "{said:?}"
        );
        assert!(
            said.advice
                .is_some_and(|rule| rule.contains("KERNEL==\"sdz\""))
        );
        let lie = result(Method::FallocateZeroRange, Outcome::NotZeroed, 0.1);
        let said = verdict(&target, &[write.clone(), slow, lie]);
        assert!(
            said.summary.starts_with("lies: fallocate-zero-range"),
            "{said:?}"
        );
        let discard = result(Method::BlkDiscard, Outcome::NotZeroed, 0.1);
        assert_eq!(
            verdict(&target, &[write, discard]).summary,
            "zeroes as asked; there is nothing to compare its speed with"
        );
    }
}
