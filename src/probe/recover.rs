//! Which device a journal's bytes belong to, and whether they may be put back there.

use rustix::fd::AsFd;

use super::exec::{self, Buffer};
use super::gather;
use super::journal::{self, CHUNK, Header, Kept};
use super::pattern::{self, Pattern};
use super::plan::{Mode, Plan};
use super::refusal::Refusal;
use super::safety::{self, ArmedPlan};
use super::span::Span;
use super::target::{Device, Target};
use crate::facts::collect::Collector;
use crate::source::errno;

/// Finds the device, makes sure of it, and claims it. `agreed` names it, whatever it holds by now.
pub fn arm(collector: &Collector, kept: Kept, agreed: Option<&str>) -> Result<ArmedPlan, Refusal> {
    kept.each(|_, _| Ok(())).map_err(Refusal::Journal)?;
    let device = find(collector, kept.header())?;
    safety::refuse(&Target::Device(Box::new(device.clone())))?;
    let (sure, identity) = (is_sure(kept.header(), &device), device.identity.clone());
    match agreed {
        Some(given) if given != identity => {
            let given = given.to_owned();
            return Err(Refusal::OtherIdentity { given, identity });
        }
        _ => {}
    }
    let plan = Plan {
        mode: Mode::Preserve,
        methods: Vec::new(),
        range: kept.header().range,
        span: kept.header().span,
        identity: Some(identity.clone()),
    };
    let armed = safety::arm_recovery(collector, plan, &device, kept)?;
    if agreed.is_some() {
        return Ok(armed);
    }
    let unknown = |what, why: String| {
        let kname = device.kname.clone();
        let why =
            format!("{why}; if they shall go there all the same, give --yes-destroy={identity}");
        Err(Refusal::Unknown { kname, what, why })
    };
    let found = look(&armed).map_err(|why| {
        Refusal::Journal(format!(
            "{why}; --yes-destroy={identity} puts its bytes back without looking at what is there"
        ))
    })?;
    match (found.foreign, sure || found.told) {
        (Some(at), _) => unknown(
            "whether the journal's bytes are still wanted there",
            format!(
                "what stands at {at} is neither the journal's, nor zeroes, nor the probe's own: somebody wrote there since, or it is another device"
            ),
        ),
        (None, false) => unknown(
            "whether the journal is its own",
            "it has no lasting identity, and its bytes do not tell".to_owned(),
        ),
        (None, true) => Ok(armed),
    }
}

/// A lasting identity, or the same appearance of the device in the same boot.
fn is_sure(header: &Header, device: &Device) -> bool {
    header.identity == device.identity && (header.identity_lasts || is_same(header, device))
}

/// The very appearance of a device from which the journal was taken.
fn is_same(header: &Header, device: &Device) -> bool {
    header.boot_id == journal::boot_id()
        && header.diskseq.is_some()
        && header.diskseq == device.diskseq
}

/// Whether a device can be the journal's: it has its name and its shape.
fn fits(header: &Header, device: &Device) -> bool {
    let named = if header.identity_lasts {
        device.identity == header.identity
    } else {
        !device.identity_lasts && device.kname == header.kname
    };
    named
        && device.start_bytes == header.start_bytes
        && device.size_bytes == header.size_bytes
        && device.block == header.block
}

fn find(collector: &Collector, header: &Header) -> Result<Device, Refusal> {
    let names = collector
        .list()
        .map_err(|error| Refusal::NoTarget(error.to_string()))?;
    let devices = names
        .iter()
        .filter_map(|name| match gather::target(collector, name.as_str()) {
            Ok(Target::Device(device)) if fits(header, &device) => Some(*device),
            _ => None,
        });
    the_one(header, devices.collect())
}

/// Makers give several devices one serial number: of those, none is taken but the one that the journal's was.
fn the_one(header: &Header, mut devices: Vec<Device>) -> Result<Device, Refusal> {
    if let Some(at) = devices.iter().position(|device| is_same(header, device)) {
        return Ok(devices.swap_remove(at));
    }
    let names: Vec<String> = devices.iter().map(|device| device.kname.clone()).collect();
    match (devices.pop(), devices.is_empty()) {
        (Some(device), true) => Ok(device),
        (Some(_), false) => Err(Refusal::NoTarget(format!(
            "{} are each {} of {} bytes, and the journal's bytes belong to one of them (it was {}): take the others away",
            names.join(", "),
            header.identity,
            header.size_bytes,
            header.kname
        ))),
        (None, _) => Err(Refusal::NoTarget(format!(
            "no device here is {} of {} bytes{}, whose bytes the journal holds (it was {})",
            header.identity,
            header.size_bytes,
            match header.start_bytes {
                0 => String::new(),
                start => format!(" at {start} of its disk"),
            },
            header.kname
        ))),
    }
}

