//! A host in a few numbers.

use crate::verdict::judgement::Zeroing;
use crate::view::report::Device;

/// Label and value of each.
pub fn lines(devices: &[Device], kernel: &str) -> Vec<(String, String)> {
    let mut lines = vec![("devices".to_owned(), devices.len().to_string())];
    if !kernel.is_empty() {
        lines.insert(0, ("kernel".to_owned(), kernel.to_owned()));
    }
    for zeroing in Zeroing::ALL.iter().rev() {
        let count = devices.iter().filter(|d| d.verdict.zeroing == *zeroing);
        lines.push((zeroing.word().to_owned(), count.count().to_string()));
    }
    let conflicts: usize = devices.iter().map(|d| d.verdict.conflicts.len()).sum();
    lines.push(("conflicts".to_owned(), conflicts.to_string()));
    lines
}
