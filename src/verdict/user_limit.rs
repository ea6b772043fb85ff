//! What a user wrote to `write_zeroes_unmap_max_bytes`, and what that file takes
//! (`queue_max_wzeroes_unmap_sectors_store`, block/blk-sysfs.c, 6.17 to 7.3).
//!
//! It takes 0, or exactly the hardware limit with `hw_sectors << 9` worked out in 32 bits. So a limit of 4 GiB or more
//! can be written only by its lower half, and of a multiple of 4 GiB no value but 0 is taken: there is no way back.

use crate::facts::origin::Origin;
use crate::facts::queue::Attr;
use crate::model::device::{BlockDevice, Kind};
use crate::model::units::{SECTOR, in_words};
use crate::verdict::judgement::KernelLimits;
use crate::verdict::reason::{Conflict, Evidence, Level};
use crate::verdict::stacking;

const STORE: &str = "queue_max_wzeroes_unmap_sectors_store (block/blk-sysfs.c, 6.17 to 7.3)";
const FOUR_GIB: u64 = 1 << 32;

/// What stands in the way of the limit, or will once someone writes to it.
pub fn conflict(device: &BlockDevice, kernel: &KernelLimits) -> Option<Conflict> {
    let (wz, hw, un) = (kernel.wz.get()?, kernel.hw.get()?, kernel.un.get()?);
    if wz == 0 || hw == 0 {
        return None;
    }
    match un {
        0 => Some(switched_off(device, (hw, un))),
        _ if un >= hw => no_return(device, (hw, un)),
        _ if enabling(hw) == Some(un) => Some(lower_half(device, (hw, un))),
        _ => Some(pinned(device, (hw, un))),
    }
}

/// The one value above 0 that the file takes; none for a multiple of 4 GiB.
pub fn enabling(hw: u64) -> Option<u64> {
    let value = hw & (FOUR_GIB - 1);
    (value >= SECTOR).then_some(value)
}

fn file(device: &BlockDevice) -> String {
    let name = Attr::WriteZeroesUnmapMaxBytes.name();
    format!("{}/{name}", device.queue_path())
}

fn found(
    device: &BlockDevice,
    (hw, un): (u64, u64),
    rule: &'static str,
    level: Level,
    text: String,
) -> Conflict {
    let hw_file = format!(
        "{}/{}",
        device.queue_path(),
        Attr::WriteZeroesUnmapMaxHwBytes.name()
    );
    Conflict {
        rule,
        level,
        at: device.kname.clone(),
        text,
        evidence: vec![
            Evidence::new(Origin::File(hw_file), hw.to_string()),
            Evidence::new(Origin::File(file(device)), un.to_string()),
        ],
        advice: None,
    }
}

fn switched_off(device: &BlockDevice, (hw, un): (u64, u64)) -> Conflict {
    let back = enabling(hw);
    let mut text = "the user's limit is 0: FALLOC_FL_WRITE_ZEROES is refused here, other zeroes requests still \
                    deallocate"
        .to_owned();
    if back.is_none() {
        text.push_str(
            "; the file takes no other value any more, since the hardware's limit is a multiple of 4 GiB",
        );
    }
    let mut found = found(device, (hw, un), "user-limit", Level::Warning, text);
    found.advice = match (back, device.kind) {
        (Some(value), _) => Some(format!(
            "to allow it again: echo {value} > {}",
            file(device)
        )),
        // The user's limit of a mapped device goes with its table.
        (None, Kind::Dm) => Some(format!(
            "to allow it again, load its table anew: {}",
            stacking::reload(device)
        )),
        (None, _) => None,
    };
    if back.is_none() {
        let value = "takes 0, or hw_sectors << 9 in 32 bits, which is 0 here";
        found.evidence.push(Evidence::rule(STORE, value));
    }
    found
}

/// T7: nothing is off yet, and whoever writes 0 cannot take it back.
fn no_return(device: &BlockDevice, (hw, un): (u64, u64)) -> Option<Conflict> {
    if enabling(hw).is_some() {
        return None;
    }
    let text = format!(
        "the unmap limit is {}, a multiple of 4 GiB: its file takes 0 and nothing else, so that a 0 written there \
         stays until the device is made anew",
        in_words(hw)
    );
    let mut found = found(device, (hw, un), "user-limit-no-return", Level::Info, text);
    found.evidence.push(Evidence::rule(
        STORE,
        "takes 0, or hw_sectors << 9 in 32 bits, which is 0 here",
    ));
    Some(found)
}

fn lower_half(device: &BlockDevice, (hw, un): (u64, u64)) -> Conflict {
    let text = format!(
        "the unmap limit stands at {} below the device's {}: it was switched off and on again, and the file takes no \
         more than the lower 32 bits; only zero or not zero matters, so unmap works",
        in_words(un),
        in_words(hw)
    );
    let mut found = found(device, (hw, un), "user-limit-32-bit", Level::Info, text);
    found.evidence.push(Evidence::rule(
        STORE,
        "takes 0, or hw_sectors << 9 in 32 bits",
    ));
    found
}

/// T8: written when the hardware's limit was this, or handed up from below.
fn pinned(device: &BlockDevice, (hw, un): (u64, u64)) -> Conflict {
    let text = format!(
        "the unmap limit stands at {} below the device's {}: a user wrote it when the device's was smaller; only zero \
         or not zero matters, so unmap works",
        in_words(un),
        in_words(hw)
    );
    found(device, (hw, un), "user-limit-pinned", Level::Info, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::reading::Reading;
    use crate::model::ids::KName;

    fn at(hw: u64, un: u64) -> Option<Conflict> {
        let kname = KName::new("sda").expect("a name");
        let device = BlockDevice::new(kname, "sys/block/sda".into(), Kind::Disk, Some("sd"));
        let kernel = KernelLimits {
            wz: Reading::Present(hw),
            hw: Reading::Present(hw),
            un: Reading::Present(un),
        };
        conflict(&device, &kernel)
    }

    fn rule(hw: u64, un: u64) -> Option<&'static str> {
        at(hw, un).map(|conflict| conflict.rule)
    }

    #[test]
    fn advice_names_the_one_value_that_the_kernel_takes() {
        assert_eq!(enabling(33_553_920), Some(33_553_920));
        assert_eq!(enabling(2_199_023_255_040), Some(4_294_966_784));
        assert_eq!(enabling(34_359_734_272), Some(4_294_963_200));
        assert_eq!(enabling(8_589_934_592), None);
    }

    #[test]
    fn a_limit_below_the_hardwares_is_told_by_how_it_came_about() {
        assert_eq!(rule(33_553_920, 33_553_920), None);
        assert_eq!(rule(1_024_000, 512_000), Some("user-limit-pinned"));
        assert_eq!(
            rule(2_199_023_255_040, 4_294_966_784),
            Some("user-limit-32-bit")
        );
        assert_eq!(rule(33_553_920, 0), Some("user-limit"));
    }

    #[test]
    fn a_multiple_of_4_gib_has_no_way_back_and_no_advice() {
        assert_eq!(
            rule(4_294_967_296, 4_294_967_296),
            Some("user-limit-no-return")
        );
        let off = at(4_294_967_296, 0).expect("a conflict");
        assert_eq!((off.rule, off.advice), ("user-limit", None));
    }
}
