//! Drivers whose rule needs no more than their name, or a number that stands nowhere but in the limit itself.
//!
//! Only nvme and sd ever set hw, so it is 0 for every driver here, in every kernel that has it (6.17 to 7.3). wz is one
//! of three:
//! * 0, where the driver never sets it;
//! * a number from its source, as for zram;
//! * a number that the driver got from its device or its server: virtio's `max_write_zeroes_sectors`, the flags of an
//!   nbd server, the parameters of a ublk server. sysfs shows it nowhere else, so there is nothing to hold the kernel's
//!   number against, and it is taken for what it is. The rule is called `driver-limit`, and says so; what is predicted
//!   by it is that hw and un are 0. Without the kernel's number there is no prediction.

use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::facts::virtio::{F_WRITE_ZEROES, VirtioFacts};
use crate::model::device::{BlockDevice, Kind};
use crate::model::units::UNLIMITED;
use crate::verdict::Judge;
use crate::verdict::prediction::{Limits, Prediction};
use crate::verdict::reason::Reason;

/// How a driver comes to its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Never sets one.
    Never,
    /// A number of the driver's source, for pages of 4 KiB.
    Zram,
    /// A feature bit, then a number of the device's configuration.
    Virtio,
    /// A number that stands nowhere else; says whose it is.
    Driver(&'static str),
    /// The same, but only since this kernel; none before.
    Since(u32, u32, &'static str),
}

use Rule::{Driver, Never, Since, Virtio, Zram};

/// Rules by the driver's name, with the file of the kernel's source (7.3).
const RULES: &[(&str, Rule, &str)] = &[
    ("bcache", Never, "drivers/md/bcache"),
    ("brd", Never, "drivers/block/brd.c"),
    (
        "dasd",
        Driver("a FBA disk with discard; ECKD disks have none"),
        "drivers/s390/block",
    ),
    (
        "drbd",
        Driver("a peer with the feature WZEROES"),
        "drivers/block/drbd/drbd_nl.c",
    ),
    ("floppy", Never, "drivers/block/floppy.c"),
    (
        "mmcblk",
        Driver("a card that trims to zeroes"),
        "drivers/mmc/core/queue.c",
    ),
    (
        "nbd",
        Since(6, 12, "a server that sets SEND_WRITE_ZEROES"),
        "drivers/block/nbd.c",
    ),
    ("nd_pmem", Never, "drivers/nvdimm/pmem.c"),
    ("null_blk", Never, "drivers/block/null_blk"),
    (
        "rbd",
        Driver("the image's object size, unless mapped without trim"),
        "drivers/block/rbd.c",
    ),
    (
        "rnbd_client",
        Since(6, 12, "the server's device"),
        "drivers/block/rnbd/rnbd-clt.c",
    ),
    ("sr", Never, "drivers/scsi/sr.c"),
    (
        "ublk_drv",
        Driver("the parameters of its server"),
        "drivers/block/ublk_drv.c",
    ),
    ("virtio_blk", Virtio, "drivers/block/virtio_blk.c"),
    ("xen-blkfront", Never, "drivers/block/xen-blkfront.c"),
    ("zloop", Never, "drivers/block/zloop.c"),
    ("zram", Zram, "drivers/block/zram/zram_drv.c"),
];

/// The same for drivers that are known by the disk's name alone.
const BY_NAME: &[(&str, Rule, &str)] = &[
    ("dcssblk", Never, "drivers/s390/block/dcssblk.c"),
    ("etherd!", Never, "drivers/block/aoe"),
    ("mspblk", Never, "drivers/memstick/core/mspro_block.c"),
    ("mtdblock", Never, "drivers/mtd/mtd_blkdevs.c"),
    ("pktcdvd", Never, "drivers/block/pktcdvd.c"),
    ("ps3d", Never, "drivers/block/ps3disk.c"),
    (
        "ubd",
        Driver("a backing file that punches holes"),
        "arch/um/drivers/ubd_kern.c",
    ),
    ("ubiblock", Never, "drivers/mtd/ubi/block.c"),
];

/// By driver.
pub fn predict(judge: &Judge, device: &BlockDevice) -> Prediction {
    let by_driver = RULES
        .iter()
        .find(|(driver, ..)| device.driver == Some(driver));
    let name = device.kname.as_str();
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty())
    };
    let by_name = || {
        let other = device.driver.is_none() && device.kind == Kind::Other;
        BY_NAME
            .iter()
            .find(|(prefix, ..)| other && numbered(prefix))
    };
    let Some((driver, rule, source)) = by_driver.or_else(by_name) else {
        let why = "its driver is not known here, and so is its rule";
        return Prediction::unknown(why, None, Vec::new());
    };
    match *rule {
        Never => never(device, driver, source),
        Zram => zram(device, source),
        Virtio => virtio(device, source),
        Driver(whose) => driver_limit(device, &format!("the limit comes from {whose}"), source),
        Since(major, minor, _)
            if judge.kernel.at_least(major, minor) == Some(false)
                && !judge.kernel.may_carry_backports() =>
        {
            never(device, driver, source)
        }
        Since(_, _, whose) => {
            driver_limit(device, &format!("the limit comes from {whose}"), source)
        }
    }
}

