use super::*;

const DIGEST: &str = "4392712ba01368efdf14b05c76f9e4df0d53664630b5d48632ed17a137f39076";

fn parse(line: &str) -> Target {
    line.parse()
        .unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn error(line: &str) -> String {
    line.parse::<Target>().unwrap_err().to_string()
}

/// The devices of a line: role, name and offset.
fn devices(line: &str) -> Vec<String> {
    let shown = |device: &DeviceRef| match device.offset {
        Some(offset) => format!("{:?} {} {offset}", device.role, device.device),
        None => format!("{:?} {}", device.role, device.device),
    };
    parse(line).devices.iter().map(shown).collect()
}

#[test]
fn linear_has_one_device_and_where_it_begins() {
    let target = parse("0 65536 linear 8:16 2048");
    assert_eq!((target.start, target.length), (0, 65536));
    assert_eq!(target.name, "linear");
    let device = DeviceId::Number(8, 16);
    assert_eq!(
        target.devices,
        [DeviceRef {
            device,
            role: Role::Data,
            offset: Some(2048)
        }]
    );
    assert_eq!(target.to_string(), "0 65536 linear 8:16 2048");
    assert_eq!(devices("0 8 linear /dev/sdb 0"), ["Data /dev/sdb 0"]);
    assert_eq!(
        devices(r"0 8 linear /dev/mapper/a\ b 0"),
        ["Data /dev/mapper/a b 0"]
    );
}

#[test]
fn stripes() {
    let target = parse("0 131072 striped 2 256 8:16 0 8:32 2048");
    assert_eq!(
        target.details,
        Details::Striped {
            stripes: 2,
            chunk_sectors: 256
        }
    );
    assert_eq!(
        devices(&target.to_string()),
        ["Data 8:16 0", "Data 8:32 2048"]
    );
    let target = parse("0 131072 unstriped 2 256 1 8:16 0");
    assert_eq!(
        target.details,
        Details::Unstriped {
            stripes: 2,
            chunk_sectors: 256,
            stripe: 1
        }
    );
}

#[test]
fn multipath_has_features_groups_and_paths() {
    let target = parse(
        "0 4096 multipath 3 queue_if_no_path queue_mode mq 1 alua 2 1 \
         service-time 0 2 2 8:16 1 1 8:32 1 1 round-robin 0 1 1 8:48 1000 ",
    );
    assert!(target.has_option("queue_if_no_path"));
    let id = |minor| DeviceId::Number(8, minor);
    let group = |selector: &str, paths: &[DeviceId]| PathGroup {
        selector: selector.to_owned(),
        paths: paths.to_vec(),
    };
    let groups = vec![
        group("service-time", &[id(16), id(32)]),
        group("round-robin", &[id(48)]),
    ];
    assert_eq!(
        target.details,
        Details::Multipath {
            handler: vec!["alua".to_owned()],
            groups
        }
    );
    assert_eq!(target.devices_as(Role::Path).count(), 3);
    assert_eq!(parse("0 4096 multipath 0 0 0 0").devices, []);
}

#[test]
fn crypt_has_cipher_device_and_options_and_no_key() {
    let line = format!(
        "0 4096 crypt aes-xts-plain64 {DIGEST} 8 8:16 32768 2 allow_discards sector_size:4096"
    );
    let target = parse(&line);
    let cipher = "aes-xts-plain64".to_owned();
    assert_eq!(
        target.details,
        Details::Crypt {
            cipher,
            iv_offset: 8
        }
    );
    assert_eq!(devices(&line), ["Data 8:16 32768"]);
    assert!(target.has_option("allow_discards"));
    assert!(!format!("{target:?} {target}").contains(DIGEST));
    assert_eq!(target.args[1], "<hidden-64-hex-digits>");
    // As inlinecrypt reports itself, with the type of the key.
    let line = format!("0 4096 inlinecrypt aes-xts-plain64 {DIGEST} 0 8 8:16 0 1 allow_discards");
    assert_eq!(devices(&line), ["Data 8:16 0"]);
    let cipher = "aes-xts-plain64".to_owned();
    assert_eq!(
        parse(&line).details,
        Details::Crypt {
            cipher,
            iv_offset: 8
        }
    );
    assert_eq!(
        devices("0 8 default-key aes-xts-plain64 - 8:16 0"),
        ["Data 8:16 0"]
    );
}

#[test]
fn an_error_in_a_crypt_line_does_not_show_the_key() {
    for line in [
        format!("0 8 crypt aes 0 {DIGEST} 8:16 0"),
        format!("0 8 crypt {DIGEST} 0 8:16 0"),
        format!("0 8 crypt aes {DIGEST} {DIGEST} {DIGEST} {DIGEST}"),
        format!("0 8 crypt aes {DIGEST}"),
    ] {
        let message = error(&line);
        assert!(!message.contains(DIGEST), "{message}");
    }
}

#[test]
fn thin_provisioning_and_snapshots() {
    let pool = parse("0 16384 thin-pool 8:16 8:32 128 1024 2 skip_block_zeroing ignore_discard");
    assert_eq!(
        pool.details,
        Details::ThinPool {
            block_sectors: 128,
            low_water_blocks: 1024
        }
    );
    assert!(pool.has_option("ignore_discard"));
    assert_eq!(devices(&pool.to_string()), ["Metadata 8:16", "Data 8:32"]);
    assert_eq!(devices("0 8 thin 253:0 7"), ["Pool 253:0"]);
    assert_eq!(
        devices("0 8 thin 253:0 7 253:1"),
        ["Pool 253:0", "Origin 253:1"]
    );
    assert_eq!(devices("0 8 snapshot-origin 253:1"), ["Origin 253:1"]);
    assert_eq!(
        devices("0 8 snapshot 253:1 253:2 P 16"),
        ["Origin 253:1", "Cow 253:2"]
    );
    let merge = parse("0 8 snapshot-merge 253:1 253:2 N 16 1 discard_zeroes_cow");
    assert!(merge.has_option("discard_zeroes_cow"));
}

#[test]
fn caches() {
    let line = "0 8 cache 8:16 8:32 8:48 128 2 metadata2 writethrough smq 0";
    assert_eq!(
        devices(line),
        ["Metadata 8:16", "Cache 8:32", "Origin 8:48"]
    );
    assert!(parse(line).has_option("writethrough"));
    assert_eq!(
        devices("0 8 writecache s 8:16 8:32 4096 2 high_watermark 60"),
        ["Origin 8:16", "Cache 8:32"]
    );
    assert_eq!(
        devices("0 8 pcache 259:0 8:16 0"),
        ["Cache 259:0", "Data 8:16"]
    );
}

#[test]
fn mirrors_and_raid() {
    assert_eq!(
        devices("0 8 mirror core 2 1024 nosync 2 8:16 0 8:32 0 1 handle_errors"),
        ["Data 8:16 0", "Data 8:32 0"]
    );
    assert_eq!(
        devices("0 8 mirror disk 2 8:48 1024 2 8:16 0 8:32 0"),
        ["Log 8:48", "Data 8:16 0", "Data 8:32 0"]
    );
    let line = "0 8 raid raid5_ls 5 128 region_size 1024 journal_dev 8:80 3 8:1 8:2 - 8:4 - -";
    assert_eq!(
        devices(line),
        ["Log 8:80", "Metadata 8:1", "Data 8:2", "Data 8:4"]
    );
    let level = "raid5_ls".to_owned();
    assert_eq!(
        parse(line).details,
        Details::Raid {
            level,
            chunk_sectors: 128,
            members: 3
        }
    );
}

#[test]
fn integrity_and_verity() {
    let line = "0 8 integrity 8:16 0 32 J 3 meta_device:8:32 internal_hash:hmac(sha256):aabb \
                allow_discards";
    assert_eq!(devices(line), ["Data 8:16 0", "Metadata 8:32"]);
    let target = parse(line);
    assert!(target.has_option("allow_discards"));
    assert!(!target.to_string().contains("aabb"));
    let line = format!(
        "0 8 verity 1 8:16 8:32 4096 4096 262144 1 sha256 {DIGEST} {DIGEST} 8 \
         use_fec_from_device 8:48 fec_roots 2 fec_blocks 10 fec_start 0"
    );
    assert_eq!(devices(&line), ["Data 8:16", "Hash 8:32", "Fec 8:48"]);
    assert!(parse(&line).to_string().contains(DIGEST));
}

#[test]
fn the_other_targets() {
    assert_eq!(devices("0 8 zero"), [""; 0]);
    assert_eq!(devices("0 8 error"), [""; 0]);
    assert_eq!(devices("0 8 error 8:16 0"), ["Data 8:16 0"]);
    assert_eq!(
        devices("0 8 era 8:16 8:32 128"),
        ["Metadata 8:16", "Origin 8:32"]
    );
    assert_eq!(
        devices("0 8 clone 8:16 8:32 8:48 8 1 no_discard_passdown"),
        ["Metadata 8:16", "Data 8:32", "Source 8:48"]
    );
    assert_eq!(devices("0 8 delay 8:16 0 500"), ["Data 8:16 0"]);
    assert_eq!(
        devices("0 8 delay 8:16 0 500 8:32 0 500"),
        ["Data 8:16 0", "Data 8:32 0"]
    );
    assert_eq!(
        devices("0 8 flakey 8:16 0 60 0 1 drop_writes"),
        ["Data 8:16 0"]
    );
    assert_eq!(devices("0 8 dust 8:16 0 512"), ["Data 8:16 0"]);
    assert_eq!(devices("0 8 ebs 8:16 0 1 8"), ["Data 8:16 0"]);
    assert_eq!(
        devices("0 8 switch 2 128 0 8:16 0 8:32 0"),
        ["Path 8:16 0", "Path 8:32 0"]
    );
    assert_eq!(
        devices("0 8 log-writes 8:16 8:32"),
        ["Data 8:16", "Log 8:32"]
    );
    assert_eq!(devices("0 8 zoned 8:16 8:32 "), ["Data 8:16", "Data 8:32"]);
    assert_eq!(
        devices("0 8 vdo V4 /dev/sdb 262144 4096 32768 16380 deduplication on"),
        ["Data /dev/sdb"]
    );
}

#[test]
fn an_unknown_target_keeps_its_words_and_gives_no_devices() {
    let target = parse("0 8 novel 8:16 whatever 3");
    assert_eq!(target.devices, []);
    assert_eq!(target.details, Details::Plain);
    assert_eq!(target.args, ["8:16", "whatever", "3"]);
}

#[test]
fn errors_name_the_argument() {
    assert_eq!(error(""), "table line: the first sector is missing");
    assert_eq!(error("0 x linear 8:16 0"), {
        "table line: the length in sectors \"x\" is not a number"
    });
    assert_eq!(error("0 8"), "table line: the target type is missing");
    assert_eq!(error("0 8 linear"), "linear: the device is missing");
    assert_eq!(
        error("0 8 linear 8:16"),
        "linear: the offset on the device is missing"
    );
    assert_eq!(
        error("0 8 linear sdb 0"),
        "linear: the device \"sdb\" is not MAJ:MIN or a path under /dev"
    );
    assert_eq!(
        error("0 8 linear 8:16 0 9"),
        "linear: nothing may follow the offset on the device, but \"9\" does"
    );
    assert_eq!(
        error("0 8 striped 3 256 8:16 0 8:32 0"),
        "striped: the device of stripe 3 is missing"
    );
    assert_eq!(
        error("0 8 thin-pool 8:16 8:32 128 0 2 skip_block_zeroing"),
        "thin-pool: the feature argument 2 of 2 is missing"
    );
    assert_eq!(error("0 8 linear 8:99999999999 0"), {
        "linear: the device \"8:99999999999\" is not MAJ:MIN or a path under /dev"
    });
    assert_eq!(
        error("0 8 striped 18446744073709551615 256 8:16 0"),
        "striped: the device of stripe 2 is missing"
    );
}

proptest::proptest! {
    #[test]
    fn no_line_makes_the_parser_panic(
        name in "linear|striped|multipath|crypt|thin|cache|mirror|raid|integrity|verity|delay|novel",
        params in "([0-9]{1,20}|8:16|-|[a-z]{1,8}|/dev/[a-z]{1,4})?( ([0-9]{1,3}|8:16|-|P)){0,20}",
    ) {
        let line = format!("0 8 {name} {params}");
        if let Ok(target) = line.parse::<Target>() {
            // What is printed parses to the same.
            proptest::prop_assert_eq!(target.to_string().parse::<Target>(), Ok(target));
        }
    }
}
