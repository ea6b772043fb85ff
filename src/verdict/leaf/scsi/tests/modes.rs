//! `zeroing_mode` and `provisioning_mode`.

use super::disk::{Disk, LBPME, LBPRZ, LBPU, LBPWS, LBPWS10, b0};
use crate::facts::reading::Reading;

#[test]
fn zeroing_modes_as_sd_sets_them() {
    let thin = LBPME | LBPRZ;
    for (capacity, page, mode) in [
        (0, 0, "writesame"),
        (LBPME, LBPWS, "writesame"),
        (thin, LBPWS, "writesame_16_unmap"),
        (thin, LBPWS | LBPWS10, "writesame_16_unmap"),
        (thin, LBPWS10, "writesame_10_unmap"),
        (thin, LBPU, "writesame"),
    ] {
        let modes = Disk::new().provisioned(capacity, page).modes();
        assert_eq!(modes.zeroing, Some(mode), "{capacity:#04x} {page:#04x}");
    }
    // Inferred from the mode itself it would predict nothing.
    let user = Disk::new()
        .provisioned(0, LBPWS)
        .files(true, "writesame_16_unmap", 65_535);
    assert_eq!(user.without_commands().modes().zeroing, None);
    // A failed command leaves the mode.
    let failed = Disk::new()
        .provisioned(thin, LBPWS)
        .files(true, "writesame_16_unmap", 0);
    assert_eq!(failed.modes().zeroing, Some("writesame_16_unmap"));
    assert_eq!(
        Disk::new().files(false, "writesame", 0).modes().zeroing,
        Some("writesame")
    );
    // A ban that no rule knows.
    assert_eq!(
        Disk::new().files(false, "write", 0).modes().zeroing,
        Some("write")
    );
}

#[test]
fn provisioning_modes_as_sd_sets_them() {
    let disk = |page: u8, unmap_blocks: u32, length: u8| {
        Disk::new()
            .provisioned(LBPME, page)
            .set_page(0xb0, Reading::Present(b0(length, 0, unmap_blocks)))
    };
    for (page, blocks, length, mode, before_6_11) in [
        (LBPU, 64, 64, "unmap", "unmap"),
        (LBPU | LBPWS, 64, 64, "unmap", "unmap"),
        (LBPU | LBPWS, 0, 64, "writesame_16", "writesame_16"),
        (LBPWS10, 64, 64, "writesame_10", "writesame_10"),
        (LBPU, 0, 64, "disabled", "disabled"),
        (0, 64, 64, "disabled", "disabled"),
        (LBPU | LBPWS, 64, 44, "writesame_16", "writesame_16"),
        (LBPWS10, 64, 44, "writesame_10", "writesame_16"),
    ] {
        assert_eq!(
            disk(page, blocks, length).modes().provisioning,
            Some(mode),
            "{page:#04x}"
        );
        let mut old = disk(page, blocks, length).on_6_12();
        old.kernel = "6.1.176";
        assert_eq!(
            old.modes().provisioning,
            Some(before_6_11),
            "6.1 {page:#04x}"
        );
    }
    let no_page = |blocks| disk(0, blocks, 64).set_page(0xb2, Reading::Absent).modes();
    assert_eq!(no_page(64).provisioning, Some("unmap"));
    assert_eq!(no_page(0).provisioning, Some("writesame_16"));
    assert_eq!(Disk::new().modes().provisioning, Some("full"));
}
