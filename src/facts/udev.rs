//! What udev knows of a device: `/run/udev/data/b<major>:<minor>`.
//!
//! The file is udevd's own (`device_update_db` and `device_read_db_internal_filename`,
//! src/libsystemd/sd-device in systemd); node_exporter and others read it the same way. On the running host libudev is
//! asked instead where the feature `udev` is built in; both give the same.

use std::collections::BTreeMap;

use crate::facts::collect::Collector;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
#[cfg(feature = "udev")]
use crate::model::ids::DevNo;
use crate::model::text;

/// An entry of the udev database.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UdevFacts {
    /// Properties that rules have set, without those of the kernel's own event.
    pub properties: BTreeMap<String, String>,
    /// Links to the device's node, as `/dev/…`, in the order of names.
    pub links: Vec<String>,
    /// Tags that the device has or had, in the order of names.
    pub tags: Vec<String>,
    /// Tags of the last event, in the order of names; up to systemd 246 there are none.
    pub current_tags: Vec<String>,
}

/// An entry has a few kilobytes; past this it is none of udevd's.
const CAP: usize = 1 << 20;

impl UdevFacts {
    /// Reads a device's entry; absent means that there is no database, or that no rule has seen the device.
    pub fn collect(collector: &Collector, device: &BlockDevice) -> Reading<Self> {
        let devno = match &device.devno {
            Reading::Present(devno) => *devno,
            other => return other.as_ref().map(|_| Self::default()),
        };
        let path = format!("run/udev/data/b{devno}");
        let entry = Reading::from(collector.host.files.read(&path, CAP));
        let entry = entry.map(|bytes| Self::parse(&bytes));
        // The file is read in any case: a capture records what is read, and must hold it.
        #[cfg(feature = "udev")]
        if collector.host.files.is_live()
            && entry.is_present()
            && let live @ Reading::Present(_) = Self::live(devno)
        {
            return live;
        }
        entry
    }

    /// Asks libudev for a device of the running host.
    #[cfg(feature = "udev")]
    pub fn live(devno: DevNo) -> Reading<Self> {
        match crate::source::udev_live::properties(devno) {
            Ok(Some(properties)) => Reading::Present(Self::from_live(properties)),
            Ok(None) => Reading::Absent,
            Err(error) => Reading::from_errno(error),
        }
    }

    /// Sorts what libudev gives as properties, which is more than what rules have set.
    #[cfg(feature = "udev")]
    fn from_live(properties: Vec<(Vec<u8>, Vec<u8>)>) -> Self {
        const KERNEL: [&str; 11] = [
            "DEVNAME",
            "DEVPATH",
            "DEVTYPE",
            "DISKSEQ",
            "MAJOR",
            "MINOR",
            "PARTN",
            "PARTNAME",
            "PARTUUID",
            "SUBSYSTEM",
            "USEC_INITIALIZED",
        ];
        let mut facts = Self::default();
        for (key, value) in properties {
            let (key, value) = (text::clean(&key), text::clean(&value));
            let words = |separator: char| {
                value
                    .split(separator)
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect()
            };
            match key.as_str() {
                "DEVLINKS" => facts.links = words(' '),
                "TAGS" => facts.tags = words(':'),
                "CURRENT_TAGS" => facts.current_tags = words(':'),
                key if KERNEL.contains(&key) => {}
                _ => {
                    facts.properties.insert(key, value);
                }
            }
        }
        facts.in_order()
    }

