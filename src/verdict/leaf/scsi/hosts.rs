//! Who tells sd not to use WRITE SAME: flags of SCSI hosts and of devices, set by their drivers.
//!
//! The flags are the same in Linux 6.1, 6.12, 6.17, 6.19, 7.2 and 7.3.

use crate::facts::scsi::{ScsiFacts, is_usb_storage};
use crate::model::device::BlockDevice;

/// One driver that sets `no_write_same`.
#[derive(Debug)]
pub(super) struct HostRule {
    /// Names it gives itself: `proc_name` of the host, or that of the bus driver where it gives
    /// none.
    pub(super) names: &'static [&'static str],
    /// Where it sets the flag.
    pub(super) source: &'static str,
    /// The condition under which it does; `None` where it always does.
    pub(super) only: Option<&'static str>,
}

const fn always(names: &'static [&'static str], source: &'static str) -> HostRule {
    HostRule {
        names,
        source,
        only: None,
    }
}

const RULES: &[HostRule] = &[
    always(&["3w-9xxx"], "host template, drivers/scsi/3w-9xxx.c"),
    always(&["3w-sas"], "host template, drivers/scsi/3w-sas.c"),
    always(&["3w-xxxx"], "host template, drivers/scsi/3w-xxxx.c"),
    always(&["aacraid"], "host template, drivers/scsi/aacraid/linit.c"),
    always(
        &["arcmsr"],
        "host template, drivers/scsi/arcmsr/arcmsr_hba.c",
    ),
    always(&["hpsa"], "host template, drivers/scsi/hpsa.c"),
    always(&["ips"], "host template, drivers/scsi/ips.c"),
    always(
        &["megaraid_legacy"],
        "host template, drivers/scsi/megaraid.c",
    ),
    always(
        &["megaraid", "megaraid_mbox"],
        "host template, drivers/scsi/megaraid/megaraid_mbox.c",
    ),
    always(
        &["mpi3mr"],
        "host template, drivers/scsi/mpi3mr/mpi3mr_os.c",
    ),
    always(
        &["mptsas"],
        "host template, drivers/message/fusion/mptsas.c",
    ),
    always(
        &["pmcraid", "PMC MaxRAID"],
        "host template, drivers/scsi/pmcraid.c",
    ),
    always(
        &["storvsc_host", "hv_storvsc"],
        "host template, drivers/scsi/storvsc_drv.c",
    ),
    always(
        &["smartpqi"],
        "pqi_sdev_configure, drivers/scsi/smartpqi/smartpqi_init.c",
    ),
    HostRule {
        names: &["mptspi"],
        source: "mptspi_probe, drivers/message/fusion/mptspi.c",
        only: Some("on VMware (PCI subsystem vendor 15AD)"),
    },
    HostRule {
        names: &["megaraid_sas"],
        source: "megasas_set_fusion_target_properties, drivers/scsi/megaraid/megaraid_sas_base.c",
        only: Some("for RAID volumes of fusion adapters, not for plain disks"),
    },
    HostRule {
        names: &["uas"],
        source: "uas_sdev_configure, drivers/usb/storage/uas.c",
        only: Some("for bridges with the quirk NO_SAME"),
    },
];

const USB_STORAGE: HostRule = always(
    &["usb-storage"],
    "slave_configure, sdev_configure since 6.14 (drivers/usb/storage/scsiglue.c)",
);
const UFS: HostRule = always(
    &["ufshcd"],
    "ufshcd_sdev_configure (drivers/ufs/core/ufshcd.c)",
);
const LIBATA: HostRule = always(
    &["libata"],
    "ata_scsi_sdev_config (drivers/ata/libata-scsi.c)",
);

/// HBAs whose SATA disks libata serves (through libsas).
const LIBSAS: &[&str] = &["isci", "mvsas", "pm80xx", "pm8001", "aic94xx", "asd"];

/// The driver's rule for a device, if it has one.
pub(super) fn rule(device: &BlockDevice, facts: &ScsiFacts) -> Option<&'static HostRule> {
    if is_libata(device, facts) {
        return Some(&LIBATA);
    }
    let driver = facts.host_driver.value()?.as_str();
    if is_usb_storage(driver) {
        return Some(&USB_STORAGE);
    }
    if driver.starts_with("ufshcd") {
        return Some(&UFS);
    }
    RULES.iter().find(|rule| rule.names.contains(&driver))
}

/// Whether libata translates for the disk: then its place is below `ataN`, or libsas hands it over.
fn is_libata(device: &BlockDevice, facts: &ScsiFacts) -> bool {
    let port = |part: &str| {
        part.strip_prefix("ata")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    if device.syspath.split('/').any(port) {
        return true;
    }
    let ata = facts.vendor.value().is_some_and(|vendor| vendor == "ATA");
    let served = facts.host_driver.value().is_some_and(|driver| {
        LIBSAS.contains(&driver.as_str())
            || driver.starts_with("hisi_sas")
            || driver == "ahci"
            || ["ata_", "sata_", "pata_"]
                .iter()
                .any(|family| driver.starts_with(family))
    });
    ata && served
}
