//! Rules for udev that set at each boot what a disk needs. They are printed, never installed.
//!
//! What VPD pages prove is enough for a limit that only holds a device back. What makes the kernel send a command that
//! the device did not announce to it needs a probe that saw the command work.

use super::Finding;
use crate::facts::origin::Origin;
use crate::facts::scsi::ScsiFacts;
use crate::model::device::BlockDevice;
use crate::model::ids::KName;
use crate::probe::outcome::Outcome;
use crate::probe::plan::Method;
use crate::probe::printed::Printed;
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

/// A line for a file in `/etc/udev/rules.d`, and what shows that it is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UdevRule {
    /// The line.
    pub line: String,
    /// What it rests on.
    pub proof: Vec<Evidence>,
}

/// A printed result, of a device of this host.
#[derive(Debug)]
pub struct Probed {
    /// The disk that its identity names.
    pub kname: KName,
    /// What was printed.
    pub result: Printed,
}

/// Adds the rules, and where a probe has to come first, its command.
pub fn add(judge: &Judge, findings: &mut [Finding], probed: &[Probed]) {
    for finding in findings {
        let device = KName::new(&finding.at).and_then(|kname| judge.topology.get(&kname));
        let Some((device, scsi)) =
            device.and_then(|device| Some((device, device.scsi.as_deref()?)))
        else {
            continue;
        };
        match finding.lint {
            "scsi-lbpu-without-lbpme" => bridge(finding, device, scsi, probed),
            "scsi-write-same-limit-ignored" if finding.level >= Level::Warning => {
                finding.udev_rule = ignored_limit(finding, scsi);
            }
            _ => {}
        }
    }
}

/// The limit stands in page B0h, which sd does not take: a smaller one is never wrong.
fn ignored_limit(finding: &Finding, scsi: &ScsiFacts) -> Option<UdevRule> {
    let limit = scsi
        .block_limits()
        .value()?
        .value
        .maximum_write_same_length()?;
    Some(UdevRule {
        line: rule(scsi, &[("max_write_same_blocks", &limit.to_string())])?,
        proof: finding.evidence.clone(),
    })
}

/// A bridge that offers to unmap behind LBPME 0: some do, some corrupt.
fn bridge(finding: &mut Finding, device: &BlockDevice, scsi: &ScsiFacts, probed: &[Probed]) {
    let result = probed.iter().find(|probed| probed.kname == device.kname);
    let Some(Probed { result, .. }) = result else {
        finding.advice = Some(probe_first(finding, device, scsi));
        return;
    };
    let origin = || Origin::File(result.path.display().to_string());
    let says = |method: Method, outcome: Outcome| {
        Evidence::new(origin(), format!("{} {}", method.word(), outcome.word()))
    };
    if let Some(harm) = result.harm() {
        finding.evidence.push(says(harm.method, harm.outcome));
        finding.level = Level::Error;
        finding.advice = Some("the probe shows that it harms data: leave unmapping off".into());
        return;
    }
    let mut tried = Vec::new();
    for (method, settings) in ways(scsi) {
        let Some(outcome) = result.outcome(method) else {
            continue;
        };
        tried.push(says(method, outcome));
        if outcome == Outcome::ZeroedUnmapped
            && let Some(line) = rule(scsi, &settings)
        {
            finding.udev_rule = Some(UdevRule { line, proof: tried });
            finding.advice = Some("the probe saw it unmap: the rule below turns it on".into());
            return;
        }
    }
    finding.evidence.extend(tried);
    finding.advice =
        Some("the probe did not see that space is given back: leave unmapping off".into());
}

/// Each way to unmap, with what it takes to have the kernel use it (`lbp_mode` and `zeroing_mode`, drivers/scsi/sd.c).
fn ways(scsi: &ScsiFacts) -> Vec<(Method, Vec<(&'static str, &'static str)>)> {
    let mut ways = vec![
        (
            Method::ScsiWriteSame16Unmap,
            vec![
                ("provisioning_mode", "writesame_16"),
                ("zeroing_mode", "writesame_16_unmap"),
            ],
        ),
        (
            Method::ScsiWriteSame10Unmap,
            vec![
                ("provisioning_mode", "writesame_10"),
                ("zeroing_mode", "writesame_10_unmap"),
            ],
        ),
    ];
    // A discard went out in the mode that was set for the probe.
    let by_hand = scsi.provisioning_mode.value().map(String::as_str);
    if by_hand == Some("unmap") {
        ways.insert(
            0,
            (Method::BlkDiscard, vec![("provisioning_mode", "unmap")]),
        );
    }
    ways
}

fn probe_first(finding: &Finding, device: &BlockDevice, scsi: &ScsiFacts) -> String {
    let node = device.kname.node();
    let page = scsi.provisioning();
    let by_write_same = page
        .value()
        .is_some_and(|page| page.value.lbpws() == Some(true) || page.value.lbpws10() == Some(true));
    let first = match by_write_same {
        true => String::new(),
        // UNMAP alone: the kernel sends it only in this mode.
        false => format!("echo unmap > {}; ", scsi.provisioning_mode.origin),
    };
    let before = finding.advice.as_deref().unwrap_or_default();
    format!(
        "{before}: {first}zinspect probe --destroy -o json {node} > result.json; zinspect doctor --probe-result \
         result.json {} then prints the udev rule, if there is a right one",
        device.kname
    )
}

/// For every disk of this vendor and model, when it appears and when it is scanned anew, which undoes the setting.
fn rule(scsi: &ScsiFacts, settings: &[(&str, &str)]) -> Option<String> {
    let named = |name: &str, value: Option<&String>| {
        let value = value.filter(|value| !value.trim().is_empty())?;
        Some(format!("ATTRS{{{name}}}==\"{}\"", pattern(value.trim())))
    };
    let set = settings
        .iter()
        .map(|(name, value)| format!("ATTR{{{name}}}=\"{value}\""));
    let words: Vec<String> = [
        "ACTION==\"add|change\"".to_owned(),
        "SUBSYSTEM==\"scsi_disk\"".to_owned(),
        named("vendor", scsi.vendor.value())?,
        named("model", scsi.model.value())?,
    ]
    .into_iter()
    .chain(set)
    .collect();
    Some(words.join(", "))
}

/// A name as a pattern of udev: what would be a pattern itself, or end the text, is any one character.
fn pattern(name: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || " .,:;_-+/#()=@!&%<>~^".contains(c);
    name.chars()
        .map(|c| if safe(c) { c } else { '?' })
        .collect()
}
