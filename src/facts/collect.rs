//! Reads the facts of one device, and lists what there is; `walk` goes from device to device.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use rustix::io::Errno;

use crate::facts::dm::DmFacts;
use crate::facts::kernel::Kernel;
use crate::facts::loop_::LoopFacts;
use crate::facts::md::MdFacts;
use crate::facts::mount::Mounts;
use crate::facts::needs::{Needs, Sections};
use crate::facts::nvme::{Controller, NvmeFacts};
use crate::facts::queue::{self, Attr, QueueLimits};
use crate::facts::reading::Reading;
use crate::facts::scsi::ScsiFacts;
use crate::facts::udev::UdevFacts;
use crate::facts::virtio::VirtioFacts;
use crate::model::device::{BlockDevice, Kind, classify};
use crate::model::ids::{DevNo, KName};
use crate::model::text;
use crate::model::units::Sectors;
use crate::source::files::{ATTRIBUTE_CAP, Dir, FILE_CAP, base_name, parent};
use crate::source::{Host, errno};

/// Why nothing could be read of a device, or of a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CollectError {
    /// There is no sysfs, or none that may be read.
    #[error(
        "cannot list block devices in /sys/class/block or /sys/block: {why}; is sysfs mounted on /sys?"
    )]
    NoSysfs {
        /// The error by name and number.
        why: String,
    },
    /// There is no such device, or it went away.
    #[error("{kname}: no such block device (looked for /sys/class/block/{kname}: {why})")]
    NoDevice {
        /// The name that was looked for.
        kname: KName,
        /// The error by name and number.
        why: String,
    },
    /// A name that breaks lines or words wherever it is written, as null_blk takes one from its folder in configfs.
    #[error(
        "{name}: not read: its name has blanks, control characters or bytes that are no UTF-8, or is too long; make the device anew under another"
    )]
    Name {
        /// The name, made safe to print.
        name: String,
    },
}

/// Reads facts of one host. Each file is read once; what several devices share is kept.
pub struct Collector<'h> {
    /// The host.
    pub host: &'h Host,
    /// What is wanted.
    pub needs: Needs,
    /// Its kernel.
    pub kernel: Kernel,
    buffer: RefCell<Vec<u8>>,
    pub(super) controllers: RefCell<HashMap<String, Rc<Controller>>>,
    mounts: OnceCell<Reading<Mounts>>,
    /// Device-mapper's target types with their versions.
    pub(super) dm_targets: OnceCell<Reading<Vec<String>>>,
}

impl<'h> Collector<'h> {
    /// Begins with the kernel's release, which rules rest on.
    pub fn new(host: &'h Host, needs: Needs) -> Self {
        let release = host
            .files
            .read("proc/sys/kernel/osrelease", ATTRIBUTE_CAP)
            .or_else(|_| {
                // A captured root may hold the longer file instead: "Linux version 4.16.0-rc5+ (…".
                let version = host.files.read("proc/version", ATTRIBUTE_CAP)?;
                let words = version.split(|byte| *byte == b' ').nth(2);
                words.map(<[u8]>::to_vec).ok_or(Errno::INVAL)
            })
            .or_else(|error| {
                let live = host.files.is_live();
                live.then(crate::source::running_release).ok_or(error)
            });
        let release = release
            .map(|bytes| text::attribute(&bytes))
            .unwrap_or_default();
        Self {
            host,
            needs,
            kernel: Kernel::parse(&release),
            buffer: RefCell::new(vec![0; ATTRIBUTE_CAP]),
            controllers: RefCell::default(),
            mounts: OnceCell::new(),
            dm_targets: OnceCell::new(),
        }
    }

    /// Reads a file of a directory and hands its bytes over.
    pub fn file<T>(
        &self,
        dir: &Dir,
        name: &str,
        parse: impl FnOnce(&[u8]) -> Reading<T>,
    ) -> Reading<T> {
        let mut buffer = self.buffer.borrow_mut();
        match self.host.files.read_in(dir, name, &mut buffer) {
            Ok(length) => parse(buffer.get(..length).unwrap_or_default()),
            Err(error) => Reading::from_errno(error),
        }
    }

    /// A file as text, safe to print.
    pub fn text(&self, dir: &Dir, name: &str) -> Reading<String> {
        self.file(dir, name, |bytes| Reading::Present(text::attribute(bytes)))
    }

