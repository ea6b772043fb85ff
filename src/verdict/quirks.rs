//! NVMe quirks that bear on zeroing, for kernels whose sysfs does not show them (before 7.0).
//!
//! From `nvme_id_table`, drivers/nvme/host/pci.c, as it stands in 6.1 to 7.3. The first matching entry wins there, so
//! one row for each id. Fabrics controllers have no PCI id and no quirk of these.

use crate::facts::kernel::Kernel;
use crate::facts::nvme::Controller;
use crate::facts::origin::Origin;
use crate::facts::reading::Reading;
use crate::verdict::reason::Evidence;

bitflags::bitflags! {
    /// Quirks that bear on zeroing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Quirks: u8 {
        /// `NVME_QUIRK_DEALLOCATE_ZEROES`: Write Zeroes is sent as Dataset Management, Deallocate.
        const DEALLOCATE_ZEROES = 1;
        /// `NVME_QUIRK_DISABLE_WRITE_ZEROES`: Write Zeroes is never sent, whatever ONCS says.
        const DISABLE_WRITE_ZEROES = 1 << 1;
    }
}

use Quirks as Q;

/// PCI vendor, device, quirk.
const TABLE: &[(u16, u16, Quirks)] = &[
    (0x8086, 0x0953, Q::DEALLOCATE_ZEROES),
    (0x8086, 0x0a53, Q::DEALLOCATE_ZEROES),
    (0x8086, 0x0a54, Q::DEALLOCATE_ZEROES),
    (0x8086, 0x0a55, Q::DEALLOCATE_ZEROES),
    (0x8086, 0xf1a5, Q::DISABLE_WRITE_ZEROES),
    (0x8086, 0x5845, Q::DISABLE_WRITE_ZEROES),
    (0x144d, 0xa822, Q::DISABLE_WRITE_ZEROES),
    (0x144d, 0xa809, Q::DISABLE_WRITE_ZEROES),
    (0x144d, 0xa80b, Q::DISABLE_WRITE_ZEROES),
    (0x15b7, 0x2001, Q::DISABLE_WRITE_ZEROES),
    (0x1987, 0x5019, Q::DISABLE_WRITE_ZEROES),
    (0x1987, 0x5021, Q::DISABLE_WRITE_ZEROES),
    (0x1c5c, 0x1504, Q::DISABLE_WRITE_ZEROES),
    (0x1c5c, 0x1d59, Q::DISABLE_WRITE_ZEROES),
    (0x1cc4, 0x6302, Q::DISABLE_WRITE_ZEROES),
    (0x1cc4, 0x6303, Q::DISABLE_WRITE_ZEROES),
    (0x1d97, 0x2263, Q::DISABLE_WRITE_ZEROES),
    (0x2646, 0x5016, Q::DISABLE_WRITE_ZEROES),
    (0x2646, 0x5018, Q::DISABLE_WRITE_ZEROES),
    (0x2646, 0x501a, Q::DISABLE_WRITE_ZEROES),
    (0x2646, 0x501b, Q::DISABLE_WRITE_ZEROES),
    (0x2646, 0x501e, Q::DISABLE_WRITE_ZEROES),
    (0x2646, 0x502f, Q::DISABLE_WRITE_ZEROES),
];

