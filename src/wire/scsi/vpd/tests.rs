use proptest::prelude::*;

use super::super::tests::recorded;
use super::*;
use crate::wire::WireField;

/// A page with this body.
pub(super) fn made(code: u8, body: &[u8]) -> Vec<u8> {
    let [hi, lo] = u16::try_from(body.len()).unwrap().to_be_bytes();
    [&[0, code, hi, lo], body].concat()
}

/// A page whose byte at offset n is n, from byte 4 on.
fn ramp(code: u8, len: u8) -> Vec<u8> {
    made(code, &(4..len).collect::<Vec<_>>())
}

#[test]
fn a_page_is_checked_before_it_is_believed() {
    let bytes = made(0xb0, &[1, 2, 3]);
    let good = page(0xb0, &bytes).unwrap();
    assert_eq!(
        (good.body(), good.page_length, good.findings.len()),
        (&[1, 2, 3][..], 3, 0)
    );
    assert_eq!(
        page(0xb0, &bytes[..3]),
        Err(PageError::Short { have: 3, need: 4 })
    );
    assert_eq!(
        page(0xb1, &bytes),
        Err(PageError::WrongPage {
            expected: 0xb1,
            got: 0xb0
        })
    );
    assert_eq!(
        page(0xb0, &bytes[..6]),
        Err(PageError::LengthLies { said: 7, have: 6 })
    );
    let padded = [&bytes[..], &[0; 9]].concat();
    let padded = page(0xb0, &padded).unwrap();
    assert_eq!(padded.bytes, bytes);
    assert_eq!(padded.findings, [PageFinding::Padded { said: 7, have: 16 }]);
    let cut = page_transfer(0xb0, &bytes[..6], 6).unwrap();
    assert_eq!((cut.bytes, cut.page_length), (&bytes[..6], 3));
    assert_eq!(cut.findings, [PageFinding::Truncated { said: 7, have: 6 }]);
    let unusual = [0xb4, 0xb0, 0, 0];
    let zoned = page(0xb0, &unusual).unwrap();
    assert_eq!(
        (zoned.peripheral_qualifier(), zoned.device_type()),
        (5, 0x14)
    );
    assert_eq!(
        page(0x83, &[0xff; 64]),
        Err(PageError::WrongPage {
            expected: 0x83,
            got: 0xff
        })
    );
}

#[test]
fn standard_inquiry_in_place_of_a_page_is_recognised() {
    // A virtual floppy that ignores EVPD, as reported for page 83h.
    let mut floppy = vec![0x00, 0x80, 0x00, 0x01, 0x1f, 0x00, 0x00, 0x00];
    floppy.extend(b"Dell    Virtual  Floppy ");
    for code in [0x00, 0x80, 0x83, 0xb0] {
        let expected = PageError::StandardInquiry { expected: code };
        assert_eq!(page(code, &floppy), Err(expected), "{code:#x}");
    }
    let mut disk = vec![0x00, 0x00, 0x07, 0x02, 0x5b, 0x00, 0x10, 0x0a];
    disk.extend(b"Linux   scsi_debug      0191");
    assert_eq!(
        page(0xb2, &disk),
        Err(PageError::StandardInquiry { expected: 0xb2 })
    );
    assert_eq!(
        page(0x00, &disk),
        Err(PageError::StandardInquiry { expected: 0x00 })
    );
    assert_eq!(
        page(0xb2, &disk).unwrap_err().to_string(),
        "VPD page: expected page code 0xb2, found standard INQUIRY data"
    );
}

#[test]
fn every_field_of_block_limits_lies_where_the_table_says() {
    let bytes = ramp(0xb0, 64);
    let Decoded { value, findings } = BlockLimits::decode(&bytes).unwrap();
    assert!(findings.is_empty());
    assert_eq!((value.page_bytes(), value.page_length()), (64, Some(60)));
    assert_eq!(value.wsnz(), Some(false), "bit 0 of 04h");
    assert_eq!(value.maximum_compare_and_write_length(), Some(5));
    assert_eq!(value.optimal_transfer_length_granularity(), Some(0x0607));
    assert_eq!(value.maximum_transfer_length(), Some(0x0809_0a0b));
    assert_eq!(value.optimal_transfer_length(), Some(0x0c0d_0e0f));
    assert_eq!(value.maximum_prefetch_length(), Some(0x1011_1213));
    assert_eq!(value.maximum_unmap_lba_count(), Some(0x1415_1617));
    assert_eq!(
        value.maximum_unmap_block_descriptor_count(),
        Some(0x1819_1a1b)
    );
    assert_eq!(value.optimal_unmap_granularity(), Some(0x1c1d_1e1f));
    assert_eq!(value.ugavalid(), Some(false));
    assert_eq!(value.unmap_granularity_alignment(), Some(0x2021_2223));
    assert_eq!(
        value.maximum_write_same_length(),
        Some(0x2425_2627_2829_2a2b)
    );
    assert_eq!(value.maximum_atomic_transfer_length(), Some(0x2c2d_2e2f));
    assert_eq!(value.atomic_alignment(), Some(0x3031_3233));
    assert_eq!(
        value.atomic_transfer_length_granularity(),
        Some(0x3435_3637)
    );
    let boundary = value.maximum_atomic_transfer_length_with_atomic_boundary();
    assert_eq!(boundary, Some(0x3839_3a3b));
    assert_eq!(value.maximum_atomic_boundary_size(), Some(0x3c3d_3e3f));

    let mut flags = bytes;
    flags[4] = 0x01;
    flags[32] = 0x80;
    let value = BlockLimits::decode(&flags).unwrap().value;
    assert_eq!((value.wsnz(), value.ugavalid()), (Some(true), Some(true)));
    assert_eq!(value.unmap_granularity_alignment(), Some(0x0021_2223));
}

