use std::path::Path;

use proptest::prelude::*;

use super::identify::*;
use crate::wire::{WireError, WireField};

/// 4096 bytes, with these at these offsets.
pub(super) fn page(parts: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    for (at, part) in parts {
        bytes[*at..*at + part.len()].copy_from_slice(part);
    }
    bytes
}

/// A namespace like the Samsung PM9D3 of the public reports: DLFEAT 9, NSFEAT 1Ah, 31s.
pub(super) fn pm9d3(more: &[(usize, &[u8])]) -> Vec<u8> {
    let mut parts: Vec<(usize, &[u8])> = vec![
        (0, &[0x96, 0xd9, 0xb9, 0x36, 0, 0, 0, 0]),
        (8, &[0x96, 0xd9, 0xb9, 0x36, 0, 0, 0, 0]),
        (24, &[0x1a, 1, 0]),
        (33, &[9]),
        (64, &[31, 0, 0, 0, 31, 0, 0, 0, 31, 0]),
        (128, &[0, 0, 9, 2, 0, 0, 12, 1]),
    ];
    parts.extend_from_slice(more);
    page(&parts)
}

#[test]
fn dlfeat_of_every_value() {
    for raw in 0..=255_u8 {
        let dlfeat = Dlfeat(raw);
        let read = match raw & 7 {
            0 => ReadBehavior::NotReported,
            1 => ReadBehavior::AllZeroes,
            2 => ReadBehavior::AllOnes,
            other => ReadBehavior::Reserved(other),
        };
        assert_eq!(dlfeat.read_behavior(), read, "{raw}");
        assert_eq!(dlfeat.deac(), (raw / 8) % 2 == 1, "{raw}");
        assert_eq!(dlfeat.guard_crc(), (raw / 16) % 2 == 1, "{raw}");
        assert_eq!(dlfeat.reserved(), raw / 32, "{raw}");
        assert_eq!(dlfeat.raw(), raw);
    }
}

#[test]
fn dlfeat_of_devices_that_people_reported() {
    // Kioxia CD6, Samsung PM9D3, a Western Digital, and Micron, Intel and FEMU.
    let told = [
        (25, "all-zeroes", true, true),
        (9, "all-zeroes", true, false),
        (8, "not-reported", true, false),
        (1, "all-zeroes", false, false),
        (0, "not-reported", false, false),
        (2, "all-ones", false, false),
        (7, "reserved", false, false),
    ];
    for (raw, read, deac, guard) in told {
        let dlfeat = Dlfeat(raw);
        let seen = (
            dlfeat.read_behavior().to_string(),
            dlfeat.deac(),
            dlfeat.guard_crc(),
        );
        assert_eq!(seen, (read.to_owned(), deac, guard), "{raw}");
    }
}

#[test]
fn every_field_of_identify_controller_lies_where_the_figure_says() {
    let bytes = page(&[
        (0, &[0x11, 0x1e, 0x12, 0x1f]),
        (4, b"SERIAL-0123456789   "),
        (24, b"MODEL                                   "),
        (64, b"FW 1.0  "),
        (
            72,
            &[
                4, 0xaa, 0xbb, 0xcc, 0b1010, 5, 0x34, 0x12, 0x02, 0x01, 0x02, 0x00,
            ],
        ),
        (84, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]),
        (111, &[1]),
        (256, &[0x5f, 0x02]),
        (280, &[0, 0, 0, 0, 0, 0, 0, 0, 1]),
        (296, &[7]),
        (342, &[10, 0x1f, 128, 0, 0, 0, 64]),
        (
            512,
            &[
                0x66, 0x44, 0x00, 0x04, 0x20, 0, 0, 0, 0x0c, 0x81, 1, 0, 2, 3, 0xff, 0, 9, 0,
            ],
        ),
        (530, &[1, 2, 3, 0, 4, 0, 1, 2, 3, 4, 5]),
        (768, b"nqn.2014-08.org.example"),
    ]);
    let id = IdentifyController::decode(&bytes).unwrap();
    controller_identity(id);
    controller_capabilities(id);
}

fn controller_identity(id: &IdentifyController) {
    assert_eq!(
        (id.vid(), id.ssvid(), id.rab(), id.ieee()),
        (0x1e11, 0x1f12, 4, [0xaa, 0xbb, 0xcc])
    );
    assert_eq!(&id.sn(), b"SERIAL-0123456789   ");
    assert_eq!(
        (crate::wire::text(&id.mn()), &id.fr()),
        ("MODEL".to_owned(), b"FW 1.0  ")
    );
    assert_eq!(id.cmic().names(), ["MULTI_CONTROLLER", "ANA"]);
    assert_eq!((id.mdts(), id.cntlid(), id.ver()), (5, 0x1234, 0x0002_0102));
    assert_eq!(id.version().to_string(), "2.1.2");
}

