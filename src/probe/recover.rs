//! Which device a journal's bytes belong to, and whether they may be put back there.

use rustix::fd::AsFd;

use super::exec::{self, Buffer};
use super::gather;
use super::journal::{self, CHUNK, Header, Kept};
use super::pattern::{self, Pattern};
use super::plan::{Mode, Plan};
use super::refusal::Refusal;
use super::safety::{self, ArmedPlan};
use super::target::{Device, Target};
use crate::facts::collect::Collector;
use crate::source::errno;

/// Finds the device, makes sure of it, and claims it.
pub fn arm(collector: &Collector, kept: Kept, agreed: Option<&str>) -> Result<ArmedPlan, Refusal> {
    kept.each(|_, _| Ok(())).map_err(Refusal::Journal)?;
    let device = find(collector, kept.header())?;
    safety::refuse(&Target::Device(Box::new(device.clone())))?;
    let sure = is_sure(kept.header(), &device);
    let plan = Plan {
        mode: Mode::Preserve,
        methods: Vec::new(),
        range: kept.header().range,
        span: kept.header().span,
        identity: Some(device.identity.clone()),
    };
    let armed = safety::arm_recovery(plan, &device, kept)?;
    let named = agreed == Some(device.identity.as_str());
    if !sure && !named && !looks_right(&armed)? {
        let kname = device.kname.clone();
        let why = format!(
            "it has no lasting identity, and its bytes are neither the journal's, nor zeroes, nor the probe's own; \
             if it is the right device, give --yes-destroy={}",
            device.identity
        );
        return Err(Refusal::Unknown {
            kname,
            what: "whether the journal is its",
            why,
        });
    }
    Ok(armed)
}

/// A lasting identity, or the same appearance of the device in the same boot.
fn is_sure(header: &Header, device: &Device) -> bool {
    let same_boot = header.boot_id == journal::boot_id() && header.diskseq.is_some();
    header.identity == device.identity && (header.identity_lasts || same_boot)
}

fn find(collector: &Collector, header: &Header) -> Result<Device, Refusal> {
    let fits = |device: &Device| {
        let named = if header.identity_lasts {
            device.identity == header.identity
        } else {
            !device.identity_lasts && device.kname == header.kname
        };
        named && device.size_bytes == header.size_bytes && device.block == header.block
    };
    // The old name first; a device may have come back under another.
    let others = collector
        .list()
        .map_err(|error| Refusal::NoTarget(error.to_string()))?;
    let names = std::iter::once(header.kname.clone()).chain(others.iter().map(ToString::to_string));
    for name in names {
        if let Ok(Target::Device(device)) = gather::target(collector, &name)
            && fits(&device)
        {
            return Ok(*device);
        }
    }
    Err(Refusal::NoTarget(format!(
        "no device here is {} of {} bytes, whose bytes the journal holds (it was {})",
        header.identity, header.size_bytes, header.kname
    )))
}

/// Whether every block holds what only this very device can: the journal's bytes, zeroes, or the run's patterns.
fn looks_right(armed: &ArmedPlan) -> Result<bool, Refusal> {
    const TURNS: u16 = 64;
    let Some(kept) = armed.journal() else {
        return Ok(false);
    };
    let run = kept.header().run;
    let patterns: Vec<Pattern> = (0..TURNS).map(|turn| Pattern::new(run, turn)).collect();
    let mut buffer = Buffer::new(usize::try_from(CHUNK).unwrap_or(0))
        .map_err(|error| Refusal::Journal(errno::describe(error)))?;
    let mut right = true;
    let mut told = false;
    let read = kept.each(|span, bytes| {
        let found = buffer.get_mut(..bytes.len()).unwrap_or_default();
        exec::read(armed.fd().as_fd(), span.offset, found).map_err(|error| {
            format!(
                "reading the device at {}: {}",
                span.offset,
                errno::describe(error)
            )
        })?;
        for (block, (found, kept)) in span
            .pieces(512)
            .zip(found.chunks(512).zip(bytes.chunks(512)))
        {
            let ours = patterns
                .iter()
                .any(|pattern| pattern.is(block.offset, found));
            let same = found == kept;
            // Zeroes alone tell nothing: an empty disk of the same size has them too.
            told |= ours || (same && !pattern::all(kept, 0));
            right &= ours || same || pattern::all(found, 0);
        }
        Ok(())
    });
    read.map_err(Refusal::Journal)?;
    Ok(right && told)
}
