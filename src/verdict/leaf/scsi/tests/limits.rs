//! The numbers.

use super::disk::{Disk, LBPME, LBPRZ, LBPU, LBPWS, LBPWS10, b0, b2};
use crate::facts::origin::Fact;
use crate::facts::reading::Reading;
use crate::wire::scsi::opcodes::Support;

const DEFAULT: u64 = 33_553_920;

#[test]
fn the_three_bits_decide() {
    let thin = LBPME | LBPRZ;
    for (capacity, page, hw, rule) in [
        (0, 0, 0, "scsi-lbpme"),
        (thin, LBPWS, DEFAULT, "scsi-zeroing-mode"),
        (thin, LBPWS10, DEFAULT, "scsi-zeroing-mode"),
        (thin, LBPU | LBPWS | LBPWS10, DEFAULT, "scsi-zeroing-mode"),
        (thin, LBPU, 0, "scsi-lbpws"),
        (thin, 0, 0, "scsi-lbpws"),
        (LBPME, LBPWS, 0, "scsi-lbprz"),
        (LBPME, 0, 0, "scsi-lbprz"),
        // LBPRZ and LBPWS count with LBPME alone.
        (LBPRZ, LBPWS, 0, "scsi-lbpme"),
        // LBPRZ of page B2h (bit 2) does not.
        (LBPME, LBPWS | 0x04, 0, "scsi-lbprz"),
    ] {
        let disk = Disk::new().provisioned(capacity, page);
        assert_eq!(disk.limits(), (DEFAULT, hw), "{capacity:#04x} {page:#04x}");
        assert_eq!(disk.because().0, rule, "{capacity:#04x} {page:#04x}");
    }
}

#[test]
fn the_first_reason_is_the_summary() {
    let disk = Disk::new().provisioned(LBPME, LBPWS);
    let text = "LBPME is set but LBPRZ is 0: READ CAPACITY(16) byte 14 = 0x80";
    assert_eq!(disk.because().1, text);
}

#[test]
fn the_limit_is_clamped_and_rounded() {
    let unmap = |disk: Disk| disk.provisioned(LBPME | LBPRZ, LBPWS);
    // 0 is "not reported": 65535 blocks.
    assert_eq!(unmap(Disk::new().longest(0)).limits(), (DEFAULT, DEFAULT));
    assert_eq!(Disk::new().longest(16_777_216).limits(), (4_294_966_784, 0));
    let big = Disk::new()
        .longest(16_777_216)
        .block(4096)
        .capacity(4096, 0, LBPME | LBPRZ);
    let big = big.set_page(0xb2, Reading::Present(b2(LBPWS)));
    assert_eq!(big.limits(), (34_359_734_272, 34_359_734_272));
    assert_eq!(Disk::new().capacity(512, 3, 0).limits(), (33_550_336, 0));
    assert_eq!(Disk::new().longest(100).limits(), (51_200, 0));
    assert_eq!(
        Disk::new().block(4096).capacity(4096, 0, 0).limits(),
        (268_431_360, 0)
    );
    // 32 bits are kept: 2^32 + 100, and 2^32 is "not reported".
    assert_eq!(Disk::new().longest((1 << 32) + 100).limits(), (51_200, 0));
    assert_eq!(Disk::new().longest(1 << 32).limits(), (DEFAULT, 0));
    assert_eq!(Disk::new().longest(u64::MAX).limits(), (4_294_966_784, 0));
}

#[test]
fn a_limit_below_the_physical_block_is_none() {
    let disk = Disk::new()
        .longest(4)
        .set_page(0xb2, Reading::Present(b2(LBPWS | 0x04)))
        .capacity(512, 3, LBPME | LBPRZ);
    assert_eq!(disk.limits(), (0, 0));
    let (rule, text) = disk.because();
    assert_eq!(rule, "scsi-write-same-limit");
    assert!(
        text.contains("4 blocks") && text.contains("4 KiB"),
        "{text}"
    );
    assert_eq!(disk.modes().zeroing, Some("writesame_16_unmap"));
    assert_eq!(disk.files(true, "writesame_16_unmap", 0).rules(), [""; 0]);
}