fn never(device: &BlockDevice, driver: &str, source: &'static str) -> Prediction {
    let text = format!(
        "the driver {} has no zeroes command",
        driver.trim_end_matches('!')
    );
    let own = Reason::new("driver-none", &device.kname, text)
        .by_rule(source, "sets no max_write_zeroes_sectors");
    Prediction::known(Limits::NONE, vec![own])
}

/// zram has the command where its block is a page (`ZRAM_LOGICAL_BLOCK_SIZE == PAGE_SIZE`), for then it can drop it;
/// its physical block is a page always.
fn zram(device: &BlockDevice, source: &'static str) -> Prediction {
    const BLOCK: u64 = 4096;
    let page = device.queue.number(Attr::PhysicalBlockSize).get();
    let (wz, text) = match page {
        Some(page) if page != BLOCK => (
            0,
            format!("zram has no zeroes command where pages are not 4 KiB (here {page} bytes)"),
        ),
        _ => (
            UNLIMITED,
            "zram drops pages of zeroes without limit (UINT_MAX sectors)".to_owned(),
        ),
    };
    let mut own = Reason::new("zram-page", &device.kname, text).by_rule(
        source,
        "max_write_zeroes_sectors = UINT_MAX where a block is a page",
    );
    if let Some(page) = page {
        let file = format!("{}/{}", device.queue_path(), Attr::PhysicalBlockSize.name());
        own = own.because(Origin::File(file), page.to_string());
    }
    Prediction::known(Limits::new(wz, 0), vec![own])
}

/// VIRTIO_BLK_F_WRITE_ZEROES decides whether, the configuration field `max_write_zeroes_sectors` how much (0 is
/// `UINT_MAX`). The field `write_zeroes_may_unmap` is never read by Linux.
fn virtio(device: &BlockDevice, source: &'static str) -> Prediction {
    let feature = device
        .virtio
        .as_deref()
        .map(|facts: &VirtioFacts| facts.feature(F_WRITE_ZEROES));
    let bits = Origin::File(format!("/{}/device/features", device.syspath));
    if feature == Some(Reading::Present(false)) {
        let text = "the device offers no zeroes command (VIRTIO_BLK_F_WRITE_ZEROES is clear)";
        let own = Reason::new("virtio-feature", &device.kname, text)
            .because(bits, "bit 14 = 0")
            .by_rule(
                source,
                "no max_write_zeroes_sectors without VIRTIO_BLK_F_WRITE_ZEROES",
            );
        return Prediction::known(Limits::NONE, vec![own]);
    }
    let whose = "the limit comes from the device's max_write_zeroes_sectors";
    let mut prediction = driver_limit(device, whose, source);
    if feature == Some(Reading::Present(true)) {
        let text =
            "virtio has no unmap limit; the device offers zeroes (VIRTIO_BLK_F_WRITE_ZEROES)";
        let own = Reason::new("virtio-feature", &device.kname, text).because(bits, "bit 14 = 1");
        prediction.reasons.push(own);
    }
    prediction
}

/// wz from the kernel's own number, because it stands nowhere else; hw and un are 0.
pub(super) fn driver_limit(device: &BlockDevice, whose: &str, source: &'static str) -> Prediction {
    let file = format!(
        "{}/{}",
        device.queue_path(),
        Attr::WriteZeroesMaxBytes.name()
    );
    let reading = device.queue.number(Attr::WriteZeroesMaxBytes);
    let Reading::Present(wz) = reading else {
        let status = reading.status().unwrap_or_default();
        let why =
            format!("{whose}, and sysfs shows it in {file} alone, which was not read ({status})");
        let own = Reason::new("driver-limit", &device.kname, why.clone());
        return Prediction::unknown(why, None, vec![own]);
    };
    let text = match wz {
        0 => format!("no zeroes command: {whose}"),
        _ => format!("{whose}; the driver has no unmap limit"),
    };
    let own = Reason::new("driver-limit", &device.kname, text)
        .because(Origin::File(file), wz.to_string())
        .by_rule(source, "stands nowhere else, so it is taken from the kernel; no driver but nvme and sd sets hw");
    Prediction::known(Limits::new(wz, 0), vec![own])
}

#[cfg(test)]
mod tests;
