//! What sd has of a device, and what it makes of it: `sd_read_write_same` and
//! `sd_config_write_same` (drivers/scsi/sd.c, Linux 6.1 to 7.3).

use super::hosts::{self, HostRule};
use crate::facts::queue::Attr;
use crate::facts::reading::Reading;
use crate::facts::scsi::ScsiFacts;
use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::wire::scsi::capacity::ReadCapacity16;
use crate::wire::scsi::opcodes::Support;
use crate::wire::scsi::vpd::{
    ATA_INFORMATION, BLOCK_LIMITS, LOGICAL_BLOCK_PROVISIONING, LogicalBlockProvisioning,
};

/// `SD_MAX_WS10_BLOCKS`: what sd assumes where the device names no limit.
pub(super) const DEFAULT_BLOCKS: u64 = 0xffff;
/// `SD_MAX_WS16_BLOCKS`: the most that sd sends.
pub(super) const MOST_BLOCKS: u64 = 0x7f_ffff;
/// sd takes MAXIMUM WRITE SAME LENGTH from a page B0h of at least so many bytes.
pub(super) const B0_BYTES: usize = 64;
/// sd takes page B2h from so many bytes on.
const B2_BYTES: usize = 8;

/// MAXIMUM WRITE SAME LENGTH as sd has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Longest {
    /// The page's number of blocks; sd keeps its low 32 bits.
    Page(u64),
    /// The page is too short for sd; with the number that it holds all the same.
    Short(usize, Option<u64>),
    /// sd has no page B0h.
    NoPage,
    /// It is not known whether sd has one.
    Unknown,
}

/// What came of REPORT SUPPORTED OPERATION CODES as sd sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rsoc {
    /// sd does not send it to this device: it counts as failed.
    NotSent,
    /// The device refused it.
    Refused,
    /// It answers; each is whether sd counts the command as supported.
    Answers(Option<bool>, Option<bool>),
    /// Not known.
    Unknown,
}

/// Why sd starts with `no_write_same`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ban {
    /// A driver's flag.
    Driver(&'static HostRule),
    /// Supported opcodes can't be asked, and the vendor is ATA (from 6.17 on).
    AtaVendor,
    /// Supported opcodes can't be asked, and there is page 89h (up to 6.16).
    AtaPage,
}

/// How the limit comes about, before it is rounded.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    /// No WRITE SAME from the start.
    Banned(Ban),
    /// The device says that it has neither WRITE SAME(16) nor (10).
    NotSupported,
    /// The page's number, at most [`MOST_BLOCKS`].
    Page(u64),
    /// [`DEFAULT_BLOCKS`].
    Default,
    /// Not known.
    Unknown(&'static str),
}

/// Three-valued facts that sd decides by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Provisioning {
    pub(super) lbpme: Option<bool>,
    pub(super) lbprz: Option<bool>,
    /// LBPRZ follows from `zeroing_mode` instead of READ CAPACITY(16).
    pub(super) lbprz_inferred: bool,
    /// sd has page B2h.
    pub(super) page: Option<bool>,
    pub(super) lbpu: Option<bool>,
    pub(super) lbpws: Option<bool>,
    pub(super) lbpws10: Option<bool>,
}

/// Everything that sd decides by.
#[derive(Debug)]
pub(super) struct Inputs<'d> {
    pub(super) device: &'d BlockDevice,
    pub(super) facts: &'d ScsiFacts,
    /// The kernel is of 6.16 or older.
    pub(super) before_6_17: bool,
    /// Logical block size.
    pub(super) block: Option<u64>,
    /// Physical block size.
    pub(super) physical: Option<u64>,
    pub(super) longest: Longest,
    pub(super) rsoc: Rsoc,
    pub(super) provisioning: Provisioning,
    pub(super) host: Option<&'static HostRule>,
    /// `max_write_same_blocks`, where it was read.
    pub(super) file: Option<u64>,
}

impl<'d> Inputs<'d> {
    pub(super) fn of(judge: &Judge, device: &'d BlockDevice, facts: &'d ScsiFacts) -> Self {
        let before_6_17 = match device.queue.reading(Attr::WriteZeroesUnmapMaxHwBytes) {
            Reading::Absent => true,
            Reading::Present(_) => false,
            _ => judge.kernel.at_least(6, 17) == Some(false),
        };
        let capacity = facts.capacity();
        let used = facts.takes_read_capacity_16(device) == Some(true);
        let capacity = capacity.value().filter(|_| used);
        let by_queue = |attr| device.queue.number(attr).get().filter(|size| *size > 0);
        let block = by_queue(Attr::LogicalBlockSize)
            .or_else(|| capacity.map(|capacity| u64::from(capacity.block_length())));
        let by_capacity = capacity
            .zip(block)
            .map(|(capacity, block)| block << capacity.lbppbe());
        let physical = match facts.takes_read_capacity_16(device) {
            // Without READ CAPACITY(16) sd takes the logical block for the physical one.
            Some(false) => block,
            _ => by_capacity.or_else(|| by_queue(Attr::PhysicalBlockSize)),
        };
        Self {
            device,
            facts,
            before_6_17,
            block,
            physical,
            longest: longest(judge, facts),
            rsoc: rsoc(facts),
            provisioning: provisioning(judge, device, facts),
            host: hosts::rule(device, facts),
            file: facts.max_write_same_blocks.value().copied(),
        }
    }