#[test]
fn what_a_short_block_limits_page_does_not_reach_is_unknown() {
    // LIO's fileio: 44 bytes, so it ends with MAXIMUM WRITE SAME LENGTH.
    let Decoded { value, findings } = BlockLimits::decode(&ramp(0xb0, 44)).unwrap();
    assert_eq!(
        findings,
        [PageFinding::Shorter {
            have: 44,
            standard: 64
        }]
    );
    assert_eq!(value.page_bytes(), 44);
    assert!(value.maximum_write_same_length().is_some());
    assert_eq!(value.maximum_atomic_transfer_length(), None);
    // SBC-2: 16 bytes. One byte less of MAXIMUM WRITE SAME LENGTH makes it unknown as well.
    let value = BlockLimits::decode(&ramp(0xb0, 16)).unwrap().value;
    assert!(value.optimal_transfer_length().is_some());
    assert_eq!(
        (value.maximum_unmap_lba_count(), value.ugavalid()),
        (None, None)
    );
    let value = BlockLimits::decode(&ramp(0xb0, 43)).unwrap().value;
    assert_eq!(value.maximum_write_same_length(), None);
    // Padding behind the page is not the page.
    let padded = [&ramp(0xb0, 16)[..], &[0; 48]].concat();
    assert_eq!(
        BlockLimits::decode(&padded)
            .unwrap()
            .value
            .maximum_write_same_length(),
        None
    );
    let longer = BlockLimits::decode(&ramp(0xb0, 66)).unwrap();
    assert_eq!(
        longer.findings,
        [PageFinding::Longer {
            have: 66,
            standard: 64
        }]
    );
    let place = WireField::find(BlockLimits::FIELDS, "MAXIMUM WRITE SAME LENGTH").unwrap();
    assert_eq!((place.offset, place.len), (36, 8));
}

#[test]
fn block_characteristics_fields() {
    let mut bytes = ramp(0xb1, 64);
    bytes[4..9].copy_from_slice(&[0x1c, 0x20, 0x05, 0b1001_0011, 0b0001_0010]);
    let value = BlockCharacteristics::decode(&bytes).unwrap().value;
    assert_eq!(
        (value.medium_rotation_rate(), value.product_type()),
        (Some(7200), Some(5))
    );
    let form = value.nominal_form_factor();
    assert_eq!(
        (value.wabereq(), value.wacereq(), form),
        (Some(2), Some(1), Some(3))
    );
    assert_eq!((value.zoned(), value.bocs()), (Some(1), Some(false)));
    assert_eq!((value.fuab(), value.vbuls()), (Some(true), Some(false)));
    assert_eq!(value.depopulation_time(), Some(0x0c0d_0e0f));
    bytes[8] = 0b0010_0101;
    let value = BlockCharacteristics::decode(&bytes).unwrap().value;
    assert_eq!((value.zoned(), value.bocs()), (Some(2), Some(true)));
    assert_eq!((value.fuab(), value.vbuls()), (Some(false), Some(true)));
    let short = BlockCharacteristics::decode(&ramp(0xb1, 8)).unwrap().value;
    assert_eq!((short.zoned(), short.depopulation_time()), (None, None));
}

