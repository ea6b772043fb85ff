use super::*;
use crate::verdict::stacking::dm_targets::{self, Passes};

/// Over two disks of other sizes, sda with unmap, sdb with less of it, and sdz without.
fn over(lines: &[&str]) -> World {
    World::new()
        .leaf("sda", SD, SD)
        .leaf("sdb", 1 << 20, 1 << 20)
        .leaf("sdz", SD, 0)
        .dm("dm-0", lines)
}

#[test]
fn limits_are_the_smallest_of_all_devices() {
    let cases: &[(&[&str], Three)] = &[
        (&["0 8 linear {sda} 0"], (SD, SD, SD)),
        (
            &["0 8 linear {sda} 0", "8 8 linear {sdb} 0"],
            (1 << 20, 1 << 20, 1 << 20),
        ),
        (
            &["0 16 striped 2 8 {sda} 0 {sdb} 0"],
            (1 << 20, 1 << 20, 1 << 20),
        ),
        (&["0 8 linear {sda} 0", "8 8 linear {sdz} 0"], (SD, 0, 0)),
        (
            &["0 8 linear {sdb} 0", "8 8 linear {sdz} 0"],
            (1 << 20, 0, 0),
        ),
        (
            &["0 8 multipath 0 0 1 1 service-time 0 2 0 {sda} {sdb}"],
            (1 << 20, 1 << 20, 1 << 20),
        ),
        // One segment that passes nothing is enough.
        (&["0 8 linear {sda} 0", "8 8 zero"], (0, 0, 0)),
        (&["0 8 linear {sda} 0", "8 8 error"], (0, 0, 0)),
        (&["0 8 crypt aes - 0 {sda} 0 1 allow_discards"], (0, 0, 0)),
    ];
    for (lines, wanted) in cases {
        assert_eq!(over(lines).gives("dm-0"), Ok(*wanted), "{lines:?}");
    }
}

#[test]
fn only_four_targets_pass_zeroes() {
    let passing: Vec<&str> = dm_targets::all()
        .filter(|(_, p)| !matches!(p, Passes::Never(_)))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(passing, ["linear", "striped", "multipath", "zoned"]);
    // The last ones are built by no kernel of the matrix: drivers/md of 7.3 has them, without num_write_zeroes_bios (ebs
    // sets it to 0).
    for target in [
        "error",
        "zero",
        "delay",
        "flakey",
        "mirror",
        "raid",
        "thin",
        "vdo",
        "verity",
        "ebs",
        "dust",
        "inlinecrypt",
        "pcache",
    ] {
        assert!(
            matches!(dm_targets::passes(target), Some(Passes::Never(_))),
            "{target}"
        );
    }
}

#[test]
fn the_summary_names_the_target_and_the_line() {
    let world = over(&["0 8 linear {sda} 0", "8 8 crypt aes - 0 {sdb} 0"]);
    assert_eq!(
        world.first("dm-0"),
        "target crypt passes no zeroes command (dm table line 2)"
    );
    assert_eq!(world.chain("dm-0"), ["dm-target-unsupported@dm-0"]);
}

#[test]
fn the_chain_ends_at_the_leg_that_decides_however_far_below() {
    let world = over(&["0 8 linear {sda} 0", "8 8 linear {sdz} 0"])
        .dm("dm-1", &["0 8 linear {sda} 0", "8 8 linear {dm-0} 0"])
        .dm("dm-2", &["0 8 linear {dm-1} 0"]);
    assert_eq!(
        world.chain("dm-2"),
        ["dm-min@dm-2", "dm-min@dm-1", "dm-min@dm-0", "leaf@sdz"]
    );
    assert_eq!(
        world.first("dm-2"),
        "no unmap limit, since sdz below decides: sdz is what it is"
    );
    let world = over(&["0 8 zero"]).dm("dm-1", &["0 8 linear {sda} 0", "8 8 linear {dm-0} 0"]);
    let wanted = "no zeroes command, since dm-0 below decides: target zero passes no zeroes command \
                  (dm table line 1)";
    assert_eq!(world.first("dm-1"), wanted);
    assert_eq!(world.gives("dm-1"), Ok((0, 0, 0)));
}

#[test]
fn the_smallest_is_named() {
    assert_eq!(
        over(&["0 8 linear {sda} 0", "8 8 linear {sdb} 0"]).first("dm-0"),
        "takes the smallest limits of 2 devices, those of sdb"
    );
    assert_eq!(
        over(&["0 8 linear {sdb} 0"]).first("dm-0"),
        "takes over the limits of sdb"
    );
}

#[test]
fn multipath_without_paths_has_no_limit() {
    let world = World::new().dm("dm-0", &["0 8 multipath 0 0 0 0"]);
    assert_eq!(world.gives("dm-0"), Ok((MAX, MAX, MAX)));
    assert_eq!(world.chain("dm-0"), ["dm-no-paths@dm-0"]);
    // Reloaded without paths it keeps what it had.
    let kept = world.shows("dm-0", (SD, SD, SD)).conflicts("dm-0");
    assert_eq!(kept.len(), 1);
    assert!(kept[0].rule == "stacked-snapshot-stale" && kept[0].text.contains("last had paths"));
    assert_eq!(kept[0].advice, None, "a reload keeps them");
}

