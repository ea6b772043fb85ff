//! Arbitrary answers: no panic, and no more than the device offers.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::disk::{Disk, LBPME, LBPRZ, LBPWS};
use crate::facts::reading::Reading;

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..most)
}

fn reading(most: usize) -> impl Strategy<Value = Reading<Vec<u8>>> {
    prop_oneof![
        8 => bytes(most).prop_map(Reading::Present),
        1 => Just(Reading::Absent),
        1 => Just(Reading::NotAsked("a test")),
    ]
}

/// A page with a right header, so that the rest of it is looked at.
fn labelled(code: u8) -> impl Strategy<Value = Reading<Vec<u8>>> {
    (bytes(80), any::<bool>()).prop_map(move |(mut bytes, right)| {
        if right && bytes.len() >= 4 {
            let length = u8::try_from(bytes.len() - 4).unwrap();
            bytes.splice(..4, [0, code, 0, length]);
        }
        Reading::Present(bytes)
    })
}

proptest! {
    #[test]
    fn any_answer_gives_a_prediction_or_none(
        b0 in labelled(0xb0), b2 in labelled(0xb2), page in reading(40), code in any::<u8>(),
        rc16 in reading(40), inquiry in reading(100),
        level in any::<u64>(), file in option::of(any::<u64>()), block in any::<i64>(),
        mode in option::of(prop_oneof!["writesame(_1[06]_unmap)?", ".*"]),
        thin in option::of(any::<bool>()), old in any::<bool>(),
        driver in prop_oneof!["(uas|usb-storage|hpsa|ahci)", ".*"],
    ) {
        let disk = Disk::new().set_page(code, page).set_page(0xb0, b0).set_page(0xb2, b2);
        let disk = disk.level(level).block(block).driver(&driver).with(|facts| {
            facts.rc16.reading = rc16;
            facts.inquiry.reading = inquiry;
            facts.thin_provisioning.reading = thin.map_or(Reading::Absent, Reading::Present);
            facts.zeroing_mode.reading = mode.map_or(Reading::Absent, Reading::Present);
            facts.max_write_same_blocks.reading = file.map_or(Reading::Absent, Reading::Present);
        });
        let disk = if old { disk.on_6_12() } else { disk };
        let prediction = disk.predict();
        if let Ok(limits) = prediction.limits {
            let hw = limits.write_zeroes_unmap_max_hw_bytes;
            prop_assert!(hw == 0 || hw == limits.write_zeroes_max_bytes);
        }
        prop_assert!(prediction.reasons.iter().all(|reason| !reason.text.is_empty()));
        disk.modes();
        disk.conflicts();
    }

    #[test]
    fn a_longer_limit_never_gives_less(
        less in 1u64..=0xffff_ffff,
        more in 1u64..=0xffff_ffff,
        exponent in 0u8..16,
    ) {
        let (less, more) = (less.min(more), less.max(more));
        let limits = |blocks| Disk::new().capacity(512, exponent, 0).longest(blocks).limits();
        prop_assert!(limits(less).0 <= limits(more).0);
    }

    #[test]
    fn a_bit_more_never_takes_unmap_away(capacity in any::<u8>(), page in any::<u8>()) {
        let hw = |capacity, page| Disk::new().provisioned(capacity, page).limits().1;
        prop_assert!(hw(capacity, page) <= hw(capacity | LBPME | LBPRZ, page | LBPWS));
        prop_assert!(hw(capacity & !LBPRZ, page) == 0);
    }
}
