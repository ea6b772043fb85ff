use std::path::Path;

use proptest::prelude::*;

use super::capacity::ReadCapacity16;
use super::cdb::ReadCdb;
use super::inquiry::StandardInquiry;
use super::lba_status::{LbaStatus, ProvisioningStatus};
use super::opcodes::{OneCommand, Support};
use crate::wire::{WireError, WireField};

/// The blocks of bytes in a recorded hex file, which blank lines and comments separate; `None`,
/// with the reason printed, where the recordings are not there.
pub(super) fn recorded(name: &str) -> Option<Vec<Vec<u8>>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/hosts/sg3_utils")
        .join(name);
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: no recorded answers at {}", file.display());
        return None;
    };
    let mut blocks = vec![Vec::new()];
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        if line.trim().is_empty() && !blocks.last().unwrap().is_empty() {
            blocks.push(Vec::new());
        }
        let bytes = line
            .split_whitespace()
            .map(|hex| u8::from_str_radix(hex, 16).unwrap());
        blocks.last_mut().unwrap().extend(bytes);
    }
    blocks.retain(|block| !block.is_empty());
    Some(blocks)
}

#[test]
fn read_commands_are_laid_out_as_the_standards_say() {
    let told = [
        (ReadCdb::inquiry(36), "INQUIRY", "12 00 00 00 24 00", 36),
        (
            ReadCdb::vpd(0xb2, 0x1234),
            "INQUIRY (VPD)",
            "12 01 b2 12 34 00",
            0x1234,
        ),
        (
            ReadCdb::read_capacity_10(),
            "READ CAPACITY (10)",
            "25 00 00 00 00 00 00 00 00 00",
            8,
        ),
        (
            ReadCdb::read_capacity_16(32),
            "READ CAPACITY (16)",
            "9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00",
            32,
        ),
        (
            ReadCdb::report_opcode(0x93, None, 512),
            "REPORT SUPPORTED OPERATION CODES",
            "a3 0c 01 93 00 00 00 00 02 00 00 00",
            512,
        ),
        (
            ReadCdb::report_opcode(0x9e, Some(0x12), 64),
            "REPORT SUPPORTED OPERATION CODES",
            "a3 0c 02 9e 00 12 00 00 00 40 00 00",
            64,
        ),
        (
            ReadCdb::report_opcode_either(0x42, 0, 64),
            "REPORT SUPPORTED OPERATION CODES",
            "a3 0c 03 42 00 00 00 00 00 40 00 00",
            64,
        ),
        (
            ReadCdb::get_lba_status(0x0102_0304_0506_0708, 0x1000),
            "GET LBA STATUS (16)",
            "9e 12 01 02 03 04 05 06 07 08 00 00 10 00 00 00",
            0x1000,
        ),
    ];
    for (cdb, name, hex, len) in told {
        assert_eq!(
            (cdb.name(), cdb.to_string().as_str(), cdb.transfer_len()),
            (name, hex, len)
        );
        assert_eq!(ReadCdb::parse(cdb.bytes()), Some(cdb));
    }
}

