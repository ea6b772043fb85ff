//! Counters of the kernel, before and after.

use std::os::unix::fs::MetadataExt;

use rustix::fd::BorrowedFd;

use super::{Evidence, Places};
use crate::probe::outcome::Says;

/// The limits that a failing command clears.
const LIMITS: [&str; 3] = [
    "write_zeroes_max_bytes",
    "write_zeroes_unmap_max_bytes",
    "discard_max_bytes",
];

/// The counters at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    stat: Option<[u64; 4]>,
    pgpgout: Option<u64>,
    limits: [Option<u64>; 3],
    blocks: Vec<Option<u64>>,
    own_blocks: Option<u64>,
}

fn number(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Reads the counters now. `own` is a scratch file.
pub fn snapshot(places: &Places, own: Option<BorrowedFd<'_>>) -> Snapshot {
    let blocks = |path: &String| std::fs::metadata(path).ok().map(|meta| meta.blocks());
    let limit = |name: &str| {
        places
            .queue
            .as_ref()
            .and_then(|queue| number(&format!("{queue}/{name}")))
    };
    let own = own.and_then(|fd| rustix::fs::fstat(fd).ok());
    Snapshot {
        stat: places
            .stat
            .as_deref()
            .and_then(|path| stat(&std::fs::read_to_string(path).ok()?)),
        pgpgout: std::fs::read_to_string("/proc/vmstat")
            .ok()
            .and_then(|text| pgpgout(&text)),
        limits: LIMITS.map(limit),
        blocks: places.files.iter().map(blocks).collect(),
        own_blocks: own.and_then(|stat| u64::try_from(stat.st_blocks).ok()),
    }
}

/// Write I/Os, written sectors, discard I/Os, discarded sectors (Documentation/block/stat.rst).
fn stat(text: &str) -> Option<[u64; 4]> {
    let mut fields = text.split_whitespace().map(str::parse::<u64>);
    let mut field = |skip: usize| fields.nth(skip)?.ok();
    Some([field(4)?, field(1)?, field(4)?, field(1)?])
}

fn pgpgout(text: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix("pgpgout "))
        .and_then(|number| number.parse().ok())
}

const SECTOR: u64 = 512;

/// What the counters' differences say of a command that covered `bytes`.
pub fn compare(places: &Places, before: &Snapshot, after: &Snapshot, bytes: u64) -> Vec<Evidence> {
    let mut found = requests(places, before, after);
    if let (Some(before), Some(after)) = (before.pgpgout, after.pgpgout) {
        let written = after.saturating_sub(before) * 1024;
        // The counter is the whole system's: less than the range cannot be a written range, more can be others'.
        let says = if written >= bytes && bytes > 0 {
            Says::Written
        } else {
            Says::Nothing
        };
        let value = format!("{written} bytes of pages written by the kernel meanwhile");
        found.push(Evidence::new("pgpgout", value, says));
    }
    for (name, (before, after)) in LIMITS.iter().zip(before.limits.iter().zip(&after.limits)) {
        if let (Some(before), Some(after)) = (before, after)
            && before != after
        {
            let value = format!("{name} went from {before} to {after} during this method");
            found.push(Evidence::new("limit", value, Says::Nothing));
        }
    }
    for (path, blocks) in places
        .files
        .iter()
        .zip(before.blocks.iter().zip(&after.blocks))
    {
        if let (Some(before), Some(after)) = blocks {
            let value = format!("{path}: {}", change(*before, *after));
            found.push(Evidence::new(
                "backing-file-blocks",
                value,
                space(*before, *after, bytes),
            ));
        }
    }
    if let (Some(before), Some(after)) = (before.own_blocks, after.own_blocks) {
        found.push(Evidence::new(
            "file-blocks",
            change(before, after),
            file_space(before, after, bytes),
        ));
    }
    found
}

fn requests(places: &Places, before: &Snapshot, after: &Snapshot) -> Vec<Evidence> {
    let (Some(before), Some(after)) = (before.stat, after.stat) else {
        return Vec::new();
    };
    let delta = |at: usize| {
        after
            .get(at)
            .zip(before.get(at))
            .map_or(0, |(a, b)| a.saturating_sub(*b))
    };
    let (ios, sectors, discards, discarded) = (delta(0), delta(1), delta(2), delta(3));
    let mut found = Vec::new();
    if let Some(average) = (sectors * SECTOR)
        .checked_div(ios)
        .filter(|average| *average > 0)
    {
        let offload = places.max_request.is_some_and(|largest| average > largest);
        let how = if offload {
            ", larger than any write: the device's own zeroing"
        } else {
            ""
        };
        let value = format!("{ios} write I/Os of {average} bytes on average{how}");
        found.push(Evidence::new("stat", value, Says::Nothing));
    }
    if discards > 0 {
        let value = format!("{discards} discard I/Os, {} bytes", discarded * SECTOR);
        found.push(Evidence::new("stat", value, Says::Nothing));
    }
    found
}

fn change(before: u64, after: u64) -> String {
    format!(
        "{} bytes in use before, {} after",
        before * SECTOR,
        after * SECTOR
    )
}

/// Half of the range is enough: filesystems give back whole blocks of their own only.
fn space(before: u64, after: u64, bytes: u64) -> Says {
    let freed = before.saturating_sub(after) * SECTOR;
    if freed >= bytes / 2 && freed > 0 {
        Says::Unmapped
    } else {
        Says::Written
    }
}

/// A file whose extents were turned into unwritten ones keeps its space, and nothing was written.
fn file_space(before: u64, after: u64, bytes: u64) -> Says {
    match space(before, after, bytes) {
        Says::Unmapped => Says::Unmapped,
        _ => Says::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_those_of_the_kernels_documentation() {
        let text = "    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n";
        assert_eq!(stat(text), Some([5, 7, 12, 14]));
        assert_eq!(stat("1 2 3"), None);
        assert_eq!(pgpgout("nr_dirty 1\npgpgin 4\npgpgout 77\n"), Some(77));
    }

    #[test]
    fn a_file_that_shrank_says_unmapped() {
        let places = Places {
            files: vec!["/image".to_owned()],
            ..Places::default()
        };
        let at = |blocks| Snapshot {
            blocks: vec![Some(blocks)],
            pgpgout: Some(10),
            ..Snapshot::default()
        };
        let says = |before, after| {
            let found = compare(&places, &at(before), &at(after), 1 << 20);
            found.last().map(|evidence| evidence.says)
        };
        assert_eq!(says(4096, 2048), Some(Says::Unmapped));
        assert_eq!(says(4096, 4095), Some(Says::Written));
        assert_eq!(says(4096, 4096), Some(Says::Written));
    }

    #[test]
    fn pages_that_the_kernel_wrote_say_written() {
        let at = |pgpgout| Snapshot {
            pgpgout: Some(pgpgout),
            ..Snapshot::default()
        };
        let says = |kib| {
            compare(&Places::default(), &at(0), &at(kib), 1 << 20)
                .pop()
                .map(|e| e.says)
        };
        assert_eq!(says(1024), Some(Says::Written));
        assert_eq!(says(1023), Some(Says::Nothing));
    }

    #[test]
    fn a_limit_that_fell_is_told() {
        let at = |limit| Snapshot {
            limits: [Some(limit), None, None],
            ..Snapshot::default()
        };
        let found = compare(&Places::default(), &at(4096), &at(0), 1);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].value,
            "write_zeroes_max_bytes went from 4096 to 0 during this method"
        );
    }
}
