use super::*;

fn array(level: &str, chunk: u64) -> World {
    World::new()
        .leaf("sda", SD, SD)
        .leaf("sdb", 1 << 20, 1 << 20)
        .leaf("sdz", SD, 0)
        .leaf("sdn", 0, 0)
        .md("md0", level, chunk, &["sda", "sdb"])
}

#[test]
fn raid0_is_the_smaller_of_chunk_and_members() {
    let raid0 = |chunk: u64, members: &[&str]| {
        array("raid1", 0)
            .md("md1", "raid0", chunk, members)
            .gives("md1")
    };
    assert_eq!(
        raid0(524_288, &["sda", "sdb"]),
        Ok((524_288, 524_288, 524_288))
    );
    assert_eq!(raid0(65_536, &["sda"]), Ok((65_536, 65_536, 65_536)));
    assert_eq!(
        raid0(4 << 20, &["sda", "sdb"]),
        Ok((1 << 20, 1 << 20, 1 << 20))
    );
    assert_eq!(raid0(524_288, &["sda", "sdz"]), Ok((524_288, 0, 0)));
    assert_eq!(raid0(524_288, &["sda", "sdn"]), Ok((0, 0, 0)));
    assert_eq!(raid0(524_288, &["md0"]), Ok((0, 0, 0)));
    assert!(raid0(0, &["sda"]).is_err());
    assert!(raid0(524_288, &[]).is_err());
}

#[test]
fn raid0_says_whether_chunk_or_member_decides() {
    let world = array("raid0", 524_288);
    assert_eq!(world.first("md0"), "a command ends at the chunk of 512 KiB");
    assert_eq!(world.chain("md0"), ["md-raid0-chunk@md0", "leaf@sdb"]);
    let world = array("raid0", 4 << 20);
    assert_eq!(world.chain("md0"), ["md-raid0-min@md0", "leaf@sdb"]);
    let world = array("raid1", 0).md("md1", "raid0", 524_288, &["sda", "sdz"]);
    assert_eq!(
        world.first("md1"),
        "no unmap limit, since sdz below decides: sdz is what it is"
    );
}

#[test]
fn levels_with_copies_or_parity_pass_nothing() {
    for level in ["raid1", "raid10", "raid4", "raid5", "raid6"] {
        let world = array(level, 524_288);
        assert_eq!(world.gives("md0"), Ok((0, 0, 0)), "{level}");
        assert_eq!(world.chain("md0"), ["md-level@md0"]);
    }
    assert!(array("container", 0).gives("md0").is_err());
}

#[test]
fn linear_begins_at_its_rounding_only_where_it_came_back() {
    let linear = |release: &str, chunk: u64| {
        World::on(release)
            .leaf("sda", SD, SD)
            .leaf("sdb", 1 << 20, 1 << 20)
            .md("md0", "linear", chunk, &["sda", "sdb"])
            .gives("md0")
    };
    assert_eq!(linear("6.1.176", 65_536), Ok((1 << 20, 1 << 20, 1 << 20)));
    assert_eq!(linear("6.1.176", 0), Ok((1 << 20, 1 << 20, 1 << 20)));
    assert_eq!(linear("7.3.4", 65_536), Ok((65_536, 65_536, 65_536)));
    assert_eq!(linear("7.3.4", 4 << 20), Ok((1 << 20, 1 << 20, 1 << 20)));
    assert_eq!(linear("7.3.4", 0), Ok((0, 0, 0)));
    assert!(linear("6.9.0", 65_536).is_err());
    // A vendor's kernel may have either.
    assert!(linear("5.14.0-503.el9.x86_64", 0).is_err());
    assert!(linear("5.14.0-503.el9.x86_64", 65_536).is_err());
    assert!(linear("", 0).is_err());
    assert_eq!(linear("", 4 << 20), Ok((1 << 20, 1 << 20, 1 << 20)));
}

#[test]
fn levels_that_are_gone_promise_nothing() {
    for level in ["faulty", "multipath"] {
        let on = |release: &str| {
            World::on(release)
                .leaf("sda", SD, SD)
                .md("md0", level, 0, &["sda"])
                .gives("md0")
        };
        assert_eq!(on("6.1.176"), Ok((SD, SD, SD)), "{level}");
        assert!(on("7.3.4").is_err_and(|why| why.contains("gone since 6.8")));
    }
}

