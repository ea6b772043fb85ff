use std::rc::Rc;

use super::*;
use crate::facts::kernel::Kernel;
use crate::facts::queue::Value;
use crate::model::device::classify;
use crate::model::ids::KName;
use crate::model::topology::Topology;

type Three = (u64, u64, u64);

/// A device of this name, with wz as the kernel shows it.
fn device(name: &str, wz: Option<i64>) -> BlockDevice {
    let place = format!("sys/devices/virtual/block/{name}");
    let (kind, driver) = classify(name, &place);
    let kname = KName::new(name).expect("a kernel name");
    let mut device = BlockDevice::new(kname, place, kind, driver);
    if let Some(wz) = wz {
        Rc::make_mut(&mut device.queue).set(
            Attr::WriteZeroesMaxBytes,
            Reading::Present(Value::Number(wz)),
        );
    }
    device
}

fn on(release: &str, device: &BlockDevice) -> Prediction {
    let (topology, kernel) = (Topology::default(), Kernel::parse(release));
    predict(&Judge::new(&topology, &kernel), device)
}

fn gives(release: &str, device: &BlockDevice) -> Option<Three> {
    on(release, device).limits.ok().map(|limits| {
        (
            limits.write_zeroes_max_bytes,
            limits.write_zeroes_unmap_max_hw_bytes,
            limits.write_zeroes_unmap_max_bytes,
        )
    })
}

#[test]
fn fixed_rules_need_no_file() {
    let cases = [
        ("ram0", 0),
        ("nullb0", 0),
        ("pmem0", 0),
        ("bcache0", 0),
        ("xvda", 0),
        ("fd0", 0),
        ("zloop0", 0),
        ("mtdblock0", 0),
        ("etherd!e0.0", 0),
        ("sr0", 0),
        ("zram0", 2_199_023_255_040),
    ];
    for (name, wz) in cases {
        assert_eq!(
            gives("7.3.4", &device(name, None)),
            Some((wz, 0, 0)),
            "{name}"
        );
    }
}

#[test]
fn what_stands_nowhere_else_is_taken_from_the_kernel_and_has_no_unmap() {
    for (name, wz) in [
        ("vda", 2_147_483_136),
        ("nbd0", 4_294_966_784),
        ("nbd0", 0),
        ("ublkb0", 65_536),
        ("rbd0", 4_194_304),
        ("mmcblk0", 0),
        ("drbd0", 134_217_728),
        ("dasda", 0),
        ("rnbd0", SIZE),
    ] {
        let wanted = u64::try_from(wz).ok().map(|wz| (wz, 0, 0));
        assert_eq!(gives("7.3.4", &device(name, Some(wz))), wanted, "{name}");
        assert_eq!(
            gives("7.3.4", &device(name, None)),
            None,
            "{name} without its file"
        );
    }
    let reasons = on("7.3.4", &device("nbd0", Some(0))).reasons;
    assert_eq!(
        reasons.first().map(|reason| reason.rule),
        Some("driver-limit")
    );
}

const SIZE: i64 = 1 << 20;

#[test]
fn nbd_and_rnbd_have_no_command_before_6_12() {
    for name in ["nbd0", "rnbd0"] {
        assert_eq!(gives("6.1.176", &device(name, None)), Some((0, 0, 0)));
        assert_eq!(gives("6.12.117", &device(name, None)), None);
        // A vendor may have carried it back: then the number decides.
        assert_eq!(
            gives("5.14.0-503.el9", &device(name, Some(SIZE))),
            Some((1 << 20, 0, 0))
        );
    }
}

#[test]
fn virtio_without_the_feature_has_none() {
    let with = |bits: &str, wz: Option<i64>| {
        let mut device = device("vda", wz);
        device.virtio = Some(Box::new(VirtioFacts {
            features: Reading::Present(bits.into()),
        }));
        device
    };
    assert_eq!(
        gives("7.3.4", &with("000000000000000", None)),
        Some((0, 0, 0))
    );
    let offers = with("000000000000011", Some(2_147_483_136));
    assert_eq!(gives("7.3.4", &offers), Some((2_147_483_136, 0, 0)));
    let rules: Vec<&str> = on("7.3.4", &offers)
        .reasons
        .iter()
        .map(|reason| reason.rule)
        .collect();
    assert_eq!(rules, ["driver-limit", "virtio-feature"]);
}

#[test]
fn zram_needs_pages_of_its_block() {
    let mut zram = device("zram0", None);
    Rc::make_mut(&mut zram.queue).set(
        Attr::PhysicalBlockSize,
        Reading::Present(Value::Number(65_536)),
    );
    assert_eq!(gives("7.3.4", &zram), Some((0, 0, 0)));
}

#[test]
fn an_unknown_driver_has_no_rule() {
    assert_eq!(gives("7.3.4", &device("zd0", Some(SIZE))), None);
}
