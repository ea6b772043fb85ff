//! Metrics of devices, for Prometheus' text format 0.0.4.

use zinspect_exporters::{Family, Sample};

use crate::verdict::judgement::{Agreement, Zeroing};
use crate::view::report::Device;

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
fn bytes(value: u64) -> f64 {
    value as f64
}

/// Verdict, agreement, predicted and kernel limits. No sample stands for what is not known.
pub fn families(devices: &[Device]) -> Vec<Family> {
    let mut families = vec![verdicts(devices), maximum(devices), agreement(devices)];
    families.extend(limits(devices));
    families
}

fn verdicts(devices: &[Device]) -> Family {
    let one = |device: &Device, zeroing: &Zeroing| {
        let value = f64::from(u8::from(device.verdict.zeroing == *zeroing));
        sample(device, &[("zeroing", zeroing.word())], value)
    };
    Family {
        name: "zinspect_verdict",
        help: "What becomes of a zeroes request: 1 for the verdict in label zeroing (unmap, offload, software, unsupported, unknown), 0 for the others.",
        samples: devices
            .iter()
            .flat_map(|device| Zeroing::ALL.iter().map(move |z| one(device, z)))
            .collect(),
    }
}

fn maximum(devices: &[Device]) -> Family {
    let samples = devices.iter().filter_map(|device| {
        device
            .verdict
            .max_bytes
            .map(|max| sample(device, &[], bytes(max)))
    });
    Family {
        name: "zinspect_max_bytes",
        help: "Bytes that one zeroes command covers; 0 where the kernel writes pages of zeroes.",
        samples: samples.collect(),
    }
}

fn agreement(devices: &[Device]) -> Family {
    let one = |device: &Device, agreement: &Agreement| {
        let value = f64::from(u8::from(device.agreement == *agreement));
        sample(device, &[("agreement", agreement.word())], value)
    };
    Family {
        name: "zinspect_agreement",
        help: "How the kernel's limits compare with the predicted ones: 1 for the state in label agreement (agree, differ, kernel-silent, not-predicted), 0 for the others.",
        samples: devices
            .iter()
            .flat_map(|d| Agreement::ALL.iter().map(move |a| one(d, a)))
            .collect(),
    }
}

type Pick = fn(&Device) -> Option<u64>;

fn limits(devices: &[Device]) -> Vec<Family> {
    let table: [(&'static str, &'static str, Pick); 6] = [
        (
            "zinspect_kernel_write_zeroes_max_bytes",
            "Largest zeroes command in bytes, sysfs queue/write_zeroes_max_bytes (of a partition its disk's); 0 is none.",
            |d| d.kernel.write_zeroes_max_bytes,
        ),
        (
            "zinspect_kernel_write_zeroes_unmap_max_hw_bytes",
            "Largest zeroes command that deallocates in bytes, sysfs queue/write_zeroes_unmap_max_hw_bytes (since Linux 6.17).",
            |d| d.kernel.write_zeroes_unmap_max_hw_bytes,
        ),
        (
            "zinspect_kernel_write_zeroes_unmap_max_bytes",
            "The same as the user allows it, sysfs queue/write_zeroes_unmap_max_bytes (since Linux 6.17); more than 0 opens FALLOC_FL_WRITE_ZEROES.",
            |d| d.kernel.write_zeroes_unmap_max_bytes,
        ),
        (
            "zinspect_predicted_write_zeroes_max_bytes",
            "What write_zeroes_max_bytes must be in bytes, from the device's own facts and its slaves.",
            |d| d.predicted.as_ref().map(|p| p.write_zeroes_max_bytes),
        ),
        (
            "zinspect_predicted_write_zeroes_unmap_max_hw_bytes",
            "What write_zeroes_unmap_max_hw_bytes must be in bytes, from the device's own facts and its slaves.",
            |d| {
                d.predicted
                    .as_ref()
                    .map(|p| p.write_zeroes_unmap_max_hw_bytes)
            },
        ),
        (
            "zinspect_predicted_write_zeroes_unmap_max_bytes",
            "What write_zeroes_unmap_max_bytes must be in bytes, from the device's own facts and its slaves.",
            |d| d.predicted.as_ref().map(|p| p.write_zeroes_unmap_max_bytes),
        ),
    ];
    let family = |(name, help, pick): (&'static str, &'static str, Pick)| Family {
        name,
        help,
        samples: devices
            .iter()
            .filter_map(|d| pick(d).map(|value| sample(d, &[], bytes(value))))
            .collect(),
    };
    table.into_iter().map(family).collect()
}
