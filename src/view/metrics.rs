//! Metrics of devices, for Prometheus' text format 0.0.4.
//!
//! Label `device` is node_exporter's. What is not known has no sample. One device has at most [`MOST`] series unless
//! every queue limit is asked for; `docs/metrics.md` lists them.

use zinspect_exporters::{Family, Sample};

use crate::facts::needs::Needs;
use crate::facts::queue::{Attr, AttrSet};
use crate::view::report::Device;

mod limits;
pub mod probe;
mod scrape;
mod verdict;

pub use scrape::{Scrape, scrape};

/// Series that one device has at most, unless every queue limit is asked for.
pub const MOST: usize = 25;

/// What is exported beyond the families that every device has.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Every number of the queue.
    pub all_limits: bool,
}

/// What must be read for the families.
pub fn needs(options: Options) -> Needs {
    let queue = AttrSet::NONE
        .with(Attr::DiscardMaxBytes)
        .with(Attr::DiscardGranularity);
    Needs::VERDICT.union(Needs {
        queue: if options.all_limits {
            AttrSet::ALL
        } else {
            queue
        },
        ..Needs::VERDICT
    })
}

/// Every family of these devices.
pub fn families(devices: &[Device], options: Options) -> Vec<Family> {
    let mut families = verdict::families(devices);
    families.extend(limits::families(devices, options));
    families
}

fn sample(device: &Device, more: &[(&'static str, &str)], value: f64) -> Sample {
    let mut labels = vec![("device", device.kname.clone())];
    labels.extend(
        more.iter()
            .map(|(name, value)| (*name, (*value).to_owned())),
    );
    Sample { labels, value }
}

/// Byte counts below 2^53 are exact in a double; the largest limit that the kernel has is 2^41.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn number(value: u64) -> f64 {
    value as f64
}

/// A family with one sample for each device that has a value.
fn gauge(
    devices: &[Device],
    name: &'static str,
    help: &'static str,
    pick: impl Fn(&Device) -> Option<f64>,
) -> Family {
    let samples = devices
        .iter()
        .filter_map(|device| pick(device).map(|value| sample(device, &[], value)));
    Family {
        name,
        help,
        samples: samples.collect(),
    }
}

#[cfg(test)]
mod tests;
