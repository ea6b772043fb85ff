//! The requests that the kernel was seen to send, in a tracing instance of our own.

use std::fs;
use std::path::PathBuf;

use super::Evidence;
use crate::probe::outcome::Says;

const TRACEFS: &str = "/sys/kernel/tracing";

/// Events, each with a filter by the disk's number where it has one.
const EVENTS: [(&str, bool); 3] = [
    ("block/block_rq_issue", true),
    ("scsi/scsi_dispatch_cmd_start", false),
    ("nvme/nvme_setup_cmd", false),
];

/// A running trace.
#[derive(Debug)]
pub struct Trace {
    dir: PathBuf,
    disk: (u32, u32),
}

fn place(pid: u32) -> PathBuf {
    PathBuf::from(TRACEFS)
        .join("instances")
        .join(format!("zinspect-{pid}"))
}

/// Removes what a process that was ended has left.
pub fn remove(pid: u32) {
    let _ = fs::remove_dir(place(pid));
}

impl Trace {
    /// Begins; `None` where tracefs is not there or may not be written.
    pub fn begin(disk: Option<(u32, u32)>) -> Option<Self> {
        let disk = disk?;
        let dir = place(std::process::id());
        fs::create_dir(&dir).ok()?;
        let trace = Self { dir, disk };
        // include/linux/kdev_t.h: 20 bits of minor number.
        let number = (u64::from(disk.0) << 20) | u64::from(disk.1);
        for (event, by_number) in EVENTS {
            let event = trace.dir.join("events").join(event);
            if by_number {
                let _ = fs::write(event.join("filter"), format!("dev == {number}"));
            }
            let _ = fs::write(event.join("enable"), "1");
        }
        Some(trace)
    }

    /// Ends, and says what was seen.
    pub fn end(self) -> Option<Evidence> {
        let _ = fs::write(self.dir.join("tracing_on"), "0");
        let text = fs::read_to_string(self.dir.join("trace")).ok();
        evidence(&text?, self.disk)
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.dir);
    }
}

/// Requests by their letters, and the bits that ask for unmapping. A request is no proof of what became of it.
fn evidence(text: &str, disk: (u32, u32)) -> Option<Evidence> {
    let device = format!("{},{}", disk.0, disk.1);
    let mut kinds: Vec<(String, u64)> = Vec::new();
    let mut count = |kind: String| match kinds.iter_mut().find(|(known, _)| *known == kind) {
        Some((_, count)) => *count += 1,
        None => kinds.push((kind, 1)),
    };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((_, rest)) = line.split_once("block_rq_issue: ") {
            let mut words = rest.split_whitespace();
            if words.next() == Some(&device)
                && let Some(letters) = words.next()
            {
                count(name(letters).to_owned());
            }
        } else if line.contains("WRITE_SAME") {
            let unmap = if line.contains("unmap=1") {
                "with UNMAP"
            } else {
                "without UNMAP"
            };
            count(format!("WRITE SAME {unmap}"));
        } else if line.contains("nvme_cmd_write_zeroes") {
            // 0x200 of the control word is DEAC.
            let deac = if line.contains("ctrl=0x200") {
                "with DEAC"
            } else {
                "without DEAC"
            };
            count(format!("Write Zeroes {deac}"));
        } else if line.contains("nvme_cmd_dsm") {
            count("Dataset Management".to_owned());
        }
    }
    let seen: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{count} × {kind}"))
        .collect();
    (!seen.is_empty()).then(|| Evidence::new("trace", seen.join(", "), Says::Nothing))
}

/// The letters of `blk_fill_rwbs` (kernel/trace/blktrace.c). Zeroing is WZ from 6.19 on, and N before, as is everything
/// that has no letter of its own.
fn name(letters: &str) -> &str {
    match letters {
        letters if letters.starts_with("WZ") => "zeroing",
        letters if letters.starts_with('N') => "request N (passthrough, or zeroing up to 6.18)",
        letters if letters.starts_with('W') => "write",
        letters if letters.starts_with('D') => "discard",
        letters if letters.starts_with('F') => "flush",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_the_disk_are_counted() {
        let text = "\
# tracer: nop
 zinspect-99 [000] ..... 1.0: block_rq_issue: 8,16 WZS 0 () 2048 + 65535 none,0,0 [zinspect]
 zinspect-99 [000] ..... 1.0: scsi_dispatch_cmd_start: host_no=2 cmnd=(WRITE_SAME_16 lba=2048 txlen=65535 protect=raw unmap=1 raw=93)
 zinspect-99 [000] ..... 1.0: block_rq_issue: 8,16 N 0 () 2048 + 65535 none,0,0 [zinspect]
 zinspect-99 [000] ..... 1.0: block_rq_issue: 8,0 W 4096 () 2048 + 8 none,0,0 [x]
 zinspect-99 [000] ..... 1.0: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=1, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write_zeroes slba=0, len=7, ctrl=0x200, dsmgmt=0, reftag=0)
";
        let found = evidence(text, (8, 16)).expect("something");
        assert_eq!(
            found.value,
            "1 × zeroing, 1 × WRITE SAME with UNMAP, 1 × request N (passthrough, or zeroing up to 6.18), 1 × Write Zeroes with DEAC"
        );
        assert_eq!(evidence("", (8, 16)), None);
    }
}
