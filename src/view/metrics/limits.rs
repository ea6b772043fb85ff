//! Families of limits: the kernel's, the predicted ones, and the device's own words behind them.

use zinspect_exporters::Family;

use super::{Options, gauge, number, sample};
use crate::facts::queue::{ALL, Attr, AttrUnit, with_queue_attributes};
use crate::view::report::Device;

/// Limits that every device has without being asked for.
const DEFAULT: &[Attr] = &[
    Attr::WriteZeroesMaxBytes,
    Attr::WriteZeroesUnmapMaxHwBytes,
    Attr::WriteZeroesUnmapMaxBytes,
    Attr::DiscardMaxBytes,
    Attr::DiscardGranularity,
];

macro_rules! metric_names {
    ($($variant:ident $name:ident $since:literal $unit:ident $help:literal;)*) => {
        /// The metric of an attribute whose file's name ends in its unit, or has none.
        fn plain_name(attr: Attr) -> &'static str {
            match attr { $(Attr::$variant => concat!("zinspect_queue_", stringify!($name))),* }
        }

        /// What it means.
        fn help(attr: Attr) -> &'static str {
            match attr {
                $(Attr::$variant => concat!("sysfs queue/", stringify!($name), " (since Linux ", $since, "; of a partition its disk's): ", $help, ".")),*
            }
        }
    };
}

with_queue_attributes!(metric_names);

/// The metric of an attribute; `None` for words. Prometheus counts in bytes and seconds, so those that sysfs counts
/// in something else are named anew.
fn metric(attr: Attr) -> Option<&'static str> {
    Some(match attr {
        Attr::Scheduler | Attr::WriteCache | Attr::Zoned => return None,
        Attr::ChunkSectors => "zinspect_queue_chunk_bytes",
        Attr::DiscardGranularity => "zinspect_queue_discard_granularity_bytes",
        Attr::DmaAlignment => "zinspect_queue_dma_alignment_mask_bytes",
        Attr::HwSectorSize => "zinspect_queue_hw_sector_size_bytes",
        Attr::IoPollDelay => "zinspect_queue_io_poll_delay_seconds",
        Attr::IoTimeout => "zinspect_queue_io_timeout_seconds",
        Attr::LogicalBlockSize => "zinspect_queue_logical_block_size_bytes",
        Attr::MaxHwSectorsKb => "zinspect_queue_max_hw_transfer_bytes",
        Attr::MaxSectorsKb => "zinspect_queue_max_transfer_bytes",
        Attr::MaxSegmentSize => "zinspect_queue_max_segment_size_bytes",
        Attr::MinimumIoSize => "zinspect_queue_minimum_io_size_bytes",
        Attr::OptimalIoSize => "zinspect_queue_optimal_io_size_bytes",
        Attr::PhysicalBlockSize => "zinspect_queue_physical_block_size_bytes",
        Attr::ReadAheadKb => "zinspect_queue_read_ahead_bytes",
        Attr::ThrottleSampleTime => "zinspect_queue_throttle_sample_time_seconds",
        Attr::VirtBoundaryMask => "zinspect_queue_virt_boundary_mask_bytes",
        Attr::WbtLatUsec => "zinspect_queue_wbt_latency_seconds",
        Attr::WriteStreamGranularity => "zinspect_queue_write_stream_granularity_bytes",
        Attr::ZoneWriteGranularity => "zinspect_queue_zone_write_granularity_bytes",
        other => plain_name(other),
    })
}

/// A limit in bytes, seconds or as a plain number; -1, the kernel's "default", is no number.
fn value(device: &Device, attr: Attr) -> Option<f64> {
    let raw = number(device.queue.limits().number(attr).get()?);
    Some(match attr.spec().unit {
        AttrUnit::Kib => raw * 1024.0,
        AttrUnit::Sectors => raw * 512.0,
        AttrUnit::Millis => raw / 1e3,
        AttrUnit::Micros => raw / 1e6,
        _ => raw,
    })
}

