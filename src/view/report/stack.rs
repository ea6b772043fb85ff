//! The parts of a device that stands on others: device-mapper, MD, loop; and those of virtio and udev.

use crate::model::device::BlockDevice;
use crate::view::report::unread::Taker;
use crate::view::section::section;

section! {
    /// Device-mapper.
    Dm at "dm", |device| device.dm.as_ref();
    fields {
        /// Name in /dev/mapper.
        name: Option<String>, "DM-NAME", None;
        /// UUID; its prefix tells the owner: LVM-, mpath-, CRYPT-, partN-.
        uuid: Option<String>, "DM-UUID", None;
        /// Suspended: I/O waits.
        suspended: Option<bool>, "SUSPENDED", None;
        /// Target types of the live table, in order, each once.
        targets: Option<Vec<String>>, "TARGETS", None;
        /// Lines of the live table, start and length in 512-byte sectors, keys hidden (needs root).
        table: Option<Vec<String>>, "TABLE", None;
        /// Status lines of the targets, counters left out (needs root).
        status: Option<Vec<String>>, "STATUS", None;
        /// Target types and versions that the kernel has loaded (needs root).
        target_versions: Option<Vec<String>>, "TARGET-VERSIONS", None;
    }
}

section! {
    /// MD software RAID.
    Md at "md", |device| device.md.as_ref();
    fields {
        /// RAID level.
        level: Option<String>, "LEVEL", None;
        /// Chunk in bytes; 0 where the level has none.
        chunk_bytes: Option<u64>, "CHUNK", Bytes;
        /// State of the array.
        array_state: Option<String>, "ARRAY-STATE", None;
        /// Version of the metadata.
        metadata_version: Option<String>, "METADATA", None;
        /// Devices that the array wants.
        raid_disks: Option<u64>, "RAID-DISKS", Count;
        /// Members: name, slot and state.
        members: Vec<String>, "MEMBERS", None;
    }
}

section! {
    /// A loop device.
    Loop at "loop", |device| device.loop_.as_ref();
    fields {
        /// File or device behind it; null while nothing is attached.
        backing_file: Option<String>, "BACK-FILE", None;
        /// Filesystem that holds it.
        backing_filesystem: Option<String>, "BACK-FS", None;
        /// Kernel name of the device behind it, where it is one.
        backing_device: Option<String>, "BACK-DEV", None;
        /// Where it begins in the backing file.
        offset_bytes: Option<u64>, "LOOP-OFFSET", Bytes;
        /// How much of it is used; 0 is all.
        sizelimit_bytes: Option<u64>, "SIZELIMIT", Bytes;
        /// Detaches itself when it is closed.
        autoclear: Option<bool>, "AUTOCLEAR", None;
        /// Its partitions are looked for.
        partscan: Option<bool>, "PARTSCAN", None;
        /// The backing file is read and written directly.
        dio: Option<bool>, "LOOP-DIO", None;
    }
}

section! {
    /// virtio-blk.
    Virtio at "virtio", |device| device.virtio.as_ref();
    fields {
        /// Negotiated feature bits, bit 0 first.
        features: Option<String>, "VIRTIO-FEATURES", None;
        /// VIRTIO_BLK_F_DISCARD (bit 13).
        discard: Option<bool>, "VIRTIO-DISCARD", None;
        /// VIRTIO_BLK_F_WRITE_ZEROES (bit 14).
        write_zeroes: Option<bool>, "VIRTIO-WZ", None;
    }
}

section! {
    /// What the udev database has of a device.
    Udev at "udev", |device| device.udev.as_ref();
    fields {
        /// Links in /dev.
        links: Vec<String>, "LINKS", None;
        /// Tags it has now.
        current_tags: Vec<String>, "TAGS", None;
        /// ID_SERIAL.
        id_serial: Option<String>, "ID-SERIAL", None;
        /// ID_WWN.
        id_wwn: Option<String>, "ID-WWN", None;
        /// ID_MODEL.
        id_model: Option<String>, "ID-MODEL", None;
        /// ID_BUS.
        id_bus: Option<String>, "ID-BUS", None;
        /// ID_PATH.
        id_path: Option<String>, "ID-PATH", None;
        /// ID_FS_TYPE.
        id_fs_type: Option<String>, "ID-FS-TYPE", None;
    }
}