#[test]
fn qemu() {
    // scsi-hd: LBPME without LBPRZ, limit 0x3fffff.
    let scsi_hd = || {
        Disk::new()
            .vendor("QEMU")
            .driver("virtio_scsi")
            .longest(0x3f_ffff)
    };
    assert_eq!(
        scsi_hd().level(6).provisioned(LBPME, LBPWS | LBPU).limits(),
        (2_147_483_136, 0)
    );
    assert_eq!(scsi_hd().driver("uas").limits(), (2_147_483_136, 0));
    let mut ide_hd = Disk::new().vendor("ATA").driver("ahci").level(6);
    ide_hd.device.syspath = "sys/devices/pci0000:00/0000:00:03.0/ata1/host0/target0:0:0/0:0:0:0/\
                             block/sda"
        .into();
    let ide_hd = ide_hd.provisioned(LBPME, LBPWS);
    assert_eq!(ide_hd.limits(), (0, 0));
    assert_eq!(ide_hd.because().0, "scsi-no-write-same");
    assert_eq!(ide_hd.modes().zeroing, Some("write"));
    assert_eq!(ide_hd.files(true, "write", 0).rules(), [""; 0]);
}

/// D2 of the version facts: scsi_debug with scsi_level=4, which sysfs counts as 5.
#[test]
fn a_disk_below_spc_3_changes_with_6_17() {
    let ata_page = || {
        let mut page = vec![0; 572];
        (page[1], page[2], page[3]) = (0x89, 2, 0x38);
        Reading::Present(page)
    };
    let inquiry = |protect: u8| {
        let mut bytes = vec![0, 0, 4, 2, 91, protect];
        bytes.resize(96, b' ');
        Fact::file("sys/inquiry", Reading::Present(bytes))
    };
    let disk = |protect| {
        Disk::new()
            .level(5)
            .set_page(0x89, ata_page())
            .provisioned(LBPME | LBPRZ, LBPWS)
            .with(|facts| facts.inquiry = inquiry(protect))
    };
    assert_eq!(disk(0).on_6_12().limits(), (0, 0));
    assert_eq!(disk(0).on_6_12().because().0, "scsi-rsoc");
    assert_eq!(disk(0).on_6_12().modes().zeroing, Some("write"));
    assert_eq!(disk(0).limits(), (DEFAULT, 0));
    assert_eq!(disk(0).because().0, "scsi-lbpme");
    assert_eq!(disk(0).modes().zeroing, Some("writesame"));
    // With a protection type or past 2 TiB sd takes READ CAPACITY(16) even so.
    assert_eq!(disk(1).limits(), (DEFAULT, DEFAULT));
    let mut big = disk(0);
    big.device.size_bytes = Reading::Present(1 << 42);
    assert_eq!(big.limits(), (DEFAULT, DEFAULT));
    // From 6.17 on the vendor decides.
    assert_eq!(disk(1).vendor("ATA").limits(), (0, 0));
    assert_eq!(disk(1).vendor("ATAPI").limits(), (DEFAULT, DEFAULT));
    assert_eq!(disk(1).vendor("ATA").because().0, "scsi-rsoc");
}

#[test]
fn page_89h_is_harmless_where_the_question_is_answered() {
    let with_page = |disk: Disk| disk.set_page(0x89, Reading::Present(vec![0, 0x89, 0, 0]));
    assert_eq!(with_page(Disk::new()).on_6_12().limits(), (DEFAULT, 0));
    assert_eq!(with_page(Disk::new().refusing()).on_6_12().limits(), (0, 0));
    assert_eq!(with_page(Disk::new().refusing()).limits(), (DEFAULT, 0));
    assert_eq!(Disk::new().refusing().vendor("ATA").limits(), (0, 0));
    assert_eq!(Disk::new().vendor("ATA").limits(), (DEFAULT, 0));
}

/// Linux 6.1 keeps three bits of the INQUIRY version, so that version 8 is level 0 there.
#[test]
fn level_0_has_neither_pages_nor_the_long_capacity() {
    let disk = Disk::new()
        .level(0)
        .provisioned(LBPME | LBPRZ, LBPWS)
        .longest(100)
        .on_6_12();
    assert_eq!(disk.limits(), (DEFAULT, 0));
    assert_eq!(disk.modes().zeroing, Some("writesame"));
    assert_eq!(disk.modes().provisioning, Some("full"));
}