fn controller_capabilities(id: &IdentifyController) {
    assert_eq!(
        (id.rtd3r(), id.rtd3e(), id.oaes(), id.ctratt()),
        (1, 2, 3, 4)
    );
    assert_eq!((id.cntrltype(), id.oacs()), (1, 0x025f));
    assert_eq!((id.tnvmcap(), id.unvmcap()), (1 << 64, 7));
    assert_eq!(
        (id.anatt(), id.anacap(), id.anagrpmax(), id.nanagrpid()),
        (10, 0x1f, 128, 64)
    );
    assert_eq!(
        (id.sqes(), id.cqes(), id.maxcmd(), id.nn()),
        (0x66, 0x44, 0x400, 32)
    );
    assert_eq!(id.oncs().names(), ["DSM", "WRITE_ZEROES", "COPY"]);
    assert_eq!(id.oncs().bits(), 0x810c, "unknown bits are kept");
    assert_eq!(
        (id.fuses(), id.fna(), id.vwc(), id.awun(), id.awupf()),
        (1, 2, 3, 255, 9)
    );
    assert_eq!(
        (id.icsvscc(), id.nwpc(), id.acwu(), id.cdfs()),
        (1, 2, 3, 4)
    );
    assert_eq!((id.sgls(), id.mnan()), (0x0403_0201, 5));
    assert_eq!(crate::wire::text(&id.subnqn()), "nqn.2014-08.org.example");
}

#[test]
fn every_bit_of_oncs_nsfeat_and_cmic_has_its_name() {
    let oncs = "COMPARE WRITE_UNCORRECTABLE DSM WRITE_ZEROES SAVE_SELECT RESERVATIONS TIMESTAMP \
                VERIFY COPY COPY_SINGLE_ATOMICITY ALL_FAST_COPY MAXWZD NAMESPACE_ZEROES";
    for (at, name) in oncs.split_whitespace().enumerate() {
        assert_eq!(Oncs::from_bits_retain(1 << at).names(), [name]);
    }
    let nsfeat = "THINP NSABP DAE UIDREUSE OPTPERF OPTPERF_LARGE MAM OPTRPERF";
    for (at, name) in nsfeat.split_whitespace().enumerate() {
        assert_eq!(Nsfeat::from_bits_retain(1 << at).names(), [name]);
    }
    let cmic = "MULTI_PORT MULTI_CONTROLLER VIRTUAL_FUNCTION ANA";
    for (at, name) in cmic.split_whitespace().enumerate() {
        assert_eq!(Cmic::from_bits_retain(1 << at).names(), [name]);
    }
}

#[test]
fn every_field_of_identify_namespace_lies_where_the_figure_says() {
    let ramp: Vec<u8> = (1..=128).collect();
    let id = page(&[(0, &ramp)]);
    let id = IdentifyNamespace::decode(&id).unwrap();
    assert_eq!(id.nsze(), 0x0807_0605_0403_0201);
    assert_eq!((id.ncap() % 256, id.nuse() % 256), (9, 17));
    assert_eq!(
        (id.nsfeat().bits(), id.nlbaf(), id.flbas(), id.mc()),
        (25, 26, 27, 28)
    );
    assert_eq!(
        (id.dpc(), id.dps(), id.nmic(), id.rescap(), id.fpi()),
        (29, 30, 31, 32, 33)
    );
    assert_eq!(
        (id.dlfeat().raw(), id.shared(), id.protection_type()),
        (34, true, 6)
    );
    assert_eq!(
        (id.nawun(), id.nawupf(), id.nacwu()),
        (0x2423, 0x2625, 0x2827)
    );
    assert_eq!(
        (id.nabsn(), id.nabo(), id.nabspf(), id.noiob()),
        (0x2a29, 0x2c2b, 0x2e2d, 0x302f)
    );
    assert_eq!(id.nvmcap(), 0x403f_3e3d_3c3b_3a39_3837_3635_3433_3231);
    assert_eq!(
        (id.npwg(), id.npwa(), id.npdg(), id.npda()),
        (0x4241, 0x4443, 0x4645, 0x4847)
    );
    assert_eq!(
        (id.nows(), id.mssrl(), id.mcl(), id.msrc()),
        (0x4a49, 0x4c4b, 0x504f_4e4d, 81)
    );
    assert_eq!(
        (id.kpios(), id.nulbaf(), id.kpiodaag()),
        (82, 83, 0x5857_5655)
    );
    assert_eq!((id.anagrpid(), id.nsattr()), (0x605f_5e5d, 100));
    assert_eq!((id.nvmsetid(), id.endgid()), (0x6665, 0x6867));
    assert_eq!(
        (id.nguid()[0], id.nguid()[15], id.eui64()),
        (105, 120, [121, 122, 123, 124, 125, 126, 127, 128])
    );
    assert!(id.metadata_extended());
}

