//! Conflicts.

use super::disk::{Disk, LBPME, LBPRZ, LBPU, LBPWS, b0, b2};
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::verdict::reason::{Conflict, Level};

fn only(disk: &Disk) -> Conflict {
    let mut found = disk.conflicts();
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = found.remove(0);
    assert!(!found.evidence.is_empty(), "{found:#?}");
    found
}

#[test]
fn a_disk_as_it_should_be_has_none() {
    for bits in [0, LBPME | LBPRZ] {
        let page = if bits == 0 { 0 } else { LBPU | LBPWS | 0x04 };
        assert_eq!(Disk::new().provisioned(bits, page).rules(), [""; 0]);
    }
}

#[test]
fn a_mode_set_by_hand_is_found_with_the_way_back() {
    let thin = || Disk::new().provisioned(LBPME | LBPRZ, LBPWS | 0x04);
    let found = only(&thin().files(true, "writesame", 65_535));
    assert_eq!(
        (found.rule, found.level),
        ("scsi-zeroing-mode-differs", Level::Warning)
    );
    let advice = found.advice.unwrap();
    assert!(
        advice.contains("echo writesame_16_unmap > /sys/devices/"),
        "{advice}"
    );
    let unmapping = Disk::new()
        .provisioned(LBPME, LBPWS)
        .files(true, "writesame_16_unmap", 65_535);
    assert_eq!(only(&unmapping).level, Level::Warning);
    // `write` and `writesame` do the same while there is a limit.
    let found = only(&Disk::new().files(false, "write", 65_535));
    assert_eq!((found.level, found.advice), (Level::Info, None));
}

#[test]
fn two_lbprz_that_disagree_are_worth_knowing() {
    let found = only(&Disk::new().provisioned(LBPME, LBPWS | 0x04));
    assert_eq!(
        (found.rule, found.level),
        ("scsi-lbprz-disagree", Level::Info)
    );
    let found = only(&Disk::new().provisioned(LBPME | LBPRZ, LBPWS));
    assert_eq!(found.rule, "scsi-lbprz-disagree");
    // 010b is a pattern, not zeroes; xx1b is zeroes.
    assert_eq!(
        Disk::new()
            .provisioned(LBPME | LBPRZ, LBPWS | 0b1_1100)
            .rules(),
        [""; 0]
    );
    assert_eq!(
        Disk::new().provisioned(LBPME, LBPWS | 0b0_1000).rules(),
        [""; 0]
    );
}

#[test]
fn a_bridge_that_unmaps_without_lbpme_is_not_to_be_trusted() {
    let found = only(&Disk::new().driver("uas").provisioned(0, LBPU));
    assert_eq!(
        (found.rule, found.level),
        ("scsi-lbpu-without-lbpme", Level::Warning)
    );
    assert!(found.advice.unwrap().contains("probe"));
    let user = Disk::new()
        .provisioned(0, LBPU)
        .files(false, "writesame", 65_535)
        .without_commands();
    assert_eq!(user.rules(), ["scsi-lbpu-without-lbpme"]);
    // LBPME that came after the last rescan is another matter.
    let gained = Disk::new()
        .provisioned(LBPME, LBPU)
        .files(false, "writesame", 65_535);
    assert_eq!(gained.rules(), [""; 0]);
    assert!(gained.because().1.contains("since the last rescan"));
}

#[test]
fn a_limit_in_a_short_page_is_ignored() {
    let lio = Disk::new().set_page(0xb0, Reading::Present(b0(44, 4096, 0)));
    let found = lio.conflicts();
    let found = found
        .iter()
        .find(|found| found.rule == "scsi-write-same-limit-ignored")
        .unwrap();
    assert_eq!(found.level, Level::Warning);
    assert!(found.advice.as_ref().unwrap().contains("echo 4096 > /sys/"));
    assert!(!lio.rules().contains(&"scsi-page-malformed"));
    let written = lio.files(false, "writesame", 4096);
    assert!(!written.rules().contains(&"scsi-write-same-limit-ignored"));
    let harmless = Disk::new().set_page(0xb0, Reading::Present(b0(44, 1 << 20, 0)));
    assert_eq!(harmless.conflicts()[0].level, Level::Info);
}

