use super::*;

/// A buffer as the kernel leaves it: header, data, and room that it did not use.
fn reply(target_count: u32, data: &[u8]) -> Vec<u8> {
    let size = HEADER_LEN + u32::try_from(data.len()).unwrap();
    let mut header = Request::TableStatus.header(None, DmFlags::empty(), size);
    header.target_count = target_count;
    let mut buffer = header.as_bytes().to_vec();
    buffer.extend_from_slice(data);
    buffer.resize(16384, 0);
    buffer
}

fn spec(start: u64, length: u64, next: u32, target: &str, params: &str) -> Vec<u8> {
    let mut target_type = [0; 16];
    target_type[..target.len()].copy_from_slice(target.as_bytes());
    let spec = TargetSpec {
        sector_start: start,
        length,
        status: 0,
        next,
        target_type,
    };
    let mut bytes = spec.as_bytes().to_vec();
    bytes.extend_from_slice(params.as_bytes());
    bytes.push(0);
    bytes
}

fn keep(_: &str, params: &str) -> String {
    params.to_owned()
}

#[test]
#[cfg(target_endian = "little")]
fn a_table_reads_from_the_kernels_bytes() {
    // Two targets: "0 8192 linear 8:16 2048" and "8192 8192 error".
    let data = [
        &[0, 0, 0, 0, 0, 0, 0, 0][..],                  // sector_start
        &[0x00, 0x20, 0, 0, 0, 0, 0, 0],                // length
        &[0, 0, 0, 0],                                  // status
        &[56, 0, 0, 0],                                 // next, 8-byte aligned
        b"linear\0\0\0\0\0\0\0\0\0\0",                  // target_type
        b"8:16 2048\0\0\0\0\0\0\0",                     // text and padding
        &[0x00, 0x20, 0, 0, 0, 0, 0, 0],                // sector_start
        &[0x00, 0x20, 0, 0, 0, 0, 0, 0],                // length
        &[0, 0, 0, 0, 104, 0, 0, 0],                    // status, next
        b"error\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", // target_type, empty text
    ]
    .concat();

    let lines = targets(&reply(2, &data), keep).unwrap();

    let line = |start, target: &str, params: &str| DmLine {
        start,
        length: 8192,
        target: target.to_owned(),
        params: params.to_owned(),
    };
    assert_eq!(
        lines,
        [line(0, "linear", "8:16 2048"), line(8192, "error", "")]
    );
}

#[test]
fn a_device_without_a_table_has_no_lines() {
    assert_eq!(targets(&reply(0, &[]), keep), Ok(Vec::new()));
}

#[test]
fn the_text_is_cleaned_before_it_is_kept() {
    let data = spec(0, 8, 0, "crypt", "aes 00 0 8:16 0");
    let lines = targets(&reply(1, &data), |target, _| format!("({target})")).unwrap();
    assert_eq!(lines[0].params, "(crypt)");
}

#[test]
fn a_reply_that_lies_is_refused() {
    // More targets than there are.
    let one = spec(0, 8, 64, "linear", "8:16 0");
    let error = ReplyError::Outside {
        entry: 1,
        offset: 64,
    };
    assert_eq!(targets(&reply(2, &one), keep), Err(error));
    assert_eq!(targets(&reply(u32::MAX, &one), keep), Err(error));
    // A list that points at itself.
    let circle = spec(0, 8, 0, "linear", "8:16 0");
    let error = ReplyError::Backwards { entry: 0, next: 0 };
    assert_eq!(targets(&reply(2, &circle), keep), Err(error));
    // An entry that points far away.
    let far = spec(0, 8, u32::MAX, "linear", "8:16 0");
    assert!(matches!(
        targets(&reply(2, &far), keep),
        Err(ReplyError::Outside { entry: 1, .. })
    ));
    // A text without an end.
    let mut endless = spec(0, 8, 0, "linear", "8:16 0");
    endless.pop();
    let error = ReplyError::Unterminated { entry: 0 };
    assert_eq!(targets(&reply(1, &endless), keep), Err(error));
    // Data that begin inside the header, or past the end.
    for start in [0, 311, 16385, u32::MAX] {
        let mut header = Request::TableStatus.header(None, DmFlags::empty(), 16384);
        header.data_start = start;
        let mut buffer = header.as_bytes().to_vec();
        buffer.resize(16384, 0);
        assert_eq!(targets(&buffer, keep), Err(ReplyError::Start(start)));
    }
    assert_eq!(targets(&[0; 100], keep), Err(ReplyError::Start(0)));
}

#[test]
#[cfg(target_endian = "little")]
fn dependencies_read_from_the_kernels_bytes() {
    let data = [
        &[2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff][..],
        &[0x10, 0x08, 0, 0, 0, 0, 0, 0],       // 8:16
        &[0x01, 0x03, 0x11, 0x00, 0, 0, 0, 0], // minor 257 lies around the major's 12 bits
    ]
    .concat();
    assert_eq!(deps(&reply(0, &data)), Ok(vec![(8, 16), (0x103, 257)]));
    let mut short = data;
    short.pop();
    assert_eq!(
        deps(&reply(0, &short)),
        Err(ReplyError::Outside {
            entry: 1,
            offset: 16
        })
    );
}

#[test]
#[cfg(target_endian = "little")]
fn target_types_read_from_the_kernels_bytes_in_order() {
    let data = [
        &[24, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0][..],
        b"striped\0",
        &[0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0],
        b"linear\0",
    ]
    .concat();
    let found = target_versions(&reply(0, &data)).unwrap();
    let named = |name: &str, version| DmTargetVersion {
        name: name.to_owned(),
        version,
    };
    assert_eq!(
        found,
        [named("linear", [1, 4, 0]), named("striped", [1, 6, 0])]
    );

    let mut far = data;
    far[0] = 0xff;
    far[3] = 0xff;
    assert!(matches!(
        target_versions(&reply(0, &far)),
        Err(ReplyError::Outside { .. })
    ));
    assert_eq!(target_versions(&reply(0, &[])), Ok(Vec::new()));
}

#[test]
fn device_numbers_survive_the_encoding() {
    for devno in [(0, 0), (8, 16), (253, 0), (259, 256), (4095, 1_048_575)] {
        assert_eq!(decode_dev(encode_dev(devno)), devno);
    }
    assert_eq!(encode_dev((8, 16)), 0x810);
    assert_eq!(encode_dev((253, 300)), 0x10_fd2c);
}

proptest::proptest! {
    #[test]
    fn no_reply_makes_the_parser_panic(bytes in proptest::collection::vec(0_u8.., 0..600)) {
        let _ = targets(&bytes, keep);
        let _ = deps(&bytes);
        let _ = target_versions(&bytes);
        let _ = targets(&reply(3, &bytes), keep);
        let _ = target_versions(&reply(3, &bytes));
        let _ = deps(&reply(3, &bytes));
    }
}