#[test]
fn every_field_of_the_nvm_controller_structure_lies_where_the_figure_says() {
    let ramp: Vec<u8> = (1..=24).collect();
    let bytes = page(&[(0, &ramp)]);
    let id = IdentifyNvmController::decode(&bytes).unwrap();
    assert_eq!((id.vsl(), id.wzsl(), id.wusl(), id.dmrl()), (1, 2, 3, 4));
    assert_eq!(
        (id.dmrsl(), id.dmsl()),
        (0x0807_0605, 0x100f_0e0d_0c0b_0a09)
    );
    assert_eq!(
        (id.kpiocap(), id.wzdsl(), id.aocs(), id.ver()),
        (17, 18, 0x1413, 0x1817_1615)
    );
    assert!(
        IdentifyNvmController::decode(&[0; 4096]).is_ok(),
        "no limits is a valid answer"
    );
}

#[test]
fn what_is_no_answer_is_an_error() {
    let ff = [0xff; 4096];
    assert!(matches!(
        IdentifyController::decode(&ff),
        Err(WireError::AllOnes { .. })
    ));
    assert!(matches!(
        IdentifyNamespace::decode(&ff),
        Err(WireError::AllOnes { .. })
    ));
    assert!(matches!(
        IdentifyNvmController::decode(&ff),
        Err(WireError::AllOnes { .. })
    ));
    let zero = [0; 4096];
    assert!(matches!(
        IdentifyController::decode(&zero),
        Err(WireError::AllZeroes { .. })
    ));
    assert_eq!(
        IdentifyNamespace::decode(&zero).unwrap_err(),
        WireError::InactiveNamespace
    );
    let short = IdentifyNamespace::decode(&zero[..4095]).unwrap_err();
    assert_eq!(
        short.to_string(),
        "Identify Namespace: expected at least 4096 bytes, found 4095"
    );
}

#[test]
fn fields_find_the_bytes_behind_a_value() {
    let bytes = pm9d3(&[]);
    let bytes_of = |name| WireField::find(IdentifyNamespace::FIELDS, name)?.bytes(&bytes);
    assert_eq!(bytes_of("DLFEAT"), Some(&[9][..]));
    assert_eq!(bytes_of("OPTPERF"), Some(&[0x1a][..]));
    assert_eq!(bytes_of("NPDG"), Some(&[31, 0][..]));
    assert_eq!(bytes_of("NOSUCH"), None);
    let oncs = WireField::find(IdentifyController::FIELDS, "ONCS").unwrap();
    assert_eq!(
        (oncs.offset, oncs.len, oncs.bytes(&[0; 521])),
        (520, 2, None)
    );
}

#[test]
fn a_recorded_controller_decodes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/hosts/fwupd/TOSHIBA_THNSN5512GPU7.bin");
    let Ok(bytes) = std::fs::read(&file) else {
        println!(
            "skipped: no recorded Identify Controller at {}",
            file.display()
        );
        return;
    };
    let id = IdentifyController::decode(&bytes).unwrap();
    assert_eq!((id.vid(), id.ssvid()), (0x1179, 0x1179));
    assert_eq!(crate::wire::text(&id.mn()), "THNSN5512GPU7 TOSHIBA");
    assert_eq!(crate::wire::text(&id.sn()), "37RSDEADBEEF");
    assert_eq!(crate::wire::text(&id.fr()), "410557LA");
    assert_eq!((id.mdts(), id.ver(), id.nn(), id.vwc()), (0, 0, 1, 1));
    assert_eq!(
        id.oncs().names(),
        ["WRITE_UNCORRECTABLE", "DSM", "WRITE_ZEROES", "SAVE_SELECT"]
    );
    assert!(
        !id.version().is_reported(),
        "a 1.1 controller leaves VER zero"
    );
}

proptest! {
    #[test]
    fn decoding_never_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        len in 0_usize..4200,
    ) {
        let mut bytes = bytes;
        bytes.resize(len, 0);
        if let Ok(id) = IdentifyNamespace::decode(&bytes) {
            let _ = (id.lba_format(), id.lba_formats().count(), id.nows_blocks(), id.npdg_blocks());
            let _ = format!("{id:?}");
        }
        if let Ok(id) = IdentifyController::decode(&bytes) {
            let _ = format!("{id:?} {:?}", id.oncs().names());
        }
        let _ = IdentifyNvmController::decode(&bytes).map(IdentifyNvmController::version);
    }
}
