//! Discard that is offered without a granularity.

use super::{Finding, finding};
use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::model::device::{BlockDevice, Kind};
use crate::verdict::Judge;
use crate::verdict::reason::{Evidence, Level};

const WHY: &str =
    "programs that round by it divide by 0 or discard nothing; fstrim and ZFS skip such a device";

pub(super) fn all(_: &Judge, device: &BlockDevice) -> Vec<Finding> {
    let number = |attr| device.queue.number(attr).get();
    let (Some(0), Some(most)) = (
        number(Attr::DiscardGranularity),
        number(Attr::DiscardMaxBytes),
    ) else {
        return Vec::new();
    };
    if most == 0 || device.kind == Kind::Partition {
        return Vec::new();
    }
    let what = format!("discard is offered ({most} bytes a command) with a granularity of 0");
    let mut found = finding(device, "discard-granularity-0", Level::Warning, what, WHY);
    for (attr, value) in [(Attr::DiscardGranularity, 0), (Attr::DiscardMaxBytes, most)] {
        let path = format!("{}/{}", device.queue_path(), attr.name());
        found
            .evidence
            .push(Evidence::new(Origin::File(path), value.to_string()));
    }
    vec![found]
}