#[test]
fn zoned_is_cut_to_a_zone_and_refused_over_unmap() {
    let zoned = |hw: u64, zone: u64| {
        let mut world = World::new()
            .leaf("sda", SD, hw)
            .dm("dm-0", &["0 8 zoned {sda}"]);
        let device = world.topology.get_mut(&kname("dm-0")).expect("dm-0");
        device.dm.as_mut().expect("dm").zone_sectors = Reading::Present(zone);
        world
    };
    assert_eq!(zoned(0, 524_288).gives("dm-0"), Ok((268_435_456, 0, 0)));
    assert_eq!(zoned(SD, SD / 512).gives("dm-0"), Ok((SD, SD, SD)));
    assert!(
        zoned(SD, 524_288)
            .gives("dm-0")
            .is_err_and(|why| why.contains("EINVAL"))
    );
    // Before 6.17 no limit of the kernel's says that it unmaps, and nothing is refused.
    let mut before = zoned(SD, 524_288);
    before.kernel = Kernel::parse("6.12.117");
    assert_eq!(before.gives("dm-0"), Ok((268_435_456, 0, 0)));
    assert!(
        zoned(0, 0)
            .gives("dm-0")
            .is_err_and(|why| why.contains("chunk_sectors"))
    );
    assert_eq!(
        World::new()
            .leaf("sda", 0, 0)
            .dm("dm-0", &["0 8 zoned {sda}"])
            .gives("dm-0"),
        Ok((0, 0, 0))
    );
}

#[test]
fn what_a_user_wrote_below_is_inherited() {
    let world = World::new()
        .limited("sda", SD, 0)
        .leaf("sdb", SD, SD)
        .dm("dm-0", &["0 8 linear {sda} 0", "8 8 linear {sdb} 0"]);
    assert_eq!(world.gives("dm-0"), Ok((SD, SD, 0)));
    assert_eq!(
        world.chain("dm-0"),
        ["dm-min@dm-0", "user-limit@sda", "leaf@sda"]
    );
    // Pinned at an older, smaller hw.
    let pinned = World::new()
        .limited("sda", 51_200_000, SD)
        .dm("dm-0", &["0 8 linear {sda} 0"]);
    assert_eq!(pinned.gives("dm-0"), Ok((51_200_000, 51_200_000, SD)));
}

#[test]
fn over_a_stale_disk_there_is_nothing() {
    let world = World::new()
        .stale("sda", SD)
        .leaf("sdb", SD, SD)
        .dm("dm-0", &["0 8 linear {sdb} 0", "8 8 linear {sda} 0"]);
    assert_eq!(world.gives("dm-0"), Ok((0, 0, 0)));
    assert_eq!(
        world.chain("dm-0"),
        ["dm-min@dm-0", "runtime-disabled@sda", "leaf@sda"]
    );
    let before = world.shows("dm-0", (SD, SD, SD));
    assert_eq!(before.conflict_rules("dm-0"), ["dm-over-disabled"]);
    // dm disabled itself: the general rule says so, and it is no snapshot.
    assert_eq!(
        before.shows("dm-0", (0, SD, 0)).conflict_rules("dm-0"),
        [""; 0]
    );
}

#[test]
fn a_device_that_is_not_there_or_not_known_leaves_it_open() {
    let world = World::new()
        .leaf("sda", SD, SD)
        .dm("dm-0", &["0 8 linear {sda} 0", "8 8 linear {sdq} 0"]);
    assert!(world.gives("dm-0").is_err_and(|why| why.contains("9:99")));
    let world = World::new()
        .unknown("sdu")
        .dm("dm-0", &["0 8 linear {sdu} 0"])
        .partition("dm-0p1", "dm-0");
    assert_eq!(
        world.gives("dm-0p1"),
        Err("sdu below is not known: Identify was denied".into())
    );
    let world = World::new()
        .leaf("sda", SD, SD)
        .dm("dm-0", &["0 8 novel {sda} 0"]);
    assert!(world.gives("dm-0").is_err_and(|why| why.contains("novel")));
    // A device without the command settles it, whatever the others are.
    let world = World::new().unknown("sdu").leaf("sdn", 0, 0).dm(
        "dm-0",
        &[
            "0 8 linear {sdu} 0",
            "8 8 linear {sdn} 0",
            "16 8 linear {sdq} 0",
        ],
    );
    assert_eq!(world.gives("dm-0"), Ok((0, 0, 0)));
    assert!(
        World::new()
            .dm("dm-0", &[])
            .gives("dm-0")
            .is_err_and(|why| why.contains("no table"))
    );
}