/// A disk that the matrix serves (`told-no-vpd`) refuses page 00h, and so do bridges: the kernel then has no page, and
/// the limit is its own, which can be told without `max_write_same_blocks`.
#[test]
fn a_disk_that_refuses_page_00h_has_no_pages() {
    let refused = || Reading::Unsupported("the device refused it: ILLEGAL REQUEST".into());
    let not_asked = || Reading::NotAsked("the device does not give VPD page 00h");
    let disk = Disk::new()
        .capacity(512, 0, LBPME | LBPRZ)
        .set_page(0x00, refused())
        .set_page(0xb0, not_asked())
        .set_page(0xb2, not_asked());
    assert_eq!(disk.limits(), (DEFAULT, 0));
    assert_eq!(disk.modes().zeroing, Some("writesame"));
}

#[test]
fn the_question_of_opcodes_counts_up_to_65535_blocks() {
    let without = || Disk::new().write_same(Support::NotSupported);
    assert_eq!(without().limits(), (0, 0));
    assert_eq!(without().because().0, "scsi-rsoc");
    assert_eq!(without().modes().zeroing, Some("write"));
    assert_eq!(without().longest(0).limits(), (0, 0));
    assert_eq!(without().longest(65_536).limits(), (33_554_432, 0));
    let ten = without()
        .with(|facts| facts.opcodes.write_same_10.reading = Reading::Present(Support::Standard));
    assert_eq!(ten.limits(), (DEFAULT, 0));
    assert_eq!(
        Disk::new().write_same(Support::VendorSpecific).limits(),
        (0, 0)
    );
    // The mode says unmap all the same.
    let thin = without().provisioned(LBPME | LBPRZ, LBPWS);
    assert_eq!(
        (thin.limits(), thin.modes().zeroing),
        ((0, 0), Some("writesame_16_unmap"))
    );
}

#[test]
fn drivers_forbid_write_same() {
    for driver in [
        "usb-storage",
        "ums-realtek",
        "storvsc_host",
        "hpsa",
        "ufshcd",
        "mpi3mr",
        "smartpqi",
    ] {
        let disk = Disk::new().driver(driver).provisioned(LBPME | LBPRZ, LBPWS);
        assert_eq!(disk.limits(), (0, 0), "{driver}");
        assert_eq!(disk.because().0, "scsi-no-write-same", "{driver}");
        assert_eq!(disk.modes().zeroing, Some("write"), "{driver}");
    }
    for driver in [
        "uas",
        "megaraid_sas",
        "mptspi",
        "mpt3sas",
        "virtio_scsi",
        "tcm_loopback",
    ] {
        assert_eq!(
            Disk::new().driver(driver).limits(),
            (DEFAULT, 0),
            "{driver}"
        );
    }
    let sas = Disk::new().driver("hisi_sas_v3_hw").vendor("ATA");
    assert_eq!(sas.limits(), (0, 0));
}

#[test]
fn lio_answers_a_page_that_sd_does_not_count() {
    let lio = || {
        Disk::new()
            .driver("tcm_loopback")
            .vendor("LIO-ORG")
            .set_page(0xb0, Reading::Present(b0(44, 4096, 8192)))
            .provisioned(LBPME, LBPU | LBPWS)
    };
    assert_eq!(lio().limits(), (DEFAULT, 0));
    assert_eq!(lio().modes().provisioning, Some("writesame_16"));
    // Up to 6.18 the target answers 64 bytes.
    let older = lio().set_page(0xb0, Reading::Present(b0(64, 4096, 8192)));
    assert_eq!(older.limits(), (2_097_152, 0));
    assert_eq!(older.modes().provisioning, Some("unmap"));
    // Without a unit serial it has no pages at all.
    let bare = lio()
        .provisioned(LBPME | LBPRZ, 0)
        .set_page(0xb0, Reading::Absent)
        .set_page(0xb2, Reading::Absent);
    assert_eq!(bare.limits(), (DEFAULT, 0));
    assert_eq!(bare.because().0, "scsi-lbpws");
}

