//! The limits of a request queue: `/sys/block/<disk>/queue`.
//!
//! One table says all there is to say of an attribute; reading, columns, JSON, metrics and help follow from it. A new
//! attribute is one row. Source: Documentation/ABI/stable/sysfs-block, block/blk-sysfs.c (Linux 7.3).

use crate::facts::reading::Reading;
use crate::model::text;

/// What a queue attribute counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttrUnit {
    /// Bytes.
    Bytes,
    /// 1024 bytes.
    Kib,
    /// 512-byte sectors, whatever the logical block size.
    Sectors,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
    /// A plain number.
    Count,
    /// 0 or 1.
    Flag,
    /// Words.
    Text,
}

/// One attribute of the queue directory.
#[derive(Debug)]
pub struct AttrSpec {
    /// The file's name.
    pub name: &'static str,
    /// The name as a field of records.
    pub key: &'static str,
    /// The first kernel that has it; `-` where no release has.
    pub since: &'static str,
    /// What it counts.
    pub unit: AttrUnit,
    /// What it means, in a line.
    pub help: &'static str,
}

/// Calls a macro with the table's rows: variant, file name, first kernel, unit, meaning.
macro_rules! with_queue_attributes {
    ($callback:ident) => { $callback! {
        AddRandom add_random "2.6.36" Flag
            "feeds the kernel's entropy pool";
        AsyncDepth async_depth "7.0" Count
            "asynchronous requests the scheduler lets in (up to 6.19 in `iosched/`)";
        AtomicWriteBoundaryBytes atomic_write_boundary_bytes "6.11" Bytes
            "an atomic write must not cross a multiple of this; 0 is none";
        AtomicWriteMaxBytes atomic_write_max_bytes "6.11" Bytes
            "largest atomic write; 0 is none";
        AtomicWriteUnitMaxBytes atomic_write_unit_max_bytes "6.11" Bytes
            "largest unit of an atomic write; 0 is none";
        AtomicWriteUnitMinBytes atomic_write_unit_min_bytes "6.11" Bytes
            "smallest unit of an atomic write; 0 is none";
        ChunkSectors chunk_sectors "4.10" Sectors
            "stripe segment of a RAID, zone of a zoned device, else 0; requests do not cross it";
        Dax dax "4.8" Flag
            "the page cache can be bypassed by direct access";
        DiscardGranularity discard_granularity "2.6.33" Bytes
            "internal allocation unit; 0 means no discard";
        DiscardMaxBytes discard_max_bytes "2.6.33" Bytes
            "largest discard, as the user allows it; 0 means none";
        DiscardMaxHwBytes discard_max_hw_bytes "4.3" Bytes
            "largest discard of the device; 0 means none";
        DiscardZeroesData discard_zeroes_data "2.6.33" Flag
            "always 0 since 4.12: says nothing";
        DmaAlignment dma_alignment "6.0" Bytes
            "mask that memory addresses of direct I/O must be free of";
        Fua fua "4.19" Flag
            "writes can bypass the volatile cache (Force Unit Access)";
        HwSectorSize hw_sector_size "2.6.26" Bytes
            "old name of `logical_block_size`";
        IoPoll io_poll "4.4" Flag
            "completions can be polled for";
        IoPollDelay io_poll_delay "4.10" Micros
            "how polling waited; always -1 since 6.7";
        IoTimeout io_timeout "5.0" Millis
            "time a request may take before the driver steps in";
        Iostats iostats "2.6.29" Flag
            "I/O is counted in `stat`";
        IostatsPassthrough iostats_passthrough "6.14" Flag
            "passthrough commands are counted as well";
        LogicalBlockSize logical_block_size "2.6.31" Bytes
            "smallest unit that can be addressed";
        MaxActiveZones max_active_zones "5.9" Count
            "zones open or closed at once; 0 is no limit";
        MaxDiscardSegments max_discard_segments "4.12" Count
            "ranges in one discard";
        MaxHwSectorsKb max_hw_sectors_kb "2.6.10" Kib
            "largest transfer of the device";
        MaxIntegritySegments max_integrity_segments "2.6.37" Count
            "elements of a list of integrity data";
        MaxOpenZones max_open_zones "5.9" Count
            "zones open at once; 0 is no limit";
        MaxSectorsKb max_sectors_kb "2.6.10" Kib
            "largest read or write that the block layer sends";
        MaxSegmentSize max_segment_size "2.6.35" Bytes
            "largest element of a scatter/gather list";
        MaxSegments max_segments "2.6.35" Count
            "elements of a scatter/gather list";
        MaxWriteStreams max_write_streams "6.16" Count
            "write streams; 0 is none";
        MinimumIoSize minimum_io_size "2.6.31" Bytes
            "smallest request without a penalty";
        Nomerges nomerges "2.6.33" Count
            "0: requests are merged, 1: simple merges alone, 2: none";
        NrRequests nr_requests "2.6.0" Count
            "requests that may be queued";
        NrZones nr_zones "5.0" Count
            "zones; 0 on a device without";
        OptimalIoSize optimal_io_size "2.6.31" Bytes
            "preferred request; 0 is not reported";
        PhysicalBlockSize physical_block_size "2.6.31" Bytes
            "smallest unit the device writes in one";
        ReadAheadKb read_ahead_kb "2.6.7" Kib
            "how much is read ahead for file systems";
        Rotational rotational "2.6.29" Flag
            "a disk that turns";
        RqAffinity rq_affinity "2.6.28" Count
            "where completions run: 0 anywhere, 1 the submitter's group, 2 its CPU";
        Scheduler scheduler "2.6.10" Text
            "I/O schedulers, the one in use in brackets";
        StableWrites stable_writes "5.10" Flag
            "memory must not change while it is being written";
        ThrottleSampleTime throttle_sample_time "4.12" Millis
            "window of blk-throttle (up to 6.10)";
        VirtBoundaryMask virt_boundary_mask "5.13" Bytes
            "mask that splits requests between segments";
        WbtLatUsec wbt_lat_usec "4.10" Micros
            "target latency of writeback throttling; 0 is off";
        WriteCache write_cache "4.7" Text
            "`write back` with a volatile cache, `write through` without";
        WriteSameMaxBytes write_same_max_bytes "3.7" Bytes
            "always 0 since 5.18: the kernel's WRITE SAME is gone";
        WriteStreamGranularity write_stream_granularity "6.16" Bytes
            "unit of a write stream; 0 is none";
        WriteZeroesMaxBytes write_zeroes_max_bytes "4.10" Bytes
            "largest zeroes command; 0 means that the kernel writes pages of zeroes";
        WriteZeroesUnmap write_zeroes_unmap "-" Flag
            "0/1 file of patches before 6.17, in vendor kernels alone";
        WriteZeroesUnmapMaxBytes write_zeroes_unmap_max_bytes "6.17" Bytes
            "write_zeroes_unmap_max_hw_bytes, unless the user wrote 0; more than 0 opens FALLOC_FL_WRITE_ZEROES";
        WriteZeroesUnmapMaxHwBytes write_zeroes_unmap_max_hw_bytes "6.17" Bytes
            "largest zeroes command that deallocates, as driver and stacking have it";
        ZoneAppendMaxBytes zone_append_max_bytes "5.8" Bytes
            "largest zone append; 0 on a device without zones";
        ZoneWriteGranularity zone_write_granularity "5.12" Bytes
            "unit of writes in sequential zones; 0 on a device without";
        Zoned zoned "4.10" Text
            "zone model: none, host-aware or host-managed";
    } };
}

