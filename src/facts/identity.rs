//! What names one very disk, whatever the kernel calls it today.

use crate::facts::collect::Collector;
use crate::model::device::BlockDevice;
use crate::model::ids::KName;
use crate::source::files::parent;

/// A disk's world-wide name or serial, else a mapping's name, else the number that the kernel gave it when it appeared,
/// which no other device gets before the next boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// One word.
    pub name: String,
    /// Whether it outlasts the device's removal.
    pub lasts: bool,
}

/// The identity of a disk that was read.
pub fn of(collector: &Collector, disk: &BlockDevice) -> Identity {
    at(collector, disk.kname.as_str(), &disk.syspath)
}

/// The identity of a disk by its kernel name and its directory in sysfs. No command is sent: the disk may hang.
pub fn at(collector: &Collector, kname: &str, place: &str) -> Identity {
    let text = |dir: &str, name: &str| {
        let dir = collector.host.files.dir(dir).ok()?;
        let text = collector.text(&dir, name).value().cloned()?;
        let word = text.split_whitespace().collect::<Vec<_>>().join("_");
        (!word.is_empty()).then_some(word)
    };
    let lasting = text(place, "wwid")
        .or_else(|| text(&format!("{place}/device"), "wwid"))
        .or_else(|| text(place, "serial").map(|serial| format!("serial.{serial}")))
        .or_else(|| {
            text(&format!("{place}/device"), "serial").map(|serial| format!("serial.{serial}"))
        })
        .or_else(|| text(&format!("{place}/dm"), "name").map(|name| format!("dm.{name}")));
    let lasts = lasting.is_some();
    let name = lasting.unwrap_or_else(|| match diskseq(collector, place) {
        Some(diskseq) => format!("{kname}.diskseq-{diskseq}"),
        None => kname.to_owned(),
    });
    Identity { name, lasts }
}

/// The diskseq of a disk by its directory, where the kernel has one (since Linux 5.15).
pub fn diskseq(collector: &Collector, place: &str) -> Option<u64> {
    let dir = collector.host.files.dir(place).ok()?;
    collector.number(&dir, "diskseq").get()
}

/// The disk that a device is, or is a partition of: its kernel name and its directory.
pub fn disk_of(collector: &Collector, kname: &KName) -> Option<(String, String)> {
    let place = collector.syspath(kname).ok()?;
    let dir = collector.host.files.dir(&place).ok()?;
    let partition = collector.number(&dir, "partition").is_present();
    let disk = if partition { parent(&place) } else { &place };
    let name = disk.rsplit('/').next().unwrap_or_default();
    Some((name.to_owned(), disk.to_owned()))
}
