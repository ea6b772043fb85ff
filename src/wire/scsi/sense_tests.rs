use proptest::prelude::*;

use super::sense::{FieldPointer, Sense};
use crate::wire::WireError;

#[test]
fn fixed_sense() {
    let mut bytes = [0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0];
    let sense = Sense::decode(&bytes).unwrap();
    assert_eq!(
        sense.to_string(),
        "ILLEGAL REQUEST, Invalid command operation code (0x20/0x00)"
    );
    assert_eq!(
        (sense.key(), sense.asc(), sense.ascq()),
        (5, Some(0x20), Some(0))
    );
    assert_eq!(
        (sense.deferred(), sense.information(), sense.field_pointer()),
        (false, None, None)
    );
    bytes[0] = 0xf1;
    bytes[2] = 0xe5;
    bytes[3..7].copy_from_slice(&[0x11, 0x22, 0x33, 0x44]);
    bytes[12] = 0x24;
    bytes[15..].copy_from_slice(&[0xcb, 0, 1]);
    let sense = Sense::decode(&bytes).unwrap();
    assert_eq!(
        (sense.deferred(), sense.information(), sense.key()),
        (true, Some(0x1122_3344), 5)
    );
    let pointer = FieldPointer {
        in_cdb: true,
        bit: Some(3),
        byte: 1,
    };
    assert_eq!(sense.field_pointer(), Some(pointer));
    assert_eq!(
        sense.to_string(),
        "ILLEGAL REQUEST, Invalid field in CDB (0x24/0x00) (deferred)"
    );
    // ADDITIONAL SENSE LENGTH ends before ASC: what lies there is not the device's word.
    bytes[7] = 4;
    let sense = Sense::decode(&bytes).unwrap();
    assert_eq!(
        (sense.asc(), sense.ascq(), sense.field_pointer()),
        (None, None, None)
    );
    assert_eq!(sense.to_string(), "ILLEGAL REQUEST (deferred)");
    let sense = Sense::decode(&bytes[..3]).unwrap();
    assert_eq!((sense.key_name(), sense.asc()), ("ILLEGAL REQUEST", None));
}

#[test]
fn descriptor_sense() {
    let bytes = [
        0x72, 0x03, 0x11, 0x00, 0, 0, 0, 20, // header: MEDIUM ERROR, 20 bytes follow
        0x00, 0x0a, 0x80, 0, 0, 0, 0, 1, 2, 3, 4, 5, // information
        0x02, 0x06, 0, 0, 0xc0, 0, 7, 0, // sense key specific: not of ILLEGAL REQUEST
    ];
    let sense = Sense::decode(&bytes).unwrap();
    assert_eq!(
        sense.to_string(),
        "MEDIUM ERROR, Unrecovered read error (0x11/0x00)"
    );
    assert_eq!(
        (sense.information(), sense.field_pointer()),
        (Some(0x01_0203_0405), None)
    );
    assert!(sense.descriptor_format() && !sense.deferred());
    let mut illegal = bytes;
    illegal[1] = 0x05;
    let pointer = FieldPointer {
        in_cdb: true,
        bit: None,
        byte: 7,
    };
    assert_eq!(
        Sense::decode(&illegal).unwrap().field_pointer(),
        Some(pointer)
    );
    illegal[10] = 0;
    assert_eq!(
        Sense::decode(&illegal).unwrap().information(),
        None,
        "VALID is clear"
    );
    illegal[9] = 0xff;
    assert_eq!(
        Sense::decode(&illegal).unwrap().field_pointer(),
        None,
        "a length that lies"
    );
    assert!(Sense::decode(&[0x73, 6, 0x2a, 9]).unwrap().deferred());
}

#[test]
fn what_is_no_sense_is_an_error() {
    assert!(matches!(Sense::decode(&[]), Err(WireError::Short { .. })));
    assert!(matches!(
        Sense::decode(&[0x70, 0]),
        Err(WireError::Short { need: 3, .. })
    ));
    assert!(matches!(
        Sense::decode(&[0x72, 0, 0]),
        Err(WireError::Short { need: 4, .. })
    ));
    let error = Sense::decode(&[0; 18]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sense data: RESPONSE CODE is 0x0, expected 0x70 to 0x73"
    );
    let unknown = Sense::decode(&[0x72, 0x09, 0x80, 0x01]).unwrap();
    assert_eq!(unknown.to_string(), "VENDOR SPECIFIC (0x80/0x01)");
}

proptest! {
    #[test]
    fn sense_never_panics(code in 0x6f_u8..0x75, rest in prop::collection::vec(any::<u8>(), 0..64)) {
        let bytes: Vec<u8> = std::iter::once(code).chain(rest).collect();
        let _ = Sense::decode(&bytes).map(|sense| sense.to_string());
    }
}