/// What stands where the journal's bytes belong.
struct Look {
    /// The first block that is neither the journal's, nor zeroes, nor the run's pattern.
    foreign: Option<u64>,
    /// Whether any block can be this very device's only.
    told: bool,
}

fn look(armed: &ArmedPlan) -> Result<Look, String> {
    let mut look = Look {
        foreign: None,
        told: false,
    };
    let Some(kept) = armed.journal() else {
        return Err("there is no journal".to_owned());
    };
    let run = kept.header().run;
    let mut buffer = Buffer::new(usize::try_from(CHUNK).unwrap_or(0)).map_err(errno::describe)?;
    kept.each(|span, bytes| {
        let found = buffer.get_mut(..bytes.len()).unwrap_or_default();
        exec::read(armed.fd().as_fd(), span.offset, found).map_err(|error| {
            format!(
                "reading the device at {}: {}",
                span.offset,
                errno::describe(error)
            )
        })?;
        look.blocks(run, span, found, bytes);
        Ok(())
    })?;
    Ok(look)
}

impl Look {
    fn blocks(&mut self, run: u32, span: Span, found: &[u8], kept: &[u8]) {
        for (block, (found, kept)) in span
            .pieces(512)
            .zip(found.chunks(512).zip(kept.chunks(512)))
        {
            let same = found == kept;
            let zeroes = pattern::all(found, 0);
            let ours = !same && !zeroes && Pattern::is_of_run(run, block.offset, found);
            // Zeroes alone tell nothing: an empty disk of the same size has them too.
            self.told |= ours || (same && !zeroes);
            if !(ours || same || zeroes) {
                self.foreign = self.foreign.or(Some(block.offset));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::fixtures::disk;
    use super::*;

    fn header(device: &Device) -> Header {
        Header {
            identity: device.identity.clone(),
            identity_lasts: device.identity_lasts,
            kname: device.kname.clone(),
            diskseq: device.diskseq,
            boot_id: journal::boot_id(),
            start_bytes: device.start_bytes,
            size_bytes: device.size_bytes,
            block: device.block,
            span: Span {
                offset: 0,
                length: 1 << 20,
            },
            range: Span {
                offset: 0,
                length: 1 << 20,
            },
            run: 7,
            time: 0,
        }
    }

    #[test]
    fn of_devices_that_share_a_name_only_the_journals_is_taken() {
        let named = |kname: &str, diskseq| Device {
            kname: kname.to_owned(),
            diskseq: Some(diskseq),
            identity: "serial.0123456789ABCDEF".to_owned(),
            identity_lasts: true,
            ..disk(1 << 30)
        };
        let (old, other) = (named("sdb", 4), named("sda", 3));
        let header = header(&old);
        let taken = the_one(&header, vec![other.clone(), old.clone()]).expect("the same diskseq");
        assert_eq!(taken.kname, "sdb");
        let rebooted = Header {
            boot_id: "another".to_owned(),
            ..header
        };
        let refused = the_one(&rebooted, vec![other.clone(), old]).expect_err("two of a name");
        assert!(
            refused.to_string().contains("sda, sdb are each"),
            "{refused}"
        );
        assert_eq!(the_one(&rebooted, vec![other]).expect("one").kname, "sda");
        the_one(&rebooted, Vec::new()).expect_err("none");
    }

    #[test]
    fn a_partition_that_begins_elsewhere_is_not_the_journals() {
        let device = disk(1 << 30);
        let header = header(&device);
        assert!(fits(&header, &device));
        let moved = Device {
            start_bytes: 1 << 20,
            ..device
        };
        assert!(!fits(&header, &moved));
    }

    #[test]
    fn what_somebody_wrote_since_is_told_from_what_the_probe_left() {
        let kept = [[1_u8; 512], [2; 512], [3; 512]].concat();
        let span = Span {
            offset: 4096,
            length: 1536,
        };
        let look = |found: &[u8]| {
            let mut look = Look {
                foreign: None,
                told: false,
            };
            look.blocks(7, span, found, &kept);
            (look.foreign, look.told)
        };
        assert_eq!(look(&kept), (None, true));
        assert_eq!(look(&[0; 1536]), (None, false));
        let mut probed = kept.clone();
        Pattern::new(7, 1000).fill(4096 + 512, &mut probed[512..1024]);
        assert_eq!(look(&probed), (None, true));
        Pattern::new(8, 1).fill(4096 + 512, &mut probed[512..1024]);
        assert_eq!(look(&probed).0, Some(4608), "another run's pattern");
        let mut written = kept.clone();
        written[1535] = 4;
        assert_eq!(look(&written).0, Some(5120));
    }
}