    /// A file as a number of at least 0.
    pub fn number(&self, dir: &Dir, name: &str) -> Reading<u64> {
        self.file(dir, name, |bytes| {
            let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            let digits = std::str::from_utf8(line)
                .ok()
                .filter(|t| t.bytes().all(|b| b.is_ascii_digit()));
            match digits.and_then(|digits| digits.parse().ok()) {
                Some(number) => Reading::Present(number),
                None => Reading::malformed(queue::shown(line, "a number")),
            }
        })
    }

    /// A file that says 0 or 1.
    pub fn flag(&self, dir: &Dir, name: &str) -> Reading<bool> {
        self.file(dir, name, |bytes| match bytes {
            b"0\n" | b"0" => Reading::Present(false),
            b"1\n" | b"1" => Reading::Present(true),
            other => Reading::malformed(queue::shown(other, "0 or 1")),
        })
    }

    /// A binary file.
    pub fn bytes(&self, dir: &Dir, name: &str) -> Reading<Vec<u8>> {
        self.file(dir, name, |bytes| Reading::Present(bytes.to_vec()))
    }

    /// The last name of a link's target: `device/driver` → `virtio_blk`.
    pub fn link_name(&self, path: &str) -> Reading<String> {
        let target = self
            .host
            .files
            .link(path)
            .map(|target| base_name(&target).to_owned());
        Reading::from(target.map(|name| text::clean(name.as_bytes())))
    }

    /// What is mounted where, read at the first call.
    pub fn mounts(&self) -> &Reading<Mounts> {
        self.mounts.get_or_init(|| {
            let bytes = self.host.files.read("proc/self/mountinfo", FILE_CAP);
            Reading::from(bytes).and_then(|bytes| Mounts::parse(&bytes))
        })
    }

    /// Everything that is wanted of one device.
    pub fn device(&self, kname: &KName) -> Result<BlockDevice, CollectError> {
        let syspath = self.syspath(kname)?;
        let gone = |error| CollectError::NoDevice {
            kname: kname.clone(),
            why: errno::describe(error),
        };
        let dir = self.host.files.dir(&syspath).map_err(gone)?;
        let (mut kind, mut driver) = classify(kname.as_str(), &syspath);
        let part = self.number(&dir, "partition");
        if part.is_present() {
            (kind, driver) = (Kind::Partition, None);
        }
        let mut device = BlockDevice::new(kname.clone(), syspath, kind, driver);
        self.basics(&dir, &mut device);
        if device.kind == Kind::Other && device.driver.is_none() && self.is_null_blk(&device) {
            (device.kind, device.driver) = (Kind::Null, Some("null_blk"));
        }
        if kind == Kind::Partition {
            device.disk = KName::new(base_name(parent(&device.syspath)));
            device.start_bytes = self.number(&dir, "start").and_then(sectors_as_bytes);
        } else {
            device.queue = Rc::new(self.queue(&dir, device.driver));
            self.slaves(&mut device);
            self.of_its_kind(&dir, &mut device);
        }
        self.surroundings(&dir, &mut device);
        Ok(device)
    }

    /// null_blk's devices made in configfs have the name of their folder there (since 6.5), so only the major number
    /// tells: `register_blkdev(0, "nullb")`, drivers/block/null_blk/main.c.
    fn is_null_blk(&self, device: &BlockDevice) -> bool {
        let Some(devno) = device.devno.get() else {
            return false;
        };
        let listed = self.host.files.read("proc/devices", ATTRIBUTE_CAP);
        let listed = listed.unwrap_or_default();
        let text = String::from_utf8_lossy(&listed);
        let blocks = text.split_once("Block devices:").map(|(_, blocks)| blocks);
        blocks.unwrap_or_default().lines().any(|line| {
            line.trim_start()
                .split_once(' ')
                .is_some_and(|(number, name)| number.parse() == Ok(devno.major) && name == "nullb")
        })
    }

    fn basics(&self, dir: &Dir, device: &mut BlockDevice) {
        device.devno = self.file(dir, "dev", |bytes| {
            let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            match std::str::from_utf8(line)
                .ok()
                .and_then(|text| text.parse::<DevNo>().ok())
            {
                Some(devno) => Reading::Present(devno),
                None => Reading::malformed(queue::shown(line, "MAJ:MIN")),
            }
        });
        device.size_bytes = self.number(dir, "size").and_then(sectors_as_bytes);
        device.read_only = self.flag(dir, "ro");
        if self.needs.wants(Sections::IDENTITY) {
            device.removable = self.flag(dir, "removable");
            device.diskseq = self.number(dir, "diskseq");
            device.alignment_offset = self.number(dir, "alignment_offset");
            device.discard_alignment = self.number(dir, "discard_alignment");
        }
    }

