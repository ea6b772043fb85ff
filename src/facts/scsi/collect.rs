//! Where the SCSI facts lie in sysfs, and which of the rest to ask the device for.

use rustix::io::Errno;

use super::ask::{Asked, no_opcodes};
use super::{SPC_2, SPC_3, ScsiFacts};
use crate::facts::collect::Collector;
use crate::facts::needs::Sections;
use crate::facts::origin::{Fact, Origin};
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::model::device::BlockDevice;
use crate::source::files::{ATTRIBUTE_CAP, Dir, base_name, follow, join, parent};
use crate::wire::scsi::vpd::{self, SupportedPages};

const LATER: &str = "not needed for what was asked";
const OPTICAL: &str = "an optical drive has no zeroes command to ask about";
const NO_PAGES: &str = "sd asks for VPD pages from SPC-2 on, and not behind usb-storage";
/// How far above a host its driver is looked for: an ATA port lies between, which is bound to none.
const LEVELS: usize = 4;
const UNLISTED_LEVEL: &str = "its SCSI level is not known, so neither is what it may be asked";

/// VPD pages in the order of their codes, with their files.
const PAGES: [(u8, &str); 7] = [
    (vpd::SUPPORTED_PAGES, "vpd_pg0"),
    (vpd::UNIT_SERIAL, "vpd_pg80"),
    (vpd::DEVICE_IDENTIFICATION, "vpd_pg83"),
    (vpd::ATA_INFORMATION, "vpd_pg89"),
    (vpd::BLOCK_LIMITS, "vpd_pgb0"),
    (vpd::BLOCK_CHARACTERISTICS, "vpd_pgb1"),
    (vpd::LOGICAL_BLOCK_PROVISIONING, "vpd_pgb2"),
];

/// A directory of sysfs that may not be there.
struct Place<'c, 'h> {
    collector: &'c Collector<'h>,
    path: String,
    dir: Result<Dir, Errno>,
}

impl<'c, 'h> Place<'c, 'h> {
    fn open(collector: &'c Collector<'h>, path: String) -> Self {
        let dir = collector.host.files.dir(&path);
        Self {
            collector,
            path,
            dir,
        }
    }

    fn reading<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Collector<'h>, &Dir, &str) -> Reading<T>,
    ) -> Reading<T> {
        match &self.dir {
            Ok(dir) => read(self.collector, dir, name),
            Err(error) => Reading::from_errno(*error),
        }
    }

    fn fact<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Collector<'h>, &Dir, &str) -> Reading<T>,
    ) -> Fact<T> {
        Fact::file(&format!("{}/{name}", self.path), self.reading(name, read))
    }

    fn text(&self, name: &str) -> Reading<String> {
        self.reading(name, Collector::text)
    }

    fn page(&self, code: u8, name: &str) -> Fact<Vec<u8>> {
        let reading =
            self.reading(name, Collector::bytes)
                .and_then(|bytes| match vpd::page(code, &bytes) {
                    Ok(_) => Reading::Present(bytes),
                    Err(error) => Reading::malformed(error.to_string()),
                });
        let via = format!("/{}/{name}", self.path);
        Fact {
            reading,
            origin: Origin::Vpd {
                via,
                what: format!("VPD page {code:02X}h"),
            },
        }
    }
}