pub(super) fn dm(device: &BlockDevice, taker: &mut Taker) -> Option<Dm> {
    let facts = device.dm.as_deref()?;
    let table = &facts.table.reading;
    Some(Dm {
        name: taker.take("dm.name", &facts.name),
        uuid: taker.take("dm.uuid", &facts.uuid),
        suspended: taker.take("dm.suspended", &facts.suspended),
        targets: taker.take(
            "dm.targets",
            &table.as_ref().map(|targets| {
                let mut names: Vec<String> = Vec::new();
                for target in targets {
                    if !names.contains(&target.name) {
                        names.push(target.name.clone());
                    }
                }
                names
            }),
        ),
        table: taker.take(
            "dm.table",
            &table
                .as_ref()
                .map(|targets| targets.iter().map(ToString::to_string).collect()),
        ),
        status: taker.take("dm.status", &facts.status.reading),
        target_versions: taker.take("dm.target_versions", &facts.target_versions),
    })
}

pub(super) fn md(device: &BlockDevice, taker: &mut Taker) -> Option<Md> {
    let facts = device.md.as_deref()?;
    let word = |reading: &crate::facts::reading::Reading<String>| {
        reading.value().cloned().unwrap_or_else(|| "?".to_owned())
    };
    Some(Md {
        level: taker.take("md.level", &facts.level),
        chunk_bytes: taker.take("md.chunk_bytes", &facts.chunk_bytes),
        array_state: taker.take("md.array_state", &facts.array_state),
        metadata_version: taker.take("md.metadata_version", &facts.metadata_version),
        raid_disks: taker.take("md.raid_disks", &facts.raid_disks),
        members: facts
            .members
            .iter()
            .map(|member| {
                format!(
                    "{} slot {} {}",
                    member.kname,
                    word(&member.slot),
                    word(&member.state)
                )
            })
            .collect(),
    })
}

pub(super) fn loop_(device: &BlockDevice, taker: &mut Taker) -> Option<Loop> {
    let facts = device.loop_.as_deref()?;
    Some(Loop {
        backing_file: taker.take("loop.backing_file", &facts.backing_file),
        backing_filesystem: taker.take("loop.backing_filesystem", &facts.backing_filesystem),
        backing_device: facts.backing_device.as_ref().map(ToString::to_string),
        offset_bytes: taker.take("loop.offset_bytes", &facts.offset_bytes),
        sizelimit_bytes: taker.take("loop.sizelimit_bytes", &facts.sizelimit_bytes),
        autoclear: taker.take("loop.autoclear", &facts.autoclear),
        partscan: taker.take("loop.partscan", &facts.partscan),
        dio: taker.take("loop.dio", &facts.dio),
    })
}

pub(super) fn virtio(device: &BlockDevice, taker: &mut Taker) -> Option<Virtio> {
    use crate::facts::virtio::{F_DISCARD, F_WRITE_ZEROES};
    let facts = device.virtio.as_deref()?;
    Some(Virtio {
        features: taker.take("virtio.features", &facts.features),
        discard: taker.take("virtio.discard", &facts.feature(F_DISCARD)),
        write_zeroes: taker.take("virtio.write_zeroes", &facts.feature(F_WRITE_ZEROES)),
    })
}

pub(super) fn udev(device: &BlockDevice, taker: &mut Taker) -> Option<Udev> {
    taker.part("udev", &device.udev, |_, facts| {
        let property = |key: &str| facts.properties.get(key).cloned();
        Udev {
            links: facts.links.clone(),
            current_tags: facts.current_tags.clone(),
            id_serial: property("ID_SERIAL"),
            id_wwn: property("ID_WWN"),
            id_model: property("ID_MODEL"),
            id_bus: property("ID_BUS"),
            id_path: property("ID_PATH"),
            id_fs_type: property("ID_FS_TYPE"),
        }
    })
}