pub(crate) use with_queue_attributes;

macro_rules! attributes {
    ($($variant:ident $name:ident $since:literal $unit:ident $help:literal;)*) => {
        /// An attribute by its place in [`ATTRS`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "each row of the table below says it")]
        pub enum Attr { $($variant),* }

        /// Every attribute, in the order of names.
        pub const ATTRS: &[AttrSpec] = &[$(AttrSpec {
            name: stringify!($name),
            key: concat!("queue.", stringify!($name)),
            since: $since,
            unit: AttrUnit::$unit,
            help: $help,
        }),*];

        /// The attributes that [`ATTRS`] describes, in the same order.
        pub const ALL: &[Attr] = &[$(Attr::$variant),*];
    };
}

with_queue_attributes!(attributes);

impl Attr {
    /// What the table says of it.
    #[expect(
        clippy::indexing_slicing,
        reason = "the macro makes a row for each variant"
    )]
    pub fn spec(self) -> &'static AttrSpec {
        &ATTRS[self as usize]
    }

    /// The file's name.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The attribute of a file name.
    pub fn by_name(name: &str) -> Option<Self> {
        ATTRS
            .binary_search_by(|spec| spec.name.cmp(name))
            .ok()
            .and_then(|at| ALL.get(at).copied())
    }
}

/// A set of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttrSet(u64);

const _: () = assert!(ATTRS.len() <= 64);

impl AttrSet {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// Each of them.
    pub const ALL: Self = Self(u64::MAX >> (64 - ATTRS.len()));

    /// The set with one more.
    #[must_use]
    pub const fn with(self, attr: Attr) -> Self {
        Self(self.0 | 1 << attr as u8)
    }

    /// The members of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is a member.
    pub const fn has(self, attr: Attr) -> bool {
        self.0 & 1 << attr as u8 != 0
    }

    /// The members in the order of names.
    pub fn iter(self) -> impl Iterator<Item = Attr> {
        ALL.iter().copied().filter(move |attr| self.has(*attr))
    }
}

/// What an attribute says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A number in the attribute's unit; below zero only where the kernel says "default" by -1.
    Number(i64),
    /// Words.
    Text(Box<str>),
}