pub(super) fn families(devices: &[Device], options: Options) -> Vec<Family> {
    let attrs = if options.all_limits { ALL } else { DEFAULT };
    let mut families: Vec<Family> = attrs
        .iter()
        .filter_map(|attr| {
            let name = metric(*attr)?;
            Some(gauge(devices, name, help(*attr), |d| value(d, *attr)))
        })
        .collect();
    families.extend(predicted(devices));
    families.push(gauge(
        devices,
        "zinspect_size_bytes",
        "Size of the device in bytes.",
        |d| d.size_bytes.map(number),
    ));
    families.extend(dlfeat(devices));
    families.extend(modes(devices));
    families
}

fn predicted(devices: &[Device]) -> [Family; 3] {
    [
        gauge(
            devices,
            "zinspect_predicted_write_zeroes_max_bytes",
            "What write_zeroes_max_bytes must be in bytes, from the device's own facts and its slaves.",
            |d| Some(number(d.predicted.as_ref()?.write_zeroes_max_bytes)),
        ),
        gauge(
            devices,
            "zinspect_predicted_write_zeroes_unmap_max_hw_bytes",
            "What write_zeroes_unmap_max_hw_bytes must be in bytes, from the device's own facts and its slaves.",
            |d| {
                Some(number(
                    d.predicted.as_ref()?.write_zeroes_unmap_max_hw_bytes,
                ))
            },
        ),
        gauge(
            devices,
            "zinspect_predicted_write_zeroes_unmap_max_bytes",
            "What write_zeroes_unmap_max_bytes must be in bytes, from the device's own facts and its slaves.",
            |d| Some(number(d.predicted.as_ref()?.write_zeroes_unmap_max_bytes)),
        ),
    ]
}

/// DLFEAT by its parts (NVM Command Set 1.0, figure 97, byte 33).
fn dlfeat(devices: &[Device]) -> [Family; 3] {
    let byte = |d: &Device| Some(d.nvme.as_ref()?.dlfeat.as_ref()?.raw);
    let bit = move |d: &Device, at: u8| Some(f64::from(byte(d)? >> at & 1));
    [
        gauge(
            devices,
            "zinspect_nvme_dlfeat_read_behavior",
            "DLFEAT bits 2:0, what deallocated blocks read as: 0 not reported, 1 all zeroes, 2 all ones.",
            move |d| Some(f64::from(byte(d)? & 7)),
        ),
        gauge(
            devices,
            "zinspect_nvme_dlfeat_deac",
            "DLFEAT bit 3: 1 where Write Zeroes can deallocate.",
            move |d| bit(d, 3),
        ),
        gauge(
            devices,
            "zinspect_nvme_dlfeat_guard_crc",
            "DLFEAT bit 4: 1 where the guard of deallocated blocks is the CRC of their data, 0 where it is FFFFh.",
            move |d| bit(d, 4),
        ),
    ]
}

/// How sd sends zeroes and discards.
fn modes(devices: &[Device]) -> [Family; 2] {
    let info = |name, help, label, pick: fn(&Device) -> Option<&String>| Family {
        name,
        help,
        samples: devices
            .iter()
            .filter_map(|d| Some(sample(d, &[(label, pick(d)?)], 1.0)))
            .collect(),
    };
    [
        info(
            "zinspect_scsi_zeroing_mode_info",
            "How sd sends zeroes, scsi_disk/*/zeroing_mode (writesame_16_unmap, writesame_10_unmap, writesame, write); always 1.",
            "zeroing_mode",
            |d| d.scsi.as_ref()?.zeroing_mode.kernel.as_ref(),
        ),
        info(
            "zinspect_scsi_provisioning_mode_info",
            "How sd sends discards, scsi_disk/*/provisioning_mode (full, unmap, writesame_16, writesame_10, writesame_zero, disabled); always 1.",
            "provisioning_mode",
            |d| d.scsi.as_ref()?.provisioning_mode.kernel.as_ref(),
        ),
    ]
}
