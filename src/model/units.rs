//! Units: the kernel counts in 512-byte sectors, devices in logical blocks, people in bytes.

/// 512-byte sectors, the unit of sysfs `size` and of device-mapper tables, whatever the logical block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sectors(pub u64);

impl Sectors {
    /// The same in bytes; `None` past 2^64.
    pub fn bytes(self) -> Option<u64> {
        self.0.checked_mul(SECTOR)
    }
}

/// Bytes in a sector (`SECTOR_SIZE`, include/linux/blk_types.h).
pub const SECTOR: u64 = 512;

/// What sysfs shows for a limit of `UINT_MAX` sectors: "no limit" (block/blk-sysfs.c shows `value << 9` in 64 bits).
pub const UNLIMITED: u64 = 0xffff_ffff * SECTOR;

/// A limit of the block layer as sysfs shows it: whole sectors, at most [`UNLIMITED`] since the kernel keeps 32 bits.
pub fn clamp_limit(bytes: u64) -> u64 {
    (bytes / SECTOR * SECTOR).min(UNLIMITED)
}

/// Bytes for a sentence: exact, in the largest binary unit that is whole, as in `8 MiB` or `33553920 bytes`.
pub fn in_words(bytes: u64) -> String {
    const UNITS: [(&str, u32); 6] = [
        ("EiB", 60),
        ("PiB", 50),
        ("TiB", 40),
        ("GiB", 30),
        ("MiB", 20),
        ("KiB", 10),
    ];
    if bytes == UNLIMITED {
        return "no limit (UINT_MAX sectors)".into();
    }
    let exact = UNITS
        .iter()
        .find(|(_, shift)| bytes != 0 && bytes.is_multiple_of(1 << shift));
    match exact {
        // 33553920 is 32767.5 KiB and 65535 KiB is just below 64 MiB: past four digits the plain number reads better.
        Some((unit, shift)) if bytes >> shift <= 9999 => format!("{} {unit}", bytes >> shift),
        _ => format!("{bytes} bytes"),
    }
}

/// How long a command may be, for a sentence: `of up to 8 MiB`.
pub fn up_to(bytes: u64) -> String {
    match bytes {
        UNLIMITED => "without a limit (UINT_MAX sectors)".into(),
        bytes => format!("of up to {}", in_words(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_read_as_people_say_them() {
        assert_eq!(in_words(8_388_608), "8 MiB");
        assert_eq!(in_words(524_288), "512 KiB");
        assert_eq!(in_words(33_553_920), "33553920 bytes");
        assert_eq!(in_words(512), "512 bytes");
        assert_eq!(in_words(0), "0 bytes");
        assert_eq!(in_words(2_199_023_255_040), "no limit (UINT_MAX sectors)");
    }

    #[test]
    fn a_limit_past_32_bits_of_sectors_is_the_sentinel() {
        assert_eq!(clamp_limit(u64::MAX), 2_199_023_255_040);
        assert_eq!(clamp_limit(1023), 512);
        assert_eq!(Sectors(u64::MAX).bytes(), None);
    }
}