/// The limits of one queue, each as it was read.
#[derive(Debug, Clone, Default)]
pub struct QueueLimits {
    /// Whether `write_zeroes_max_bytes` was another at each reading, so that the three limits may not belong together.
    pub moving: bool,
    values: Vec<Reading<Value>>,
}

const NOT_ASKED: &Reading<Value> = &Reading::NotAsked("not needed for what was asked");

impl QueueLimits {
    /// What was read of an attribute.
    pub fn reading(&self, attr: Attr) -> &Reading<Value> {
        self.values.get(attr as usize).unwrap_or(NOT_ASKED)
    }

    /// A number of at least 0, as most are.
    pub fn number(&self, attr: Attr) -> Reading<u64> {
        match self.reading(attr) {
            Reading::Present(Value::Number(number)) => u64::try_from(*number).map_or_else(
                |_| Reading::malformed(format!("{number}: below zero")),
                Reading::Present,
            ),
            Reading::Present(Value::Text(text)) => {
                Reading::malformed(format!("{text:?}: not a number"))
            }
            Reading::Absent => Reading::Absent,
            Reading::Denied(error) => Reading::Denied(*error),
            Reading::Unsupported(why) => Reading::Unsupported(why.clone()),
            Reading::Malformed(why) => Reading::Malformed(why.clone()),
            Reading::NotAsked(why) => Reading::NotAsked(why),
        }
    }

    /// Words.
    pub fn text(&self, attr: Attr) -> Option<&str> {
        match self.reading(attr) {
            Reading::Present(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Keeps what was read of an attribute.
    pub fn set(&mut self, attr: Attr, reading: Reading<Value>) {
        if self.values.is_empty() {
            self.values
                .resize_with(ATTRS.len(), || NOT_ASKED.as_owned());
        }
        if let Some(place) = self.values.get_mut(attr as usize) {
            *place = reading;
        }
    }

    /// Every attribute with what was read of it, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (Attr, &Reading<Value>)> {
        ALL.iter().map(|attr| (*attr, self.reading(*attr)))
    }
}

impl Reading<Value> {
    fn as_owned(&self) -> Self {
        self.clone()
    }
}

/// What the bytes of an attribute say.
pub fn parse(attr: Attr, bytes: &[u8]) -> Reading<Value> {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if attr.spec().unit == AttrUnit::Text {
        return if line.is_empty() {
            Reading::malformed("empty")
        } else {
            Reading::Present(Value::Text(text::attribute(bytes).into()))
        };
    }
    let number = std::str::from_utf8(line)
        .ok()
        .filter(|digits| {
            digits
                .trim_start_matches('-')
                .bytes()
                .all(|b| b.is_ascii_digit())
        })
        .and_then(|digits| digits.parse().ok());
    match number {
        Some(number) => Reading::Present(Value::Number(number)),
        None => Reading::malformed(shown(line, "a number")),
    }
}

/// Bytes that are not what was wanted, cut to what a line holds.
pub fn shown(line: &[u8], wanted: &str) -> String {
    const FEW: usize = 40;
    match line.get(..FEW) {
        _ if line.is_empty() => format!("empty, wanted {wanted}"),
        Some(start) if line.len() > FEW => {
            format!(
                "{:?} and {} bytes more, wanted {wanted}",
                text::clean(start),
                line.len() - FEW
            )
        }
        _ => format!("{:?}, wanted {wanted}", text::clean(line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_names_are_found() {
        for (attr, spec) in ALL.iter().zip(ATTRS) {
            assert_eq!(Attr::by_name(spec.name), Some(*attr), "{}", spec.name);
        }
        assert_eq!(Attr::by_name("write_zeroes"), None);
        assert_eq!(AttrSet::ALL.iter().count(), ATTRS.len());
    }

    #[test]
    fn nonsense_is_malformed_and_never_zero() {
        let parse = |bytes: &[u8]| parse(Attr::WriteZeroesMaxBytes, bytes);
        assert_eq!(
            parse(b"8388608\n"),
            Reading::Present(Value::Number(8_388_608))
        );
        assert_eq!(parse(b"0\n"), Reading::Present(Value::Number(0)));
        for bad in [
            &b""[..],
            b"\n",
            b"-",
            b"0x10\n",
            b"1 2\n",
            b"\xff\xfe",
            b"99999999999999999999\n",
        ] {
            assert_eq!(parse(bad).status(), Some("malformed"), "{bad:?}");
        }
    }

    #[test]
    fn what_was_not_read_is_not_asked() {
        let mut limits = QueueLimits::default();
        assert_eq!(
            limits.number(Attr::WriteZeroesMaxBytes).status(),
            Some("not-asked")
        );
        limits.set(Attr::WbtLatUsec, parse(Attr::WbtLatUsec, b"-1\n"));
        assert_eq!(limits.number(Attr::WbtLatUsec).status(), Some("malformed"));
        assert_eq!(limits.reading(Attr::Zoned).status(), Some("not-asked"));
    }
}