#[test]
fn provisioning_fields() {
    let with = |byte5, byte6| {
        let bytes = made(0xb2, &[3, byte5, byte6, 80]);
        LogicalBlockProvisioning::decode(&bytes).unwrap().value
    };
    let flags = |value: &LogicalBlockProvisioning| {
        [
            value.lbpu(),
            value.lbpws(),
            value.lbpws10(),
            value.anc_sup(),
            value.dp(),
        ]
        .map(Option::unwrap)
    };
    for (byte, expected) in [
        (0x80, [true, false, false, false, false]),
        (0x40, [false, true, false, false, false]),
        (0x20, [false, false, true, false, false]),
        (0x02, [false, false, false, true, false]),
        (0x01, [false, false, false, false, true]),
    ] {
        let value = with(byte, 0);
        assert_eq!(
            (flags(&value), value.lbprz()),
            (expected, Some(0)),
            "{byte:#x}"
        );
    }
    for lbprz in 0..8 {
        let value = with(lbprz * 4, 0);
        assert_eq!((flags(&value), value.lbprz()), ([false; 5], Some(lbprz)));
    }
    let value = with(0xe4, 0b0101_0010);
    assert_eq!(
        (value.threshold_exponent(), value.threshold_percentage()),
        (Some(3), Some(80))
    );
    assert_eq!(value.minimum_percentage(), Some(10));
    assert_eq!(value.provisioning_type(), Some(ProvisioningType::Thin));
    let types = [0, 1, 3, 7].map(|byte| with(0, byte).provisioning_type().unwrap().to_string());
    assert_eq!(types, ["not-reported", "resource", "reserved", "reserved"]);
    let short = LogicalBlockProvisioning::decode(&made(0xb2, &[0, 0x80])).unwrap();
    assert_eq!(
        (short.value.lbpu(), short.value.provisioning_type()),
        (Some(true), None)
    );
    assert_eq!(
        short.findings,
        [PageFinding::Shorter {
            have: 6,
            standard: 8
        }]
    );
}

#[test]
fn recorded_pages_decode() {
    let Some(blocks) = recorded("vpd_sdeb.hex") else {
        return;
    };
    let of = |code: u8| blocks.iter().find(|block| block[1] == code).unwrap();
    let pages = SupportedPages::decode(of(0x00)).unwrap().value;
    assert!(pages.contains(0xb2) && !pages.contains(0xb7));
    assert_eq!(UnitSerial::decode(of(0x80)).unwrap().value.text(), "2000");
    let value = DeviceIdentification::decode(of(0x83)).unwrap().value;
    let naa = value.of_unit(DesignatorKind::Naa).next().unwrap();
    assert_eq!(
        (value.designators.len(), naa.text()),
        (7, "33333330000007d0".to_owned())
    );
    let name = value.designators.last().unwrap();
    assert_eq!(
        (name.kind, name.text()),
        (DesignatorKind::ScsiName, "naa.32222220000007CD".to_owned())
    );
    let ata = AtaInformation::decode(of(0x89)).unwrap().value;
    assert_eq!(
        (ata.trim(), ata.model().as_deref()),
        (Some(false), Some("ST380013AS"))
    );
    let limits = BlockLimits::decode(of(0xb0)).unwrap().value;
    assert_eq!(limits.maximum_write_same_length(), Some(0xffff));
    let characteristics = BlockCharacteristics::decode(of(0xb1)).unwrap().value;
    assert_eq!(characteristics.medium_rotation_rate(), Some(1));
    assert_eq!(
        LogicalBlockProvisioning::decode(of(0xb2))
            .unwrap()
            .value
            .lbpws(),
        Some(false)
    );
}

#[test]
fn recorded_single_pages_decode() {
    if let Some(blocks) = recorded("vpd_bl.hex") {
        let Decoded { value, findings } = BlockLimits::decode(&blocks[0]).unwrap();
        assert_eq!(
            findings,
            [PageFinding::Longer {
                have: 66,
                standard: 64
            }]
        );
        assert_eq!(value.maximum_unmap_lba_count(), Some(393_216));
        assert_eq!(value.maximum_unmap_block_descriptor_count(), Some(512));
        assert_eq!(value.optimal_unmap_granularity(), Some(8));
    }
    if let Some(blocks) = recorded("vpd_lbpv.hex") {
        let Decoded { value, findings } = LogicalBlockProvisioning::decode(&blocks[0]).unwrap();
        assert_eq!(
            (value.dp(), value.lbpu(), findings.len()),
            (Some(true), Some(false), 0)
        );
        let group = LogicalBlockProvisioning::provisioning_group(&blocks[0])
            .unwrap()
            .unwrap();
        assert_eq!(group.text(), "5122334455667788");
    }
}

proptest! {
    #[test]
    fn decoding_never_panics(
        code in prop::sample::select(vec![0x00_u8, 0x80, 0x83, 0x89, 0xb0, 0xb1, 0xb2]),
        length in prop::option::of(any::<u16>()),
        body in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let mut bytes = made(code, &body);
        if let Some(length) = length {
            bytes[2..4].copy_from_slice(&length.to_be_bytes());
        }
        let _ = SupportedPages::decode(&bytes);
        let _ = UnitSerial::decode(&bytes).map(|page| page.value.text());
        if let Ok(page) = DeviceIdentification::decode(&bytes) {
            let _ = page.value.designators.iter().map(Designator::text).count();
        }
        if let Ok(page) = AtaInformation::decode(&bytes) {
            let _ = (page.value.model(), page.value.trim(), page.value.word(usize::MAX));
        }
        let _ = BlockLimits::decode(&bytes).map(|page| page.value.unmap_granularity_alignment());
        let _ = BlockCharacteristics::decode(&bytes);
        let _ = LogicalBlockProvisioning::decode(&bytes);
        let _ = LogicalBlockProvisioning::provisioning_group(&bytes);
        let _ = page_transfer(code, &bytes, bytes.len());
    }
}
