use super::tests::made;
use super::*;

#[test]
fn designators_are_told_apart_and_their_lengths_checked() {
    let body = [
        &[0x01, 0x03, 0, 8, 0x50, 0, 0xc5, 0, 1, 2, 3, 4][..],
        &[0x61, 0x93, 0, 8, 0x32, 0x22, 0x22, 0x20, 0, 0, 7, 0xce],
        &[0x02, 0x21, 0, 4, b'A', b'B', b' ', b' '],
        &[0x01, 0x02, 0, 0],
    ]
    .concat();
    let value = DeviceIdentification::decode(&made(0x83, &body))
        .unwrap()
        .value;
    let [naa, port, t10, empty] = &value.designators[..] else {
        panic!("{value:?}")
    };
    assert_eq!(
        (naa.kind, naa.association),
        (DesignatorKind::Naa, Association::LogicalUnit)
    );
    assert_eq!(
        (naa.text().as_str(), naa.protocol),
        ("5000c50001020304", None)
    );
    assert_eq!(
        (port.association, port.protocol),
        (Association::TargetPort, Some(6))
    );
    assert_eq!(
        (t10.kind, t10.text()),
        (DesignatorKind::T10, "AB".to_owned())
    );
    assert_eq!(
        (t10.association, t10.code_set),
        (Association::TargetDevice, 2)
    );
    assert_eq!((empty.kind, empty.value.len()), (DesignatorKind::Eui64, 0));
    assert_eq!(value.of_unit(DesignatorKind::Naa).count(), 1);

    let mut lies = body.clone();
    lies[15] = 0xff;
    assert_eq!(
        DeviceIdentification::decode(&made(0x83, &lies)),
        Err(PageError::Malformed {
            code: 0x83,
            what: "designation descriptor",
            at: 16,
            need: 259,
            have: 24,
        })
    );
    let stub = made(0x83, &[&body[..], &[1, 3]].concat());
    assert!(matches!(
        DeviceIdentification::decode(&stub),
        Err(PageError::Malformed {
            at: 40,
            need: 4,
            have: 2,
            ..
        })
    ));
}

#[test]
fn ata_information_fields() {
    let mut bytes = made(0x89, &[0; 568]);
    bytes[8..36].copy_from_slice(b"LSI     LSI SATL        0008");
    bytes[36] = 0x34;
    bytes[56] = 0xec;
    let word = |n: usize| 60 + 2 * n;
    bytes[word(10)..word(20)].copy_from_slice(b"3SZ8XN0M            ");
    bytes[word(23)..word(27)].copy_from_slice(b"MEBT20B6");
    bytes[word(27)..word(30)].copy_from_slice(b"aSsmnu");
    bytes[word(69) + 1] = 0x40;
    bytes[word(105)] = 8;
    bytes[word(169)] = 1;
    let value = AtaInformation::decode(&bytes).unwrap().value;
    assert_eq!(
        (value.sat_vendor(), value.sat_revision()),
        (Some(*b"LSI     "), Some(*b"0008"))
    );
    assert_eq!(value.sat_product(), Some(*b"LSI SATL        "));
    assert_eq!(
        (value.signature().unwrap()[0], value.command_code()),
        (0x34, Some(0xec))
    );
    assert_eq!(value.serial().as_deref(), Some("S38ZNXM0"));
    assert_eq!(value.firmware().as_deref(), Some("EMTB026B"));
    assert_eq!(value.model().as_deref(), Some("Samsun"));
    assert_eq!(
        (value.trim(), value.drat(), value.rzat()),
        (Some(true), Some(true), Some(false))
    );
    assert_eq!((value.dsm_blocks(), value.word(256)), (Some(8), None));
    bytes[word(69)..word(70)].copy_from_slice(&[0x20, 0]);
    let value = AtaInformation::decode(&bytes).unwrap().value;
    assert_eq!((value.drat(), value.rzat()), (Some(false), Some(true)));
    // A page that ends within IDENTIFY data: the words behind its end are unknown.
    let short = AtaInformation::decode(&made(0x89, &bytes[4..word(70)])).unwrap();
    assert_eq!((short.value.rzat(), short.value.trim()), (Some(true), None));
    assert_eq!(short.value.model().as_deref(), Some("Samsun"));
    assert_eq!(short.findings.len(), 1);
}

#[test]
fn a_serial_number_of_17_characters_is_no_inquiry() {
    for len in [1, 2, 17, 18, 33, 34] {
        let serial = made(0x80, &b"S3Z8NX0M123456789ABCDEFGHIJKLMNOPQRST"[..len]);
        assert!(UnitSerial::decode(&serial).is_ok(), "{len}");
        let padded = [&serial[..], &[0; 64]].concat();
        assert_eq!(
            UnitSerial::decode(&padded).unwrap().findings.len(),
            1,
            "{len}"
        );
    }
}