    /// Reads the content of an entry. Times (`I:`), the priority of links (`L:`), the format's version (`V:`) and
    /// whatever a newer udevd adds say nothing of the device, and are passed over.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut facts = Self::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            let [kind, b':', value @ ..] = line else {
                continue;
            };
            match kind {
                b'E' => {
                    let mut parts = value.splitn(2, |byte| *byte == b'=');
                    if let (Some(key), Some(value)) = (parts.next(), parts.next()) {
                        facts
                            .properties
                            .insert(text::clean(key), text::clean(value));
                    }
                }
                b'S' => facts.links.push(format!("/dev/{}", text::clean(value))),
                b'G' => facts.tags.push(text::clean(value)),
                b'Q' => facts.current_tags.push(text::clean(value)),
                _ => {}
            }
        }
        facts.in_order()
    }

    /// udevd writes sets in the order of its hash table, which another run changes.
    fn in_order(mut self) -> Self {
        for set in [&mut self.links, &mut self.tags, &mut self.current_tags] {
            set.sort_unstable();
            set.dedup();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &[u8] = b"S:disk/by-id/scsi-1\nS:disk/by-diskseq/9\nL:10\nI:1234567\nE:ID_MODEL=QEMU\\x20HARDDISK\n\
E:ID_PATH=pci-0000:00:05.0-scsi-0:0:0:0\nE:ID_EMPTY=\nE:A=b=c\nG:systemd\nQ:systemd\nV:1\nX:later\n";

    #[test]
    fn an_entry_reads_line_by_line() {
        let facts = UdevFacts::parse(ENTRY);
        let property = |key: &str| facts.properties.get(key).map(String::as_str);
        assert_eq!(property("ID_MODEL"), Some("QEMU\\x20HARDDISK"));
        assert_eq!(property("ID_EMPTY"), Some(""));
        assert_eq!(property("A"), Some("b=c"));
        assert_eq!(facts.properties.len(), 4);
        assert_eq!(
            facts.links,
            ["/dev/disk/by-diskseq/9", "/dev/disk/by-id/scsi-1"]
        );
        assert_eq!((facts.tags.len(), facts.current_tags.len()), (1, 1));
    }

    #[test]
    fn escapes_and_broken_lines_harm_nothing() {
        let facts = UdevFacts::parse(b"E:NO_VALUE\nE\n:\n\nS:a\x1b[1m\nE:K=\xff\nG:t\nG:t");
        assert_eq!(facts.links, ["/dev/a\\x1b[1m"]);
        assert_eq!(facts.properties.get("K").map(String::as_str), Some("\\xff"));
        assert_eq!(facts.properties.len(), 1);
        assert_eq!(facts.tags, ["t"]);
    }

    #[cfg(feature = "udev")]
    #[test]
    fn what_libudev_gives_is_sorted_into_the_same_fields() {
        let pair = |key: &str, value: &str| (key.as_bytes().to_vec(), value.as_bytes().to_vec());
        let live = UdevFacts::from_live(vec![
            pair("DEVNAME", "/dev/sda"),
            pair("MAJOR", "8"),
            pair("USEC_INITIALIZED", "1234567"),
            pair("ID_MODEL", "QEMU\\x20HARDDISK"),
            pair("ID_PATH", "pci-0000:00:05.0-scsi-0:0:0:0"),
            pair("ID_EMPTY", ""),
            pair("A", "b=c"),
            pair("DEVLINKS", "/dev/disk/by-id/scsi-1 /dev/disk/by-diskseq/9"),
            pair("TAGS", ":systemd:"),
            pair("CURRENT_TAGS", ":systemd:"),
        ]);
        assert_eq!(live, UdevFacts::parse(ENTRY));
    }

    #[cfg(feature = "udev")]
    #[test]
    fn libudev_and_the_files_say_the_same_of_this_machine() {
        let entries = std::fs::read_dir("/run/udev/data")
            .into_iter()
            .flatten()
            .flatten();
        let mut compared = 0;
        for entry in entries {
            let name = entry.file_name();
            let devno = name
                .to_str()
                .and_then(|name| name.strip_prefix('b')?.parse::<DevNo>().ok());
            if let (Some(devno), Ok(bytes)) = (devno, std::fs::read(entry.path())) {
                assert_eq!(
                    UdevFacts::live(devno),
                    Reading::Present(UdevFacts::parse(&bytes)),
                    "{devno}"
                );
                compared += 1;
            }
        }
        if compared == 0 {
            eprintln!(
                "skipped: /run/udev/data has no entry of a block device, as no udevd runs here"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_give_an_entry(bytes: Vec<u8>) {
            UdevFacts::parse(&bytes);
        }
    }
}
