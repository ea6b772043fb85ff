//! Numbers among the limits that mean something else than they say.

use super::{Finding, finding};
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::model::device::BlockDevice;
use crate::model::units::UNLIMITED;
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

/// T6: `UINT_MAX` sectors stand for "no limit". A layer above only takes it over, so it is told at the bottom.
pub(super) fn all(_: &Judge, device: &BlockDevice) -> Vec<Finding> {
    let attr = Attr::WriteZeroesMaxBytes;
    if device.kind.is_stacked() || device.queue.number(attr).get() != Some(UNLIMITED) {
        return Vec::new();
    }
    let mut found = finding(
        device,
        "limit-uint-max",
        Level::Info,
        format!(
            "{} {UNLIMITED} is no size: it stands for no limit",
            attr.name()
        ),
        "who takes it for a size of 2 TiB reckons wrong; no request of the kernel is longer than 4 GiB less a block",
    );
    found.evidence = vec![
        Evidence::new(
            Origin::File(format!("{}/{}", device.queue_path(), attr.name())),
            UNLIMITED.to_string(),
        ),
        Evidence::rule(
            "block/blk-sysfs.c",
            "UINT_MAX sectors, shown in bytes of 64 bits",
        ),
    ];
    vec![found]
}
