use super::*;
use crate::facts::kernel::Kernel;
use crate::facts::origin::Fact;
use crate::model::device::Kind;
use crate::model::ids::KName;
use crate::model::topology::Topology;

fn controller(wzsl: u8) -> Controller {
    let mut identify = vec![0; 4096];
    // Version 1.4, ONCS with Write Zeroes.
    identify[80..84].copy_from_slice(&[0, 4, 1, 0]);
    identify[520] = 0x08;
    let mut nvm = vec![0; 4096];
    nvm[1] = wzsl;
    let asked = |bytes: Vec<u8>| Fact {
        reading: Reading::Present(bytes),
        origin: Origin::Inferred("a test".into()),
    };
    Controller {
        name: "nvme0".into(),
        syspath: "sys/devices/nvme0".into(),
        model: Reading::Absent,
        serial: Reading::Absent,
        firmware_rev: Reading::Absent,
        transport: Reading::Absent,
        address: Reading::Absent,
        state: Reading::Absent,
        cntlid: Reading::Absent,
        subsysnqn: Reading::Absent,
        quirks: Reading::Absent,
        pci_id: Reading::Absent,
        iommu_group_type: Reading::Absent,
        identify: asked(identify),
        nvm: asked(nvm),
        nvm_refused: false,
        node: None,
    }
}

#[test]
fn wzsl_overrides_the_quirk_where_the_fix_of_7_0_is_not() {
    let kname = KName::new("nvme0n1").expect("a name");
    let device = BlockDevice::new(kname, "sys/x".into(), Kind::Disk, Some("nvme"));
    let topology = Topology::default();
    let by = |release: &str, wzsl: u8| {
        let kernel = Kernel::parse(release);
        let judge = Judge::new(&topology, &kernel);
        match by_wzsl(&judge, &device, &controller(wzsl), true) {
            Wzsl::Decides(limit, _) => Some(Some(limit)),
            Wzsl::Silent => Some(None),
            Wzsl::Unknown(_) => None,
        }
    };
    for without in ["6.12.85", "6.1.174", "6.17.13", "6.19.14"] {
        assert_eq!(by(without, 4), Some(Some(65_536)), "{without}");
    }
    for fixed in ["6.12.86+deb13-amd64", "6.1.176", "7.0.13", "7.3.4"] {
        assert_eq!(by(fixed, 4), Some(None), "{fixed}");
    }
    for untold in ["6.1.0-31-amd64", "5.14.0-503.el9.x86_64", "6.6.30"] {
        assert_eq!(by(untold, 4), None, "{untold}");
        assert_eq!(by(untold, 0), Some(None), "{untold}");
    }
}
