use super::identify::*;
use super::tests::pm9d3;
use crate::wire::WireError;

#[test]
fn the_format_in_use_is_found_among_64() {
    let id = pm9d3(&[]);
    let format = IdentifyNamespace::decode(&id)
        .unwrap()
        .lba_format()
        .unwrap();
    assert_eq!(
        format,
        LbaFormat {
            index: 0,
            ms: 0,
            lbads: 9,
            rp: 2
        }
    );
    let id = pm9d3(&[(26, &[0x11])]);
    let format = IdentifyNamespace::decode(&id)
        .unwrap()
        .lba_format()
        .unwrap();
    assert_eq!(
        (format.index, format.data_size(), format.rp),
        (1, Some(4096), 1)
    );

    // 64 formats, the last in use: lower bits 1111b, upper bits 11b.
    let last = [8, 0, 12, 3];
    let id = pm9d3(&[(25, &[63, 0x6f]), (380, &last)]);
    let id = IdentifyNamespace::decode(&id).unwrap();
    assert_eq!(
        id.lba_format().unwrap(),
        LbaFormat {
            index: 63,
            ms: 8,
            lbads: 12,
            rp: 3
        }
    );
    assert_eq!(id.lba_formats().count(), 64);
    // Unique attribute formats (NULBAF) are counted too.
    let id = pm9d3(&[(25, &[15, 0x20]), (82, &[1]), (192, &last)]);
    assert_eq!(
        IdentifyNamespace::decode(&id)
            .unwrap()
            .lba_format()
            .unwrap()
            .index,
        16
    );
    // Up to 16 formats, the upper bits are to be ignored.
    let id = pm9d3(&[(25, &[1, 0x61])]);
    assert_eq!(
        IdentifyNamespace::decode(&id)
            .unwrap()
            .lba_format()
            .unwrap()
            .index,
        1
    );
}

#[test]
fn formats_that_cannot_be_in_use_are_malformed() {
    let field = |bytes: &[u8]| match IdentifyNamespace::decode(bytes).unwrap().lba_format() {
        Err(WireError::Malformed { field, found, .. }) => (field, found),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        field(&pm9d3(&[(26, &[0x02])])),
        ("FLBAS", 2),
        "beyond NLBAF"
    );
    assert_eq!(field(&pm9d3(&[(130, &[8])])), ("LBADS", 8));
    assert_eq!(field(&pm9d3(&[(130, &[0])])), ("LBADS", 0));
    assert_eq!(field(&pm9d3(&[(130, &[64])])), ("LBADS", 64));
    let all = (0..=255).map(|lbads| {
        LbaFormat {
            index: 0,
            ms: 0,
            lbads,
            rp: 0,
        }
        .data_size()
    });
    assert_eq!(all.flatten().count(), 55, "9 to 63");
}

#[test]
fn optperf_decides_which_granularities_count() {
    let with = |nsfeat: u8, raw: u8| {
        let raws = [raw, 0].repeat(5);
        let id = pm9d3(&[(24, &[nsfeat]), (64, &raws)]);
        let id = IdentifyNamespace::decode(&id).unwrap();
        let all = [
            id.npwg_blocks(),
            id.npwa_blocks(),
            id.npdg_blocks(),
            id.npda_blocks(),
        ];
        (id.nsfeat().optperf(), all, id.nows_blocks())
    };
    let (none, one) = (Granularity::NotReported, Granularity::Blocks(1));
    assert_eq!(
        with(0x00, 0),
        (0, [none; 4], none),
        "a 0 without OPTPERF is not one block"
    );
    assert_eq!(with(0x10, 0), (1, [one; 4], one));
    assert_eq!(
        with(0x20, 0),
        (2, [one, one, none, one], one),
        "10b leaves NPDG to NPDGL"
    );
    assert_eq!(with(0x30, 0), (3, [one; 4], one));
    assert_eq!(with(0xcf, 0).0, 0, "neighbours of the field do not count");
    assert_eq!(with(0x10, 31).2.blocks(), Some(32));
    let (_, odd, nows) = with(0x00, 7);
    assert!(
        odd.iter()
            .all(|g| matches!(g, Granularity::Odd { raw: 7, .. })),
        "{odd:?}"
    );
    assert_eq!(nows.blocks(), None);
    assert!(
        matches!(with(0x20, 7).1[2], Granularity::Odd { raw: 7, why } if why.contains("NPDGL"))
    );
    let full = Granularity::Blocks(65536);
    let id = pm9d3(&[(72, &[0xff, 0xff])]);
    assert_eq!(IdentifyNamespace::decode(&id).unwrap().nows_blocks(), full);
}

#[test]
fn each_granularity_reads_its_own_field() {
    let id = pm9d3(&[(64, &[1, 0, 2, 0, 3, 0, 4, 0, 5, 0])]);
    let id = IdentifyNamespace::decode(&id).unwrap();
    let all = [
        id.npwg_blocks(),
        id.npwa_blocks(),
        id.npdg_blocks(),
        id.npda_blocks(),
        id.nows_blocks(),
    ];
    assert_eq!(all.map(|g| g.blocks().unwrap()), [2, 3, 4, 5, 6]);
}