/// The quirks in force for a controller, with where that stands; unknown where neither sysfs nor the table can tell.
pub fn in_force(controller: &Controller, kernel: &Kernel) -> (Option<Quirks>, Evidence) {
    let file = format!("/{}/quirks", controller.syspath);
    match &controller.quirks {
        Reading::Present(names) => {
            let mut quirks = Quirks::empty();
            quirks.set(
                Q::DEALLOCATE_ZEROES,
                names.iter().any(|n| n == "deallocate_zeroes"),
            );
            quirks.set(
                Q::DISABLE_WRITE_ZEROES,
                names.iter().any(|n| n == "disable_write_zeroes"),
            );
            let value = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(" ")
            };
            (Some(quirks), Evidence::new(Origin::File(file), value))
        }
        Reading::Absent => {
            let rule = "nvme_id_table (drivers/nvme/host/pci.c)";
            match controller.pci_id {
                Reading::Present((vendor, device)) => {
                    let Some(quirks) = by_id(vendor, device, kernel) else {
                        let value = format!(
                            "{vendor:04x}:{device:04x}: a row that some point releases have, and {kernel} does not tell"
                        );
                        return (None, Evidence::rule(rule, value));
                    };
                    let names: Vec<&str> = quirks.iter_names().map(|(name, _)| name).collect();
                    let names = if names.is_empty() {
                        "none".to_owned()
                    } else {
                        names.join(" ")
                    };
                    let value = format!("{vendor:04x}:{device:04x}: {names}");
                    (Some(quirks), Evidence::rule(rule, value))
                }
                Reading::Absent => (
                    Some(Quirks::empty()),
                    Evidence::rule(rule, "no PCI function: no quirk"),
                ),
                _ => (None, Evidence::rule(rule, "the PCI id could not be read")),
            }
        }
        other => {
            let value = other.detail().unwrap_or_default();
            (None, Evidence::new(Origin::File(file), value))
        }
    }
}

/// The table's row for an id on a kernel, with the rows that came and went; `None` where the release does not tell
/// whether it has one.
fn by_id(vendor: u16, device: u16, kernel: &Kernel) -> Option<Quirks> {
    let row = TABLE.iter().find(|(v, d, _)| (*v, *d) == (vendor, device));
    let Some((_, _, quirks)) = row else {
        return Some(Quirks::empty());
    };
    let in_this_kernel = match (vendor, device) {
        // P4500 and P4600: gone by 6.16.
        (0x8086, 0x0a54 | 0x0a55) => kernel.has(6, 16).map(|gone| !gone),
        // BC901: since 6.12.
        (0x1c5c, 0x1d59) => kernel.has(6, 12),
        // OM3SGP4.
        (0x2646, 0x502f) => of_7_0(kernel),
        _ => Some(true),
    };
    in_this_kernel.map(|has| if has { *quirks } else { Quirks::empty() })
}

/// Two changes of 7.0 that went to the same point releases: the row of OM3SGP4 (2646:502f), and that quirk
/// `DISABLE_WRITE_ZEROES` holds against WZSL too. 6.16.12 to 6.19.14 have neither.
pub fn of_7_0(kernel: &Kernel) -> Option<bool> {
    match (kernel.has(7, 0), kernel.version) {
        (Some(false), Some((6, 13..=19))) => Some(false),
        _ => kernel.has_fix((7, 0), &[(6, 1, 175), (6, 12, 86)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_came_and_went() {
        let on = |release: &str, vendor, device| by_id(vendor, device, &Kernel::parse(release));
        let (deallocates, disabled) = (Some(Q::DEALLOCATE_ZEROES), Some(Q::DISABLE_WRITE_ZEROES));
        let none = Some(Q::empty());
        assert_eq!(on("6.12.117", 0x8086, 0x0a54), deallocates);
        assert_eq!(on("6.17.13", 0x8086, 0x0a54), none);
        assert_eq!(on("6.1.176", 0x1c5c, 0x1d59), none);
        assert_eq!(on("6.12.117", 0x1c5c, 0x1d59), disabled);
        assert_eq!(on("6.18.15", 0x2646, 0x502f), none);
        assert_eq!(on("7.0.13", 0x2646, 0x502f), disabled);
        assert_eq!(on("7.3.4", 0x1b36, 0x0010), none);
    }

    #[test]
    fn a_row_of_point_releases_counts_from_these_on() {
        let on = |release: &str| by_id(0x2646, 0x502f, &Kernel::parse(release));
        assert_eq!(on("6.12.117"), Some(Q::DISABLE_WRITE_ZEROES));
        assert_eq!(on("6.12.86"), Some(Q::DISABLE_WRITE_ZEROES));
        assert_eq!(on("6.12.85"), Some(Q::empty()));
        assert_eq!(on("6.1.174"), Some(Q::empty()));
        assert_eq!(on("6.1.175"), Some(Q::DISABLE_WRITE_ZEROES));
        for untold in ["6.1.0-31-amd64", "6.6.30", "5.14.0-503.el9", "rubbish"] {
            assert_eq!(on(untold), None, "{untold}");
        }
    }
}
