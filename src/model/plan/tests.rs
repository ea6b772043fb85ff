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