/// Reads them: all, or what a verdict rests on.
pub(super) fn collect(collector: &Collector, device: &BlockDevice) -> ScsiFacts {
    let all = collector.needs.wants(Sections::SCSI);
    let named = all || collector.needs.wants(Sections::IDENTITY);
    let files = collector.host.files.as_ref();
    let path = follow(files, &format!("{}/device", device.syspath))
        // A captured root without the link: the disk lies in `block/` below its SCSI device.
        .unwrap_or_else(|_| parent(parent(&device.syspath)).to_owned());
    let place = Place::open(collector, path);
    let name = |file: &str| {
        if named {
            place.text(file)
        } else {
            Reading::NotAsked(LATER)
        }
    };
    let hctl = hctl(&place.path);
    let disk = match hctl.value() {
        Some(hctl) => Place::open(collector, format!("{}/scsi_disk/{hctl}", place.path)),
        None => Place {
            collector,
            path: place.path.clone(),
            dir: Err(Errno::NOENT),
        },
    };
    let mut facts = ScsiFacts {
        vendor: place.text("vendor"),
        model: name("model"),
        rev: name("rev"),
        scsi_level: place.reading("scsi_level", Collector::number),
        host_driver: host_driver(collector, &place.path, hctl.value()),
        inquiry: Fact::not_asked(LATER),
        vpd: pages(device, &place, all, named),
        rc16: Fact::not_asked(OPTICAL),
        opcodes: no_opcodes(OPTICAL),
        thin_provisioning: disk.fact("thin_provisioning", Collector::flag),
        zeroing_mode: disk.fact("zeroing_mode", Collector::text),
        provisioning_mode: if all || collector.needs.queue.has(Attr::DiscardMaxBytes) {
            disk.fact("provisioning_mode", Collector::text)
        } else {
            Fact::not_asked(LATER)
        },
        max_write_same_blocks: disk.fact("max_write_same_blocks", Collector::number),
        hctl,
    };
    // Below SPC-3 the PROTECT bit decides which capacity sd takes.
    if all || facts.scsi_level.get().is_some_and(|level| level < SPC_3) {
        facts.inquiry = place.fact("inquiry", Collector::bytes);
    }
    if device.driver == Some("sd") {
        ask(&place, device, &mut facts, all);
    }
    facts
}

/// What sysfs has not: in any case what a verdict rests on, so that it is the same whatever output
/// was chosen.
fn ask(place: &Place, device: &BlockDevice, facts: &mut ScsiFacts, all: bool) {
    let asked = Asked::new(place.collector, device);
    if all && facts.inquiry.reading.is_absent() {
        facts.inquiry = asked.inquiry();
    }
    pages_by_command(place, &asked, facts, all);
    facts.rc16 = match facts.takes_read_capacity_16(device) {
        Some(true) => asked.read_capacity_16(),
        Some(false) => Fact::not_asked(
            "sd takes READ CAPACITY(10) from a device below SPC-3 or behind usb-storage",
        ),
        None => Fact::not_asked(UNLISTED_LEVEL),
    };
    facts.opcodes = match facts.takes_report_opcodes() {
        Some(true) => asked.opcodes(all),
        Some(false) => no_opcodes(
            "sd does not ask for supported opcodes below SPC-3, and not behind some drivers",
        ),
        None => no_opcodes(UNLISTED_LEVEL),
    };
}

fn pages(device: &BlockDevice, place: &Place, all: bool, named: bool) -> Vec<(u8, Fact<Vec<u8>>)> {
    // Whether page 89h exists decides only before 6.17, which the lack of the unmap files shows.
    let old = device
        .queue
        .reading(Attr::WriteZeroesUnmapMaxHwBytes)
        .is_absent();
    let wanted = |code| match code {
        vpd::BLOCK_LIMITS | vpd::LOGICAL_BLOCK_PROVISIONING => true,
        vpd::ATA_INFORMATION => all || old,
        vpd::UNIT_SERIAL | vpd::DEVICE_IDENTIFICATION => named,
        _ => all,
    };
    let read = |(code, file)| {
        (
            code,
            if wanted(code) {
                place.page(code, file)
            } else {
                Fact::not_asked(LATER)
            },
        )
    };
    PAGES.map(read).into()
}

/// Asks for pages that have no file, where sd would: from SPC-2 on, and only pages that 00h lists.
fn pages_by_command(place: &Place, asked: &Asked, facts: &mut ScsiFacts, all: bool) {
    // Since 5.18 the kernel keeps B0h to B2h in sysfs: a page without file does not count then,
    // whatever the device would answer, and a verdict has no use for it.
    if !all && facts.keeps_block_pages(&place.collector.kernel) {
        return;
    }
    let missing = facts.vpd.iter().any(|(_, fact)| fact.reading.is_absent());
    if !missing {
        return;
    }
    let why = match facts.scsi_level.get() {
        None => Some(UNLISTED_LEVEL),
        Some(level) if level < SPC_2 || facts.takes_vpd() == Some(false) => Some(NO_PAGES),
        Some(_) => None,
    };
    if let Some(why) = why {
        for (_, fact) in facts
            .vpd
            .iter_mut()
            .filter(|(_, fact)| fact.reading.is_absent())
        {
            fact.reading = Reading::NotAsked(why);
        }
        return;
    }
    let listed = listed_pages(place, asked, facts);
    for (code, fact) in &mut facts.vpd {
        if !fact.reading.is_absent() {
            continue;
        }
        match &listed {
            Reading::Present(listed) if listed.contains(code) => *fact = asked.page(*code),
            // Not listed: absent is what it is.
            Reading::Present(_) | Reading::Absent => {}
            Reading::Denied(error) => fact.reading = Reading::Denied(*error),
            Reading::NotAsked(why) => fact.reading = Reading::NotAsked(why),
            // sd asks a device that refuses 00h for no other page, and some hang on it.
            Reading::Unsupported(_) | Reading::Malformed(_) => {
                fact.reading = Reading::NotAsked("the device does not give VPD page 00h");
            }
        }
    }
}