    /// The wanted limits, each read once; on a live host the one that a failing command clears is read again at the
    /// end, and all of the three once more where it moved meanwhile (a limit is an unlocked hint to its readers).
    fn queue(&self, dir: &Dir, driver: Option<&str>) -> QueueLimits {
        let mut limits = QueueLimits::default();
        // Of an NVMe disk the largest transfer bounds the largest zeroing, and zram zeroes where a block is a page;
        // nobody else's verdict rests on these.
        let wanted = match driver {
            Some("nvme") => self.needs.queue.with(Attr::MaxHwSectorsKb),
            Some("sd" | "zram") => self.needs.queue.with(Attr::PhysicalBlockSize),
            _ => self.needs.queue,
        };
        let queue = match self.host.files.subdir(dir, "queue") {
            Ok(queue) => queue,
            Err(error) => {
                for attr in wanted.iter() {
                    limits.set(attr, Reading::from_errno(error));
                }
                return limits;
            }
        };
        let read = |attr: Attr| self.file(&queue, attr.name(), |bytes| queue::parse(attr, bytes));
        for attr in wanted.iter() {
            limits.set(attr, read(attr));
        }
        if self.host.files.is_live() && self.needs.queue.has(Attr::WriteZeroesMaxBytes) {
            const TRIES: usize = 3;
            for _ in 0..TRIES {
                let again = read(Attr::WriteZeroesMaxBytes);
                limits.moving = again != *limits.reading(Attr::WriteZeroesMaxBytes);
                if !limits.moving {
                    break;
                }
                limits.set(Attr::WriteZeroesMaxBytes, again);
                for attr in [
                    Attr::WriteZeroesUnmapMaxHwBytes,
                    Attr::WriteZeroesUnmapMaxBytes,
                ] {
                    limits.set(attr, read(attr));
                }
            }
        }
        limits
    }

    fn of_its_kind(&self, dir: &Dir, device: &mut BlockDevice) {
        match device.kind {
            Kind::Disk | Kind::NvmeHead | Kind::NvmePath if device.driver == Some("nvme") => {
                let facts = NvmeFacts::collect(self, dir, device);
                device.nvme = Some(Box::new(facts));
            }
            Kind::Disk | Kind::Other if matches!(device.driver, Some("sd" | "sr")) => {
                device.scsi = Some(Box::new(ScsiFacts::collect(self, device)));
            }
            Kind::Disk if device.driver == Some("virtio_blk") => {
                device.virtio = Some(Box::new(VirtioFacts::collect(self, device)));
            }
            Kind::Dm => device.dm = Some(Box::new(DmFacts::collect(self, device))),
            Kind::Md => device.md = Some(Box::new(MdFacts::collect(self, device))),
            Kind::Loop => {
                let facts = LoopFacts::collect(self, device);
                device.slaves.extend(facts.backing_device.clone());
                device.loop_ = Some(Box::new(facts));
            }
            _ => {}
        }
    }

    fn surroundings(&self, dir: &Dir, device: &mut BlockDevice) {
        if self.needs.wants(Sections::EDGES) {
            device.holders = self.edges(device, "holders");
            if device.kind != Kind::Partition {
                self.partitions(&dir.path, device);
            }
        }
        if self.needs.wants(Sections::MOUNTS) {
            device.mountpoints = match (self.mounts().as_ref(), device.devno.get()) {
                (Reading::Present(mounts), Some(devno)) => {
                    let mut points = mounts.points(devno);
                    points.extend(mounts.points_from(&device.kname.node()));
                    Reading::Present(points)
                }
                (Reading::Present(_), None) => Reading::Absent,
                (other, _) => other.map(|_| Vec::new()),
            };
        }
        if self.needs.wants(Sections::UDEV) {
            device.udev = UdevFacts::collect(self, device);
        }
    }
}

fn sectors_as_bytes(sectors: u64) -> Reading<u64> {
    match Sectors(sectors).bytes() {
        Some(bytes) => Reading::Present(bytes),
        None => Reading::malformed(format!("{sectors} sectors: past 2^64 bytes")),
    }
}
