use super::*;

fn plan(dm: &[&str], md: &[&str]) -> Result<Vec<String>, String> {
    let owned = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    Plan::parse(&owned(dm), &owned(md), &[])
        .map(|plan| {
            plan.devices
                .iter()
                .map(|(name, _)| name.to_string())
                .collect()
        })
        .map_err(|error| error.to_string())
}

#[test]
fn each_device_comes_after_what_it_stands_on() {
    let names = plan(
        &[
            "top=0 8192 linear /dev/array 0",
            "leg=0 8192 linear /dev/sda 0",
        ],
        &["array=raid0,chunk=64k,/dev/mapper/leg,/dev/sdb"],
    );
    assert_eq!(names, Ok(vec!["leg".into(), "array".into(), "top".into()]));
}

#[test]
fn lines_of_one_name_are_one_table() {
    let lines = ["0 8 linear /dev/sda 0".to_owned(), "8 8 zero".to_owned()];
    let plan = Plan::parse(&lines, &[], &[]).expect("a plan");
    let [(name, Build::Dm(table))] = plan.devices.as_slice() else {
        panic!("{plan:?}");
    };
    assert_eq!((name.as_str(), table.len()), ("whatif-dm", 2));
    let gap = self::plan(&["0 8 zero; 16 8 zero"], &[]).expect_err("a gap");
    assert!(
        gap.contains("begins at sector 16, the table so far ends at 8"),
        "{gap}"
    );
}

#[test]
fn what_would_stand_on_itself_is_refused() {
    let error = plan(
        &[
            "a=0 8 linear /dev/mapper/b 0",
            "b=0 8 linear /dev/mapper/a 0",
        ],
        &[],
    );
    assert_eq!(
        error,
        Err("a on b on a: would stand on itself; no kernel loads that".into())
    );
    assert!(plan(&["a=0 8 linear /dev/a 0"], &[]).is_err());
}

#[test]
fn arrays_have_mdadms_defaults() {
    let array = |text: &str| an_array(text).map(|(_, build)| build);
    let build = |level: &str, chunk_bytes| {
        Ok(Build::Md {
            level: level.into(),
            chunk_bytes,
            members: vec!["/dev/sda".into(), "sdb".into()],
        })
    };
    assert_eq!(array("0,/dev/sda,sdb"), build("raid0", 512 << 10));
    assert_eq!(
        array("x=raid0,chunk=64k,/dev/sda,sdb"),
        build("raid0", 64 << 10)
    );
    assert_eq!(array("raid1,/dev/sda,sdb"), build("raid1", 0));
    assert!(array("raid0,chunk=x,/dev/sda").is_err());
    assert!(array("raid0,layout=2,/dev/sda").is_err());
    assert!(array("raid0").is_err());
    // Linux says "not enough configured devices (3, minimum 4)".
    assert!(array("raid6,/dev/sda,sdb,sdc").is_err());
    assert!(array("raid6,/dev/sda,sdb,sdc,sdd").is_ok());
    assert!(array("raid5,/dev/sda").is_err());
    for chunk in ["0", "2k", "1b", "4097b", "9999999999999999999g"] {
        let error = array(&format!("raid0,chunk={chunk},/dev/sda"));
        assert!(error.is_err(), "{chunk}");
    }
    assert_eq!(array("x=raid0,chunk=4k,/dev/sda,sdb"), build("raid0", 4096));
}

#[test]
fn nothing_is_no_plan() {
    assert_eq!(Plan::parse(&[], &[], &[]), Err(PlanError::Empty));
    assert!(plan(&["linear /dev/sda 0"], &[]).is_err());
}

#[test]
fn a_table_ends_where_a_device_can() {
    let half = 1_u64 << 63;
    for lines in [
        format!("0 {} zero", u64::MAX),
        format!("0 {half} zero; {half} {half} zero"),
        format!("0 {} zero", i64::MAX),
    ] {
        let error = plan(&[&lines], &[]).expect_err("too long");
        assert!(error.contains("past the last byte"), "{error}");
    }
    assert!(plan(&["0 18014398509481983 zero"], &[]).is_ok());
}