/// Page 00h, from its file, else by command.
fn listed_pages(place: &Place, asked: &Asked, facts: &mut ScsiFacts) -> Reading<Vec<u8>> {
    let Some((_, first)) = facts.vpd.first_mut() else {
        return Reading::Absent;
    };
    if matches!(first.reading, Reading::NotAsked(_)) {
        *first = place.page(vpd::SUPPORTED_PAGES, "vpd_pg0");
    }
    if !first.reading.is_present() {
        *first = asked.page(vpd::SUPPORTED_PAGES);
    }
    first
        .reading
        .as_ref()
        .and_then(|bytes| match SupportedPages::decode(bytes) {
            Ok(pages) => Reading::Present(pages.value.codes),
            Err(error) => Reading::malformed(error.to_string()),
        })
}

/// `HOST:CHANNEL:TARGET:LUN` as the directory of a SCSI device is named.
fn hctl(path: &str) -> Reading<String> {
    let name = base_name(path);
    let parts: Vec<&str> = name.split(':').collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if parts.len() == 4 && parts.iter().all(digits) {
        Reading::Present(name.to_owned())
    } else {
        Reading::Absent
    }
}

/// The host adapter's driver by the name it gives itself; some give none (`(null)`), then by the
/// driver bound to the device above the host.
fn host_driver(collector: &Collector, path: &str, hctl: Option<&String>) -> Reading<String> {
    let number = hctl.and_then(|hctl| hctl.split(':').next());
    let Some(host) = number.map(|number| format!("host{number}")) else {
        return Reading::Absent;
    };
    let Some(above) = path
        .split_once(&format!("/{host}/"))
        .map(|(above, _)| above)
    else {
        return Reading::Absent;
    };
    let files = collector.host.files.as_ref();
    let file = format!("{above}/{host}/scsi_host/{host}/proc_name");
    let name = Reading::from(files.read(&file, ATTRIBUTE_CAP));
    let name = name.map(|bytes| crate::model::text::attribute(&bytes));
    match name.value().map(String::as_str) {
        Some("(null)" | "<NULL>" | "") | None => {}
        Some(_) => return name,
    }
    let mut place = above;
    for _ in 0..LEVELS {
        if let Ok(target) = files.link(&format!("{place}/driver")) {
            let driver = join(place, &target);
            return Reading::Present(crate::model::text::clean(base_name(&driver).as_bytes()));
        }
        place = parent(place);
        if place.is_empty() {
            break;
        }
    }
    match name {
        Reading::Present(_) => Reading::Absent,
        other => other,
    }
}

impl ScsiFacts {
    /// Whether this kernel keeps VPD pages B0h to B2h in sysfs, so that a page without a file is
    /// one that sd has not.
    pub fn keeps_block_pages(&self, kernel: &crate::facts::kernel::Kernel) -> bool {
        let by_file = [
            vpd::BLOCK_LIMITS,
            vpd::BLOCK_CHARACTERISTICS,
            vpd::LOGICAL_BLOCK_PROVISIONING,
        ]
        .into_iter()
        .filter_map(|code| self.page(code))
        .any(|fact| is_file(&fact.origin) && fact.reading.is_present());
        by_file || kernel.at_least(5, 19) == Some(true)
    }

    /// Whether sd has a page: the one in sysfs, or what the device answers where the kernel keeps
    /// none.
    pub fn counts(&self, code: u8, kernel: &crate::facts::kernel::Kernel) -> bool {
        self.page(code)
            .is_some_and(|fact| is_file(&fact.origin) || !self.keeps_block_pages(kernel))
    }
}

fn is_file(origin: &Origin) -> bool {
    matches!(origin, Origin::Vpd { via, .. } if via.starts_with("/sys/"))
}