#[test]
fn a_written_limit_is_told() {
    let disk = |blocks, mode| Disk::new().files(false, mode, blocks);
    let less = only(&disk(100, "writesame"));
    assert_eq!(
        (less.rule, less.level),
        ("scsi-max-write-same-written", Level::Info)
    );
    let more = only(&disk(100_000, "writesame"));
    assert_eq!(more.level, Level::Warning);
    assert!(more.advice.unwrap().contains("echo 65535 >"));
    assert_eq!(only(&disk(0, "writesame")).level, Level::Warning);
    // The initial mode beside 0 is a driver's flag that no rule here knows: nobody wrote anything.
    assert_eq!(disk(0, "write").rules(), [""; 0]);
    // A plain user is told as well.
    assert_eq!(
        only(&disk(100, "writesame").without_commands()).rule,
        less.rule
    );
    let banned = Disk::new().driver("hpsa").files(false, "writesame", 8);
    assert!(only(&banned).advice.unwrap().contains("echo 0 >"));
}

#[test]
fn a_plain_user_sees_a_mode_under_a_limit_that_it_does_not_go_with() {
    let limit = 65_535 * 512;
    let by_user = |mode| {
        Disk::new()
            .provisioned(LBPME | LBPRZ, LBPWS | 0x04)
            .files(true, mode, 65_535)
            .queue(Attr::WriteZeroesMaxBytes, limit)
            .queue(Attr::WriteZeroesUnmapMaxHwBytes, limit)
            .without_commands()
    };
    for mode in ["write", "writesame"] {
        let found = only(&by_user(mode));
        assert_eq!(found.rule, "scsi-zeroing-mode-differs");
        assert_eq!(found.level, Level::Warning);
        let advice = found.advice.expect("advice");
        assert!(advice.contains("/device/rescan"), "{advice}");
        assert!(!advice.contains("delete"), "{advice}");
    }
    assert_eq!(by_user("writesame_16_unmap").rules(), [""; 0]);
    // Under no unmap limit the mode is sd's own.
    let plain = by_user("writesame").queue(Attr::WriteZeroesUnmapMaxHwBytes, 0);
    assert_eq!(plain.rules(), [""; 0]);
}

#[test]
fn a_plain_user_sees_that_write_same_was_given_up() {
    let by_user = |mode| {
        Disk::new()
            .provisioned(LBPME | LBPRZ, LBPWS | 0x04)
            .longest(100)
            .files(true, mode, 0)
            .without_commands()
    };
    let found = only(&by_user("writesame_16_unmap"));
    assert_eq!(found.rule, "scsi-max-write-same-written");
    assert!(found.text.contains("a WRITE SAME failed"), "{}", found.text);
    assert_eq!(by_user("write").rules(), [""; 0]);
}

#[test]
fn odd_pages_are_told() {
    let short = Disk::new()
        .provisioned(LBPME | LBPRZ, 0)
        .set_page(0xb2, Reading::Present(vec![0, 0xb2, 0, 2, 0, LBPWS]));
    let found = short.conflicts();
    let odd = found
        .iter()
        .find(|found| found.rule == "scsi-page-malformed")
        .unwrap();
    assert!(odd.text.contains("does not count"), "{}", odd.text);
    assert_eq!(short.limits().1, 0);
    let mut padded = b2(0);
    padded.extend([0; 8]);
    assert_eq!(
        Disk::new().set_page(0xb2, Reading::Present(padded)).rules(),
        ["scsi-page-malformed"]
    );
    let wrong = Disk::new().set_page(0xb0, Reading::malformed("found page code 0x00"));
    let found = only(&wrong);
    assert_eq!(found.level, Level::Warning);
    assert_eq!(wrong.limits().0, 33_553_920);
}
