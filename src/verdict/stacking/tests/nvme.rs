use super::*;

fn head(release: &str) -> World {
    World::on(release)
        .leaf("nvme0c0n1", 524_288, 524_288)
        .leaf("nvme0c1n1", 131_072, 131_072)
        .leaf("nvme0c2n1", 524_288, 0)
        .leaf("nvme0c3n1", 524_288, 524_288)
}

#[test]
fn a_head_is_the_smallest_of_its_paths() {
    let three = |paths: &[&str]| head("7.3.4").head("nvme0n1", paths).gives("nvme0n1");
    assert_eq!(three(&["nvme0c0n1"]), Ok((524_288, 524_288, 524_288)));
    assert_eq!(
        three(&["nvme0c0n1", "nvme0c1n1"]),
        Ok((131_072, 131_072, 131_072))
    );
    assert_eq!(three(&["nvme0c0n1", "nvme0c2n1"]), Ok((524_288, 0, 0)));
    assert_eq!(three(&["nvme0c1n1", "nvme0c2n1"]), Ok((131_072, 0, 0)));
    assert!(three(&[]).is_err());
}

#[test]
fn the_chain_names_the_path_that_decides() {
    let world = head("7.3.4").head("nvme0n1", &["nvme0c0n1", "nvme0c2n1"]);
    assert_eq!(
        world.chain("nvme0n1"),
        ["nvme-head-min@nvme0n1", "leaf@nvme0c2n1"]
    );
    let wanted = "no unmap limit, since nvme0c2n1 below decides: nvme0c2n1 is what it is";
    assert_eq!(world.first("nvme0n1"), wanted);
}

#[test]
fn an_old_kernel_shows_the_path_scanned_last() {
    let world = head("6.1.176").head("nvme0n1", &["nvme0c0n1", "nvme0c1n1"]);
    assert!(
        world
            .gives("nvme0n1")
            .is_err_and(|why| why.contains("131072 or 524288"))
    );
    let same = head("6.1.176").head("nvme0n1", &["nvme0c0n1", "nvme0c3n1"]);
    assert_eq!(same.gives("nvme0n1"), Ok((524_288, 524_288, 524_288)));
}

#[test]
fn a_kernel_that_may_do_either_is_not_said_to_do_one() {
    for release in ["5.14.0-503.el9.x86_64", "6.6.50", "rubbish"] {
        let world = head(release).head("nvme0n1", &["nvme0c0n1", "nvme0c1n1"]);
        let why = world.gives("nvme0n1").expect_err(release);
        assert!(why.contains("tells neither"), "{why}");
        let same = head(release).head("nvme0n1", &["nvme0c0n1", "nvme0c3n1"]);
        assert_eq!(same.gives("nvme0n1"), Ok((524_288, 524_288, 524_288)));
    }
    // And where no minimum runs, a head did not shrink.
    let world = head("6.1.176").head("nvme0n1", &["nvme0c0n1", "nvme0c3n1"]);
    let shrunk = world.shows("nvme0n1", (131_072, 131_072, 131_072));
    assert_eq!(shrunk.conflict_rules("nvme0n1"), ["stacked-snapshot-stale"]);
}

#[test]
fn a_head_that_shrank_once_stays_small() {
    let world = head("7.3.4").head("nvme0n1", &["nvme0c0n1", "nvme0c3n1"]);
    let rules =
        |world: World, three: Three| world.shows("nvme0n1", three).conflict_rules("nvme0n1");
    assert_eq!(world.conflict_rules("nvme0n1"), [""; 0]);
    assert_eq!(rules(world, (131_072, 131_072, 131_072)), ["head-shrunk"]);
    let world = head("7.3.4").head("nvme0n1", &["nvme0c0n1", "nvme0c3n1"]);
    assert_eq!(rules(world, (524_288, 0, 0)), ["head-shrunk"]);
    let world = head("7.3.4").head("nvme0n1", &["nvme0c0n1", "nvme0c1n1"]);
    assert_eq!(
        rules(world, (524_288, 524_288, 524_288)),
        ["stacked-snapshot-stale", "path-limits-differ"]
    );
}
