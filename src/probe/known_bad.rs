//! Devices known to hang on, or to fail at, a request for zeroes that they claim to know: never probed. One row each,
//! with its source. A device that merely lies is no row: the probe's first small command finds that out.

/// How a device is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// USB vendor and product.
    Usb(u16, u16),
    /// PCI vendor and device of an NVMe controller.
    Pci(u16, u16),
    /// A driver's name in `scsi_host/hostN/proc_name`.
    ScsiHost(&'static str),
}

/// A row of the list.
#[derive(Debug, PartialEq, Eq)]
pub struct Bad {
    /// How it is recognised.
    pub matches: Match,
    /// What it does.
    pub why: &'static str,
    /// Where that stands.
    pub from: &'static str,
}

/// The list.
pub const LIST: &[Bad] = &[
    Bad {
        matches: Match::Usb(0x0bda, 0x9210),
        why: "RTL9210B bridge: an unmap hung the disk and the host until both were switched off",
        from: "public test notes on forced unmap; kernel bugzilla 220810 is the same bridge",
    },
    Bad {
        matches: Match::ScsiHost("megaraid_sas"),
        why: "MegaRAID 9560-8i with an ATA SSD: the controller resets when a range is zeroed by WRITE SAME with UNMAP",
        from: "linux-scsi report on commit c92a6b5d6335",
    },
    Bad {
        matches: Match::Pci(0x1c5c, 0x1504),
        why: "SK hynix SC300/PC400: claims Write Zeroes, and answers it with errors or very slowly",
        from: "kernel quirk NVME_QUIRK_DISABLE_WRITE_ZEROES, commit 5611ec2b9814",
    },
    Bad {
        matches: Match::Pci(0x144d, 0xa80b),
        why: "Samsung PM9B1: claims Write Zeroes, and answers it with errors or very slowly",
        from: "kernel quirk NVME_QUIRK_DISABLE_WRITE_ZEROES, drivers/nvme/host/pci.c",
    },
    Bad {
        matches: Match::Pci(0x1cc4, 0x6303),
        why: "UMIS RPJTJ512MGE1QDY: claims Write Zeroes, and answers it with errors or very slowly",
        from: "kernel quirk NVME_QUIRK_DISABLE_WRITE_ZEROES, drivers/nvme/host/pci.c",
    },
    Bad {
        matches: Match::Pci(0x1cc4, 0x6302),
        why: "UMIS RPJTJ256MGE1QDY: claims Write Zeroes, and answers it with errors or very slowly",
        from: "kernel quirk NVME_QUIRK_DISABLE_WRITE_ZEROES, drivers/nvme/host/pci.c",
    },
];

/// The row for a device that is recognised in one of these ways.
pub fn find(known: &[Match]) -> Option<&'static Bad> {
    LIST.iter().find(|bad| known.contains(&bad.matches))
}