#[test]
fn a_description_of_any_depth_is_put_in_order() {
    // 20000 levels, each named before what it stands on.
    let lines: Vec<String> = (0..20_000)
        .map(|level| format!("d{level:06}=0 8 linear /dev/d{:06} 0", level + 1))
        .collect();
    let plan = Plan::parse(&lines, &[], &[]).expect("a plan");
    let mut names = plan.devices.iter().map(|(name, _)| name.as_str());
    assert_eq!(names.next(), Some("d019999"));
    assert_eq!(names.next_back(), Some("d000000"));
    let mut ring = lines;
    ring.push("d020000=0 8 linear /dev/d000000 0".into());
    let error = Plan::parse(&ring, &[], &[]).expect_err("a loop");
    assert!(matches!(error, PlanError::Loop(way) if way.len() == 20_002));
}

#[test]
fn two_ways_to_one_device_are_no_loop() {
    let names = plan(
        &[
            "a=0 8 linear /dev/c 0",
            "b=0 8 linear /dev/c 0",
            "c=0 8 zero",
        ],
        &["top=raid0,/dev/a,/dev/b"],
    );
    let wanted = ["c", "a", "b", "top"].map(str::to_owned);
    assert_eq!(names, Ok(wanted.to_vec()));
}

#[test]
fn lines_that_no_kernel_loads_are_refused() {
    let refused = |line: &str| plan(&[line], &[]).expect_err(line);
    for (line, why) in [
        ("0 8 striped 0 8", "over no device"),
        ("0 96 striped 2 0 /dev/a 0 /dev/b 0", "a chunk of 0 sectors"),
        ("0 96 striped 2 4294967296 /dev/a 0 /dev/b 0", "a chunk of"),
        (
            "0 100 striped 3 8 /dev/a 0 /dev/b 0 /dev/c 0",
            "no multiple of 3 chunks of 8",
        ),
        ("0 8 multipath 0 0 0 1", "0, for there is none"),
        (
            "0 8 multipath 0 0 1 0 round-robin 0 1 0 /dev/a",
            "1 or more",
        ),
        ("0 8 multipath 0 0 1 1 round-robin 0 0 0", "1 or more"),
        (
            "0 8 multipath 0 0 1 1 round-robin 0 1 0 /dev/a x",
            "nothing may follow",
        ),
    ] {
        let error = refused(line);
        assert!(error.contains(why), "{line}: {error}");
    }
    assert!(plan(&["0 96 striped 2 8 /dev/a 0 /dev/b 0"], &[]).is_ok());
    assert!(plan(&["0 8 multipath 0 0 0 0"], &[]).is_ok());
}

#[test]
fn levels_and_chunks_that_md_does_not_have_are_refused() {
    let array = |text: &str| plan(&[], &[text]);
    for text in [
        "raid99,/dev/a",
        "RAID0,/dev/a",
        "raid00,/dev/a",
        "container,/dev/a",
    ] {
        assert!(
            array(text).is_err_and(|why| why.contains("there are linear, raid0")),
            "{text}"
        );
    }
    assert!(array("stripe,/dev/a").is_ok());
    assert!(array("raid5,chunk=12k,/dev/a,/dev/b").is_err_and(|why| why.contains("power of two")));
    assert!(array("raid0,chunk=12k,/dev/a").is_ok());
}

#[test]
fn a_key_is_not_said_back() {
    const KEY: &str = "00112233445566778899aabbccddeeff";
    for line in [
        format!("0 8 crypt aes-xts-plain64 {KEY} 0 /dev/a"),
        "c=0 8 crypt aes short-key 0 /dev/a".to_owned(),
        format!("0 8 zero; 8 8 crypt aes {KEY} 0 /dev/a"),
    ] {
        let error = plan(&[&line], &[]).expect_err("no offset");
        assert!(error.contains("offset"), "{error}");
        assert!(
            !error.contains(KEY) && !error.contains("short-key"),
            "{error}"
        );
    }
}
