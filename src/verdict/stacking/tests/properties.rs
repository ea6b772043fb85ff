use proptest::prelude::*;

use super::*;

fn passed() -> impl Strategy<Value = Passed> {
    let sizes = prop_oneof![Just(0u64), Just(65_536), Just(SD), Just(MAX)];
    (sizes, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(wz, unmaps, stale, limited)| {
        let hw = if unmaps { wz } else { 0 };
        let user = if limited { 0 } else { UNLIMITED };
        Passed {
            wz: if stale { 0 } else { wz },
            hw,
            user,
        }
    })
}

fn world_of(legs: &[Passed]) -> (World, Vec<String>) {
    let names: Vec<String> = (0..legs.len()).map(|at| format!("leg{at}")).collect();
    let world = legs
        .iter()
        .zip(&names)
        .fold(World::new(), |world, (passed, name)| {
            world.leaf_that(name, (passed.hw.max(passed.wz), passed.hw), *passed)
        });
    (world, names)
}

/// The same stack of one kind over some legs.
fn stacked(kind: usize, legs: &[Passed]) -> Option<Three> {
    let (world, names) = world_of(legs);
    let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
    let world = match kind {
        0 => {
            let line = |name: &String| format!("0 8 linear {{{name}}} 0");
            let lines: Vec<String> = names.iter().map(line).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            world.dm("top0", &lines)
        }
        1 => world.md("top0", "raid0", 524_288, &borrowed),
        2 => world.md("top0", "linear", 524_288, &borrowed),
        3 => world.head("top0", &borrowed),
        4 => world.dm_unread("top0", "mpath-1", &borrowed),
        _ => world.md("top0", "raid5", 524_288, &borrowed),
    };
    world.gives("top0").ok()
}

proptest! {
    #[test]
    fn one_leg_more_never_strengthens(
        kind in 0usize..6,
        legs in prop::collection::vec(passed(), 1..5),
        more in passed(),
    ) {
        let mut all = legs.clone();
        all.push(more);
        // A head alone may have none: over a path that no nvme driver makes.
        let (Some(without), Some(with)) = (stacked(kind, &legs), stacked(kind, &all)) else {
            prop_assert_eq!(kind, 3);
            return Ok(());
        };
        prop_assert!(with.0 <= without.0 && with.1 <= without.1 && with.2 <= without.2, "{without:?} {with:?}");
        prop_assert!(with.1 == 0 || with.1 == with.0, "the kernel takes no other: {with:?}");
    }

    #[test]
    fn the_order_of_legs_changes_nothing(kind in 0usize..6, legs in prop::collection::vec(passed(), 1..5)) {
        let forth = stacked(kind, &legs);
        let back: Vec<Passed> = legs.iter().rev().copied().collect();
        prop_assert_eq!(forth, stacked(kind, &back));
    }

    /// Devices of any kind on devices of any name, themselves and missing ones included, with any words as facts.
    #[test]
    fn no_facts_panic_and_cycles_end(
        release in "[0-9.]{0,6}",
        stacks in prop::collection::vec(
            (0usize..6, "[a-z0-9 :-]{0,12}", prop::collection::vec(0usize..9, 0..4), any::<u64>()),
            0..8,
        ),
        shown in any::<(u32, u32, u32)>(),
    ) {
        let mut world = World::on(&release).leaf("dev0", SD, SD).stale("dev1", SD).unknown("dev2");
        for (at, (kind, words, below, chunk)) in stacks.iter().enumerate() {
            let name = format!("dev{}", at + 3);
            let names: Vec<String> = below.iter().map(|index| format!("dev{index}")).collect();
            let below: Vec<&str> = names.iter().map(String::as_str).collect();
            world = match kind {
                0 => world.dm_unread(&name, words, &below),
                1 => world.md(&name, words, *chunk, &below),
                2 => world.md(&name, "raid0", *chunk, &below),
                3 => world.head(&name, &below),
                4 => world.partition(&name, below.first().copied().unwrap_or("dev9")),
                _ => world.dm(&name, &[&format!("0 8 linear 8:{} 0", chunk % 12), "8 8 multipath 0 0 0 0"]),
            };
            world = world.shows(&name, (shown.0.into(), shown.1.into(), shown.2.into()));
        }
        let judge = world.judge();
        for device in world.topology.iter() {
            judge.predict(&device.kname);
            conflicts(&judge, device);
        }
    }
}
