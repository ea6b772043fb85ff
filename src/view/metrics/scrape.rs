//! Families of the collection itself, as node_exporter has them of its collectors.

use zinspect_exporters::{Family, Sample};

use super::number;
use crate::facts::timed::Part;

/// How a collection went.
#[derive(Debug, Clone, Default)]
pub struct Scrape {
    /// Each group of devices that was read.
    pub parts: Vec<Part>,
    /// Devices that are exported.
    pub devices: usize,
}

/// Its families.
pub fn scrape(scrape: &Scrape) -> Vec<Family> {
    let of = |part: &Part, value| Sample {
        labels: vec![("collector", part.name.to_owned())],
        value,
    };
    let each = |value: fn(&Part) -> f64| {
        let samples = scrape.parts.iter();
        samples.map(|part| of(part, value(part))).collect()
    };
    vec![
        Family {
            name: "zinspect_scrape_collector_duration_seconds",
            help: "How long reading one group of devices took.",
            samples: each(|part| part.time.as_secs_f64()),
        },
        Family {
            name: "zinspect_scrape_collector_success",
            help: "1 where each device of the group that is still there could be read, 0 where one could not.",
            samples: each(|part| f64::from(u8::from(part.success))),
        },
        Family {
            name: "zinspect_devices",
            help: "Devices that this exporter has series of.",
            samples: vec![Sample {
                labels: Vec::new(),
                value: number(scrape.devices as u64),
            }],
        },
        Family {
            name: "zinspect_build_info",
            help: "The version of zinspect; always 1.",
            samples: vec![Sample {
                labels: vec![("version", env!("CARGO_PKG_VERSION").to_owned())],
                value: 1.0,
            }],
        },
    ]
}