#[test]
fn without_the_table_uuid_and_slaves_tell_what_is_certain() {
    let base = || {
        World::new()
            .leaf("sda", SD, SD)
            .leaf("sdn", 0, 0)
            .leaf("sdz", SD, 0)
    };
    let cases: &[(&str, &[&str], Option<Three>)] = &[
        ("mpath-360", &["sda"], Some((SD, SD, SD))),
        ("mpath-360", &["sda", "sdz"], Some((SD, 0, 0))),
        ("mpath-360", &[], Some((MAX, MAX, MAX))),
        ("part1-mpath-360", &["sda"], Some((SD, SD, SD))),
        ("part1-mpath-360", &[], None),
        ("CRYPT-LUKS2-0123-x", &["sda"], Some((0, 0, 0))),
        ("LVM-abc-tpool", &["sda"], Some((0, 0, 0))),
        ("LVM-abc", &["sda"], None),
        ("LVM-abc", &["sda", "sdn"], Some((0, 0, 0))),
        ("", &["sda"], None),
        ("", &[], None),
    ];
    for (uuid, slaves, wanted) in cases {
        let given = base().dm_unread("dm-0", uuid, slaves).gives("dm-0").ok();
        assert_eq!(given, *wanted, "{uuid} over {slaves:?}");
    }
    let unread = base()
        .dm_unread("dm-0", "LVM-abc", &["sdz"])
        .predict("dm-0");
    let unpredicted = unread.limits.as_ref().expect_err("not known");
    assert!(
        unpredicted
            .why
            .contains("no unmap limit in any case, since sdz"),
        "{}",
        unpredicted.why
    );
    assert!(
        unpredicted
            .to_know
            .as_ref()
            .is_some_and(|what| what.starts_with("run as root"))
    );
}

#[test]
fn a_table_may_name_devices_by_path() {
    let line = |path: &str| format!("0 8 linear {path} 0");
    let by = |path: &str| {
        over(&[&line(path)])
            .dm("dm-1", &[&line(path)])
            .gives("dm-1")
    };
    assert_eq!(by("/dev/sdb"), Ok((1 << 20, 1 << 20, 1 << 20)));
    assert!(by("/dev/nowhere").is_err());
    let mapped = over(&["0 8 linear {sda} 0"]).dm("dm-1", &[&line("/dev/mapper/name")]);
    assert_eq!(mapped.gives("dm-1"), Ok((SD, SD, SD)));
}

#[test]
fn a_snapshot_of_the_past_is_told() {
    let world = over(&["0 8 linear {sda} 0"]);
    let rules = |three: Three| {
        over(&["0 8 linear {sda} 0"])
            .shows("dm-0", three)
            .conflict_rules("dm-0")
    };
    assert_eq!(rules((SD, SD, SD)), [""; 0]);
    assert_eq!(rules((SD, SD, 0)), [""; 0]);
    assert_eq!(rules((SD, 0, 0)), ["stacked-snapshot-stale"]);
    assert_eq!(
        rules((1 << 20, 1 << 20, 1 << 20)),
        ["stacked-snapshot-stale"]
    );
    assert_eq!(world.conflict_rules("dm-0"), [""; 0]);
    let user = World::new()
        .limited("sda", SD, 0)
        .dm("dm-0", &["0 8 linear {sda} 0"]);
    let found = user.shows("dm-0", (SD, SD, SD)).conflicts("dm-0");
    assert!(found[0].text.contains("user's limit"), "{}", found[0].text);
    // Nothing is claimed where there is no prediction.
    let unread = World::new()
        .leaf("sda", SD, SD)
        .dm_unread("dm-0", "LVM-a", &["sda"]);
    assert_eq!(
        unread.shows("dm-0", (0, 0, 0)).conflict_rules("dm-0"),
        [""; 0]
    );
}

#[test]
fn unequal_paths_are_told() {
    let line = ["0 8 multipath 0 0 1 1 service-time 0 2 0 {sda} {sdz}"];
    let world = over(&line).shows("dm-0", (SD, 0, 0));
    let found = world.conflicts("dm-0");
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].text,
        "its paths differ: sdz decides for all of them"
    );
    let equal = World::new().leaf("sda", SD, SD).leaf("sdb", SD, SD).dm(
        "dm-0",
        &["0 8 multipath 0 0 1 1 service-time 0 2 0 {sda} {sdb}"],
    );
    assert_eq!(equal.conflict_rules("dm-0"), [""; 0]);
}

#[test]
fn the_advice_to_reload_is_a_command_for_this_device() {
    let advice = |name: &str| {
        let mut world = World::new()
            .leaf("sda", SD, SD)
            .dm("dm-0", &["0 8 linear {sda} 0"]);
        let device = world.topology.get_mut(&kname("dm-0")).expect("dm-0");
        device.dm.as_mut().expect("dm").name = Reading::Present(name.into());
        let stale = world.shows("dm-0", (4096, 4096, 4096)).conflicts("dm-0");
        assert_eq!(stale[0].rule, "stacked-snapshot-stale");
        stale[0].advice.clone().expect("advice")
    };
    let plain = advice("vg-root");
    assert!(
        plain.contains("`dmsetup table vg-root | dmsetup load vg-root`, `dmsetup resume vg-root`"),
        "{plain}"
    );
    let quoted = advice(r"a\x20b's");
    assert!(
        quoted.contains(r"`dmsetup resume 'a\x20b'\''s'`"),
        "{quoted}"
    );
}
