//! A device as udev properties: `udev-rules/README.md` says what each means.

use crate::verdict::judgement::Zeroing;
use crate::view::report::Device;

/// The properties of a device, in the order of `udev-rules/README.md`. What is not known has none.
pub fn of(device: &Device) -> Vec<(&'static str, String)> {
    let verdict = &device.verdict;
    let mut properties = vec![("ID_ZINSPECT_ZEROING", verdict.zeroing.word().to_owned())];
    if let Some(bytes) = verdict
        .max_bytes
        .filter(|_| verdict.zeroing != Zeroing::Unknown)
    {
        properties.push(("ID_ZINSPECT_MAX_BYTES", bytes.to_string()));
    }
    properties.push(("ID_ZINSPECT_AGREEMENT", device.agreement.word().to_owned()));
    if let Some(decides) = verdict.decides() {
        properties.push(("ID_ZINSPECT_DECIDED_AT", decides.at.clone()));
        properties.push(("ID_ZINSPECT_RULE", decides.rule.clone()));
    }
    let mut rules: Vec<&str> = Vec::new();
    for conflict in &verdict.conflicts {
        if !rules.contains(&conflict.rule.as_str()) {
            rules.push(&conflict.rule);
        }
    }
    if let Some(level) = verdict
        .conflicts
        .iter()
        .map(|conflict| conflict.level)
        .max()
    {
        properties.push(("ID_ZINSPECT_CONFLICTS", rules.join(",")));
        properties.push(("ID_ZINSPECT_CONFLICT_LEVEL", level.word().to_owned()));
    }
    properties
}