    /// Why sd would not send WRITE SAME from the start; `None` where nothing of that is known.
    pub(super) fn ban(&self) -> Option<Ban> {
        if let Some(rule) = self.host.filter(|rule| rule.only.is_none()) {
            return Some(Ban::Driver(rule));
        }
        if !matches!(self.rsoc, Rsoc::NotSent | Rsoc::Refused) {
            return None;
        }
        if self.before_6_17 {
            let page = self.facts.page(ATA_INFORMATION)?;
            page.reading.is_present().then_some(Ban::AtaPage)
        } else {
            let ata = self
                .facts
                .vendor
                .value()
                .is_some_and(|vendor| vendor == "ATA");
            ata.then_some(Ban::AtaVendor)
        }
    }

    /// The first half of `sd_config_write_same`, from the device's answers alone.
    pub(super) fn rule(&self) -> Rule {
        if let Some(ban) = self.ban() {
            return Rule::Banned(ban);
        }
        let named = match self.longest {
            Longest::Page(blocks) => Some(blocks & 0xffff_ffff),
            Longest::Short(..) | Longest::NoPage => Some(0),
            Longest::Unknown => None,
        };
        if let Some(blocks) = named.filter(|blocks| *blocks > DEFAULT_BLOCKS) {
            return Rule::Page(blocks);
        }
        let usable = match self.rsoc {
            Rsoc::NotSent | Rsoc::Refused => Some(true),
            Rsoc::Answers(ws16, ws10) => either(ws16, ws10),
            // A limit up to 65535 survives only where one of the two counts as supported.
            Rsoc::Unknown => self
                .file
                .filter(|file| (1..=DEFAULT_BLOCKS).contains(file))
                .map(|_| true),
        };
        match (usable, named) {
            (_, None) => Rule::Unknown("VPD page B0h, which names the limit, was not read"),
            (None, _) => Rule::Unknown(
                "whether the device has WRITE SAME was not asked (REPORT SUPPORTED OPERATION \
                 CODES)",
            ),
            (Some(false), _) => Rule::NotSupported,
            (Some(true), Some(0)) => Rule::Default,
            (Some(true), Some(blocks)) => Rule::Page(blocks),
        }
    }

    /// The limit in blocks from the device's answers alone, before rounding.
    pub(super) fn unrounded(&self) -> Option<u64> {
        match self.rule() {
            Rule::Banned(_) | Rule::NotSupported => Some(0),
            Rule::Page(blocks) => Some(blocks.min(MOST_BLOCKS)),
            Rule::Default => Some(DEFAULT_BLOCKS),
            Rule::Unknown(_) => None,
        }
    }

    /// Whole physical blocks of so many logical ones.
    pub(super) fn rounded(&self, blocks: u64) -> u64 {
        match (self.block, self.physical) {
            (Some(block), Some(physical)) if physical > block => {
                let unit = (physical / block).max(1);
                blocks / unit * unit
            }
            _ => blocks,
        }
    }

    /// The limit in blocks from the device's answers alone.
    pub(super) fn formula(&self) -> Option<u64> {
        self.unrounded().map(|blocks| self.rounded(blocks))
    }

    /// Whether `max_write_same_blocks` is what the device's answers give. Where the physical block
    /// is not known, the rounding to it can't be told from a small difference.
    pub(super) fn file_agrees(&self) -> Option<bool> {
        const ROUNDING: u64 = 128;
        let (file, formula) = (self.file?, self.formula()?);
        let lenient = self.physical.is_none() && file > 0 && file <= formula;
        Some(file == formula || (lenient && formula - file < ROUNDING))
    }

    /// The limit in blocks: sd's own file where it was read, since a user may have written it.
    pub(super) fn blocks(&self) -> Option<u64> {
        self.file.or_else(|| self.formula())
    }

    /// Whether a zeroes command deallocates: one of the two `*_unmap` modes.
    pub(super) fn unmaps(&self) -> Option<bool> {
        let Provisioning {
            lbprz,
            lbpws,
            lbpws10,
            ..
        } = self.provisioning;
        both(lbprz, either(lbpws, lbpws10)).or_else(|| mode_says(self.facts))
    }
}