#[test]
fn parse_refuses_whatever_no_constructor_makes() {
    let refused: &[&[u8]] = &[
        &[],
        &[0x12, 0, 0, 0, 36],
        &[0x12, 0, 0, 0, 36, 0, 0],
        &[0x12, 0, 0xb0, 0, 36, 0],
        &[0x12, 2, 0, 0, 36, 0],
        &[0x12, 1, 0xb0, 0, 36, 1],
        // UNMAP, WRITE SAME (10), WRITE (10), START STOP UNIT.
        &[0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0],
        &[0x41, 8, 0, 0, 0, 0, 0, 0, 1, 0],
        &[0x2a, 0, 0, 0, 0, 0, 0, 0, 1, 0],
        &[0x1b, 0, 0, 0, 0, 0],
        // WRITE SAME (16), READ LONG (16), REPORT SUPPORTED OPERATION CODES of all commands.
        &[0x93, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
        &[0x9e, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
        &[0xa3, 0x0c, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0],
        // MAINTENANCE OUT, and a block longer than any.
        &[0xa4, 0x0c, 1, 0x93, 0, 0, 0, 0, 2, 0, 0, 0],
        &[0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0],
        &[0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 32, 0, 0],
    ];
    for cdb in refused {
        assert_eq!(ReadCdb::parse(cdb), None, "{cdb:02x?}");
    }
}

fn inquiry() -> Vec<u8> {
    let mut bytes = vec![0x34, 0x80, 0x07, 0x02, 0x5b, 0x29, 0x10, 0x0a];
    bytes.extend(b"Linux   scsi_debug      0191");
    bytes.resize(96, 0);
    bytes[58..64].copy_from_slice(&[0, 0xc0, 0x05, 0xc0, 0x06, 0x00]);
    bytes
}

#[test]
fn standard_inquiry_fields() {
    let id = StandardInquiry::decode(&inquiry()).unwrap();
    assert_eq!(
        (id.peripheral_qualifier(), id.device_type(), id.rmb()),
        (1, 0x14, true)
    );
    assert_eq!(
        (
            id.version(),
            id.response_data_format(),
            id.additional_length()
        ),
        (7, 2, 0x5b)
    );
    assert_eq!(
        (id.protect(), id.third_party_copy(), id.tpgs(), id.cmdque()),
        (true, true, 2, true)
    );
    assert_eq!(
        (id.vendor(), id.product(), id.revision()),
        (b"Linux   ", b"scsi_debug      ", b"0191")
    );
    assert_eq!(id.version_descriptors(), [0x00c0, 0x05c0, 0x0600]);
    let short = StandardInquiry::decode(&inquiry()[..61]).unwrap();
    assert_eq!(
        short.version_descriptors(),
        [0x00c0],
        "half a descriptor does not count"
    );
    assert!(matches!(
        StandardInquiry::decode(&inquiry()[..35]),
        Err(WireError::Short {
            need: 36,
            have: 35,
            ..
        })
    ));
    assert!(matches!(
        StandardInquiry::decode(&[0xff; 36]),
        Err(WireError::AllOnes { .. })
    ));
    let mut lies = inquiry();
    lies[4] = 0x1f;
    assert_eq!(
        StandardInquiry::decode(&lies)
            .unwrap()
            .version_descriptors(),
        [0; 0]
    );
    let place = WireField::find(StandardInquiry::FIELDS, "VERSION DESCRIPTOR").unwrap();
    assert_eq!((place.offset, place.len), (58, 16));
}

#[test]
fn read_capacity_16_fields() {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&[
        0, 0, 0, 9, 0x18, 0x5f, 1, 2, 0, 0, 2, 0, 0x15, 0xa3, 0x81, 0x02,
    ]);
    let data = ReadCapacity16::decode(&bytes).unwrap();
    assert_eq!(
        (data.last_lba(), data.block_length()),
        (0x0009_185f_0102, 512)
    );
    assert_eq!(
        (data.rc_basis(), data.p_type(), data.prot_en()),
        (1, 2, true)
    );
    assert_eq!((data.p_i_exponent(), data.lbppbe()), (10, 3));
    assert_eq!(
        (data.lbpme(), data.lbprz(), data.lowest_aligned_lba()),
        (true, false, 0x0102)
    );
    bytes[14] = 0x7f;
    bytes[12] = 0x2a;
    let data = ReadCapacity16::decode(&bytes).unwrap();
    assert_eq!(
        (data.lbpme(), data.lbprz(), data.lowest_aligned_lba()),
        (false, true, 0x3f02)
    );
    assert_eq!(
        (data.rc_basis(), data.p_type(), data.prot_en()),
        (2, 5, false)
    );
    assert!(ReadCapacity16::decode(&bytes[..15]).is_err());
    assert!(ReadCapacity16::decode(&[0xff; 32]).is_err());
}

#[test]
fn one_command_support() {
    let support = |byte| OneCommand::decode(&[0, byte, 0, 0]).unwrap().support();
    let all = [0, 1, 2, 3, 4, 5, 6, 7].map(support);
    let reserved = Support::Reserved;
    let (standard, vendor) = (Support::Standard, Support::VendorSpecific);
    let (absent, no) = (Support::NotAvailable, Support::NotSupported);
    assert_eq!(
        all,
        [
            absent,
            no,
            reserved(2),
            standard,
            reserved(4),
            vendor,
            reserved(6),
            reserved(7)
        ]
    );
    assert_eq!(
        support(0xfb),
        Support::Standard,
        "CTDP and CDLP are not part of it"
    );

    let write_same = [
        0, 0x83, 0, 16, 0x93, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0x3f, 0xc7,
    ];
    let data = OneCommand::decode(&write_same).unwrap();
    assert_eq!(
        (data.ctdp(), data.cdb_size(), data.usage().len()),
        (true, 16, 16)
    );
    assert_eq!(
        (data.usage_byte(0), data.usage_byte(15), data.usage_byte(16)),
        (Some(0x93), Some(0xc7), None)
    );
    let cut = OneCommand::decode(&write_same[..10]).unwrap();
    assert_eq!(
        (cut.cdb_size(), cut.usage_byte(5), cut.usage_byte(6)),
        (16, Some(0xff), None)
    );
    let no = OneCommand::decode(&[0, 1, 0, 16, 9, 9]).unwrap();
    assert!(no.usage().is_empty());
    assert!(OneCommand::decode(&[0, 3, 0]).is_err());
}

#[test]
fn lba_status_descriptors() {
    let mut bytes = vec![0, 0, 0, 36, 0, 0, 0, 7];
    bytes.extend([0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0x44, 0x31, 9, 0, 0]);
    bytes.extend([0, 0, 0, 0, 1, 2, 3, 5, 0, 0, 0, 0x33, 0x02, 0, 0, 0]);
    let status = LbaStatus::decode(&bytes).unwrap();
    assert_eq!(
        (status.completion_condition, status.rtp, status.truncated),
        (3, true, false)
    );
    let [first, second] = &status.descriptors[..] else {
        panic!("{status:?}")
    };
    assert_eq!(
        (first.lba(), first.blocks(), first.additional_status()),
        (0x0102_0304, 0x44, 9)
    );
    assert_eq!(first.provisioning_status(), ProvisioningStatus::Deallocated);
    assert_eq!(second.provisioning_status(), ProvisioningStatus::Anchored);
    let cut = LbaStatus::decode(&bytes[..39]).unwrap();
    assert_eq!((cut.descriptors.len(), cut.truncated), (1, true));
    assert!(LbaStatus::decode(&[0, 0, 0, 3, 0, 0, 0, 0]).is_err());
    assert!(LbaStatus::decode(&bytes[..7]).is_err());
}

#[test]
fn recorded_answers_decode() {
    if let Some(blocks) = recorded("inq_standard.hex") {
        let id = StandardInquiry::decode(&blocks[0]).unwrap();
        assert_eq!(
            (id.version(), id.cmdque(), id.product()),
            (7, true, b"scsi_debug      ")
        );
        assert_eq!(id.version_descriptors(), [0x00c0, 0x05c0, 0x0600, 0x2100]);
    }
    if let Some(blocks) = recorded("readcap_zbc.hex") {
        let data = ReadCapacity16::decode(&blocks[0]).unwrap();
        assert_eq!(
            (data.last_lba(), data.block_length()),
            (0x0009_185f_ffff, 512)
        );
        assert_eq!(
            (data.lbppbe(), data.lbpme(), data.rc_basis()),
            (3, false, 0)
        );
    }
    if let Some(blocks) = recorded("get_lba_status.hex") {
        let status = LbaStatus::decode(&blocks.concat()).unwrap();
        assert_eq!(
            (status.descriptors.len(), status.completion_condition),
            (3, 3)
        );
        let third = &status.descriptors[2];
        assert_eq!(
            (third.lba(), third.blocks(), third.additional_status()),
            (0x1122_3344, 0x33, 1)
        );
        assert_eq!(third.provisioning_status(), ProvisioningStatus::Deallocated);
    }
}

proptest! {
    #[test]
    fn decoding_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = StandardInquiry::decode(&bytes).map(|id| id.version_descriptors());
        let _ = ReadCapacity16::decode(&bytes);
        let _ = OneCommand::decode(&bytes);
        let _ = LbaStatus::decode(&bytes);
        if let Some(cdb) = ReadCdb::parse(&bytes) {
            prop_assert_eq!(cdb.bytes(), &bytes[..]);
        }
    }

    #[test]
    fn parse_is_the_inverse_of_every_constructor(a: u8, b: u16, c: u32, d: u64, sa: Option<u16>) {
        for cdb in [
            ReadCdb::inquiry(b),
            ReadCdb::vpd(a, b),
            ReadCdb::read_capacity_16(c),
            ReadCdb::report_opcode(a, sa, c),
            ReadCdb::report_opcode_either(a, b, c),
            ReadCdb::get_lba_status(d, c),
        ] {
            prop_assert_eq!(ReadCdb::parse(cdb.bytes()), Some(cdb));
        }
    }
}