#[test]
fn a_linear_array_without_rounding_is_a_layer_that_never_passes() {
    let lints = |chunk: u64| -> Vec<&str> {
        let world = array("linear", chunk);
        let judge = world.judge();
        let devices: Vec<&BlockDevice> = world.topology.iter().collect();
        let found = crate::verdict::lint::run(&judge, &devices);
        found.iter().map(|finding| finding.lint).collect()
    };
    assert!(lints(0).contains(&"layer-never-passes"));
    assert!(!lints(65_536).contains(&"layer-never-passes"));
}

#[test]
fn an_array_over_a_stale_member_could_not_start() {
    for level in ["raid0", "linear"] {
        let world = World::new().leaf("sda", SD, SD).stale("sdb", SD);
        let world = world.md("md0", level, 524_288, &["sda", "sdb"]);
        assert_eq!(world.gives("md0"), Ok((0, 0, 0)), "{level}");
        assert_eq!(
            world.chain("md0"),
            ["md-cannot-start@md0", "runtime-disabled@sdb", "leaf@sdb"]
        );
        let running = world.shows("md0", (524_288, 524_288, 524_288));
        assert_eq!(
            running.conflict_rules("md0"),
            ["md-cannot-start", "stacked-snapshot-stale"]
        );
        let disabled = running.shows("md0", (0, 524_288, 524_288));
        assert_eq!(
            disabled.conflict_rules("md0"),
            ["md-runtime-disabled", "md-cannot-start"]
        );
        // The same with a user's limit of 0: MD itself clears wz alone.
        let limited = disabled.shows("md0", (0, 524_288, 0));
        assert_eq!(
            limited.conflict_rules("md0"),
            ["md-runtime-disabled", "md-cannot-start"]
        );
    }
    // Another member without unmap makes hw 0, and then it starts.
    let world =
        World::new()
            .leaf("sdz", SD, 0)
            .stale("sdb", SD)
            .md("md0", "raid0", 4096, &["sdz", "sdb"]);
    assert_eq!(world.gives("md0"), Ok((0, 0, 0)));
    assert_eq!(world.chain("md0")[0], "md-raid0-min@md0");
    // Before 6.17 a failure just means no command: there is no hw to be left behind.
    let world = World::on("6.12.117")
        .leaf_that(
            "sdb",
            (SD, SD),
            Passed {
                wz: 0,
                hw: 0,
                user: UNLIMITED,
            },
        )
        .md("md0", "raid0", 524_288, &["sdb"]);
    assert_eq!(world.gives("md0"), Ok((0, 0, 0)));
    assert_eq!(world.chain("md0")[0], "md-raid0-min@md0");
}

#[test]
fn an_array_that_is_only_planned_is_not_to_be_stopped() {
    let mut world = World::new()
        .stale("sdb", SD)
        .md("md0", "raid0", 524_288, &["sdb"]);
    let advice = |world: &World| {
        let found = world.conflicts("md0");
        let found = found.first().expect("md-cannot-start");
        assert_eq!(found.rule, "md-cannot-start");
        format!("{} {}", found.text, found.advice.clone().expect("advice"))
    };
    let running = advice(&world);
    assert!(
        running.contains("once stopped") && running.contains("do not stop"),
        "{running}"
    );
    let device = world.topology.get_mut(&kname("md0")).expect("md0");
    device.md.as_mut().expect("md").array_state = Reading::NotAsked("it does not exist yet");
    let planned = advice(&world);
    assert!(!planned.contains("stop"), "{planned}");
    assert!(planned.contains("do not build"), "{planned}");
}

#[test]
fn dm_on_md_on_dm_on_md() {
    let world = array("raid0", 524_288)
        .dm("dm-0", &["0 8 linear {md0} 0"])
        .md("md1", "raid0", 65_536, &["dm-0", "sda"])
        .partition("md1p1", "md1")
        .dm("dm-1", &["0 8 striped 2 8 {md1p1} 0 {sda} 0"]);
    assert_eq!(world.gives("dm-1"), Ok((65_536, 65_536, 65_536)));
    assert_eq!(
        world.chain("dm-1"),
        [
            "dm-min@dm-1",
            "partition-queue@md1p1",
            "md-raid0-chunk@md1",
            "dm-min@dm-0",
            "md-raid0-chunk@md0",
            "leaf@sdb"
        ]
    );
    assert_eq!(
        world.first("dm-1"),
        "takes the smallest limits of 2 devices, those of md1p1"
    );
}

#[test]
fn an_array_that_does_not_run_has_no_prediction() {
    let mut world = array("raid0", 524_288);
    let device = world.topology.get_mut(&kname("md0")).expect("md0");
    device.md.as_mut().expect("md").array_state = Reading::Present("inactive".into());
    assert!(
        world
            .gives("md0")
            .is_err_and(|why| why.contains("not running"))
    );
}