/// What `zeroing_mode` says of unmapping, where nothing better was read; a user may have set it by
/// hand.
fn mode_says(facts: &ScsiFacts) -> Option<bool> {
    match facts.zeroing_mode.value()?.as_str() {
        "writesame_16_unmap" | "writesame_10_unmap" => Some(true),
        "writesame" => Some(false),
        _ => None,
    }
}

/// Three-valued "or".
pub(super) fn either(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Three-valued "and".
pub(super) fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    either(a.map(|a| !a), b.map(|b| !b)).map(|neither| !neither)
}

fn longest(judge: &Judge, facts: &ScsiFacts) -> Longest {
    if facts.takes_vpd() == Some(false) {
        return Longest::NoPage;
    }
    match facts.block_limits() {
        Reading::Present(page) if facts.counts(BLOCK_LIMITS, judge.kernel) => {
            let field = page.value.maximum_write_same_length();
            match field {
                Some(blocks) if page.value.page_bytes() >= B0_BYTES => Longest::Page(blocks),
                field => Longest::Short(page.value.page_bytes(), field),
            }
        }
        Reading::Denied(_) | Reading::NotAsked(_) => Longest::Unknown,
        // The kernel keeps no page that it could not get, or that is labelled as another.
        _ => Longest::NoPage,
    }
}

fn rsoc(facts: &ScsiFacts) -> Rsoc {
    if facts.takes_report_opcodes() == Some(false) {
        return Rsoc::NotSent;
    }
    // `(buffer[1] & 3) == 3`, so a reserved 7 counts as well.
    let counts = |reading: &Reading<Support>| match reading {
        Reading::Present(support) => {
            Some(matches!(support, Support::Standard | Support::Reserved(7)))
        }
        // Refused for this command alone.
        Reading::Unsupported(_) | Reading::Malformed(_) => Some(false),
        _ => None,
    };
    let opcodes = &facts.opcodes;
    match opcodes.refused {
        Some(true) => Rsoc::Refused,
        Some(false) => Rsoc::Answers(
            counts(&opcodes.write_same_16.reading),
            counts(&opcodes.write_same_10.reading),
        ),
        None => Rsoc::Unknown,
    }
}

fn provisioning(judge: &Judge, device: &BlockDevice, facts: &ScsiFacts) -> Provisioning {
    let capacity = facts.capacity();
    let capacity = capacity.value();
    let lbpme = match (
        facts.thin_provisioning.value(),
        facts.takes_read_capacity_16(device),
    ) {
        (Some(lbpme), _) => Some(*lbpme),
        (None, Some(false)) => Some(false),
        (None, _) => capacity.map(ReadCapacity16::lbpme),
    };
    let none = Provisioning {
        lbpme,
        lbprz: Some(false),
        lbprz_inferred: false,
        page: Some(false),
        lbpu: Some(false),
        lbpws: Some(false),
        lbpws10: Some(false),
    };
    if lbpme == Some(false) {
        return none;
    }
    let page = match facts.provisioning() {
        _ if facts.takes_vpd() == Some(false) => Some(None),
        Reading::Present(page) if facts.counts(LOGICAL_BLOCK_PROVISIONING, judge.kernel) => {
            let long = facts
                .page(LOGICAL_BLOCK_PROVISIONING)
                .and_then(|fact| fact.value())
                .is_some_and(|bytes| bytes.len() >= B2_BYTES);
            Some(long.then_some(page.value))
        }
        Reading::Denied(_) | Reading::NotAsked(_) => None,
        _ => Some(None),
    };
    let page_bit = |bit: Option<bool>| {
        page.as_ref()
            .map(|page| page.is_some() && bit == Some(true))
    };
    let known = page.as_ref().and_then(Option::as_ref);
    let mut found = Provisioning {
        page: page.as_ref().map(Option::is_some),
        lbpu: page_bit(known.and_then(LogicalBlockProvisioning::lbpu)),
        lbpws: page_bit(known.and_then(LogicalBlockProvisioning::lbpws)),
        lbpws10: page_bit(known.and_then(LogicalBlockProvisioning::lbpws10)),
        ..none
    };
    // LBPRZ counts with LBPME alone. Where the device has LBPME no more, sd keeps the bits it had.
    let answer = capacity
        .filter(|capacity| capacity.lbpme())
        .map(ReadCapacity16::lbprz);
    found.lbprz = answer;
    if answer.is_none() && both(found.lbpme, either(found.lbpws, found.lbpws10)) == Some(true) {
        found.lbprz = mode_says(facts);
        found.lbprz_inferred = found.lbprz.is_some();
    }
    found
}