#[test]
fn a_plain_user_gets_the_same_numbers() {
    let disk = |thin, mode, page| {
        Disk::new()
            .provisioned(0, page)
            .files(thin, mode, 65_535)
            .without_commands()
    };
    for (thin, mode, page, hw) in [
        (true, "writesame_16_unmap", LBPWS, DEFAULT),
        (true, "writesame_10_unmap", LBPWS10, DEFAULT),
        (true, "writesame", LBPWS, 0),
        (true, "writesame", LBPU, 0),
        (false, "writesame", 0, 0),
        (false, "writesame", LBPWS, 0),
        // Whatever the mode was set to, LBPU alone is not enough.
        (true, "write", LBPU, 0),
    ] {
        assert_eq!(
            disk(thin, mode, page).limits(),
            (DEFAULT, hw),
            "{thin} {mode} {page:#04x}"
        );
    }
    let inferred = disk(true, "writesame", LBPWS);
    assert_eq!(inferred.because().0, "scsi-lbprz");
    let evidence = inferred.predict().reasons[0].evidence.clone();
    assert!(
        evidence
            .iter()
            .any(|e| e.origin.to_string() == "inferred from zeroing_mode")
    );
}

#[test]
fn what_decides_and_was_not_read_leaves_it_unknown() {
    let disk = Disk::new()
        .provisioned(0, LBPWS)
        .files(true, "write", 65_535)
        .without_commands();
    let unknown = disk.predict().limits.unwrap_err();
    assert!(
        unknown.why.starts_with("LBPRZ is not known"),
        "{}",
        unknown.why
    );
    assert!(unknown.to_know.unwrap().contains("run as root"));
    // No scsi_disk directory and no command: not even the limit.
    let bare = Disk::new().without_commands();
    assert!(bare.predict().limits.is_err());
    assert_eq!(bare.because().0, "scsi-write-same-limit");
}

#[test]
fn what_a_user_wrote_into_the_limit_counts() {
    let disk = |blocks| {
        let disk = Disk::new().provisioned(LBPME | LBPRZ, LBPWS | 0x04);
        disk.files(true, "writesame_16_unmap", blocks)
    };
    assert_eq!(disk(65_535).limits(), (DEFAULT, DEFAULT));
    assert_eq!(disk(65_535).rules(), [""; 0]);
    assert_eq!(disk(100).limits(), (51_200, 51_200));
    assert_eq!(disk(0).limits(), (0, 0));
    let (rule, text) = disk(0).because();
    assert_eq!(rule, "scsi-no-write-same");
    assert!(text.contains("someone wrote 0"), "{text}");
    // Even against a driver's ban, until the next rescan.
    let usb = Disk::new()
        .driver("usb-storage")
        .files(false, "writesame", 8);
    assert_eq!(usb.limits(), (4096, 0));
}

#[test]
fn the_mode_written_by_hand_changes_no_limit() {
    let disk = Disk::new()
        .provisioned(LBPME | LBPRZ, LBPWS)
        .files(true, "writesame", 65_535);
    assert_eq!(disk.limits(), (DEFAULT, DEFAULT));
    let other = Disk::new()
        .provisioned(LBPME, LBPWS)
        .files(true, "writesame_16_unmap", 65_535);
    assert_eq!(other.limits(), (DEFAULT, 0));
}

#[test]
fn a_page_got_by_command_counts_only_where_the_kernel_keeps_none() {
    use crate::facts::origin::Origin;
    let by_command = |disk: Disk| {
        disk.provisioned(LBPME | LBPRZ, LBPWS)
            .longest(100)
            .with(|facts| {
                for (_, fact) in &mut facts.vpd {
                    fact.origin = Origin::Vpd {
                        via: "/dev/sda".into(),
                        what: "VPD page".into(),
                    };
                }
            })
    };
    assert_eq!(by_command(Disk::new()).limits(), (DEFAULT, 0));
    let mut old = by_command(Disk::new().on_6_12());
    old.kernel = "5.10.0-30-amd64";
    assert_eq!(old.limits().0, 51_200);
}
