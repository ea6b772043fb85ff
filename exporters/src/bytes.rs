//! Numbers of bytes, for people and for programs.

/// How a number of bytes is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ByteStyle {
    /// Binary units, as short as the truth allows; see [`format_bytes`].
    #[default]
    People,
    /// Digits only.
    Plain,
}

/// Binary units from the largest: suffix, bytes.
const UNITS: [(char, u128); 6] = [
    ('E', 1 << 60),
    ('P', 1 << 50),
    ('T', 1 << 40),
    ('G', 1 << 30),
    ('M', 1 << 20),
    ('K', 1 << 10),
];

/// How far from a round number a value is still written as that number and a difference.
const NEAR: u128 = 64 * 1024;

/// A number of bytes as text.
///
/// [`ByteStyle::Plain`] gives the digits. [`ByteStyle::People`] gives, in this order:
///
/// 1. `0`, and below 1 KiB the digits with a B: `512B`;
/// 2. whole and half units exactly: `8M`, `1.5T`, `31.5K`;
/// 3. from 1 MiB on, within 64 KiB of one of those the difference, exactly: `4G-512`, `2T-4K`,
///    `8M+512`. So limits that differ by a block near a power of two never look alike;
/// 4. exactly in the next smaller unit if four digits are enough: `8092K`, `1100G`;
/// 5. below 1 MiB the digits with a B: `65535B`;
/// 6. rounded, always with one decimal: `7.0T`, `465.8G`.
///
/// A text without a decimal point is therefore exact.
#[must_use]
pub fn format_bytes(bytes: u64, style: ByteStyle) -> String {
    match style {
        ByteStyle::Plain => bytes.to_string(),
        ByteStyle::People => people(u128::from(bytes)),
    }
}

fn people(bytes: u128) -> String {
    if bytes == 0 {
        return "0".to_owned();
    }
    let Some(at) = UNITS.iter().position(|&(_, unit)| bytes >= unit) else {
        return format!("{bytes}B");
    };
    let (suffix, unit) = UNITS[at];
    let half = unit / 2;
    let anchor = (bytes + half / 2) / half * half;
    if anchor == bytes {
        return halves(anchor, at);
    }
    if suffix != 'K' && bytes.abs_diff(anchor) <= NEAR {
        let sign = if bytes < anchor { '-' } else { '+' };
        return format!(
            "{}{sign}{}",
            halves(anchor, at),
            difference(bytes.abs_diff(anchor))
        );
    }
    match UNITS.get(at + 1) {
        Some(&(small, size)) if bytes.is_multiple_of(size) && bytes / size < 10_000 => {
            format!("{}{small}", bytes / size)
        }
        Some(_) => rounded(bytes, at),
        None => format!("{bytes}B"),
    }
}

/// A multiple of half a unit, moved to the next unit (or, past the last one, kept) at 1024.
fn halves(value: u128, at: usize) -> String {
    let at = if at > 0 && value == UNITS[at - 1].1 {
        at - 1
    } else {
        at
    };
    let (suffix, unit) = UNITS[at];
    let half = if value.is_multiple_of(unit) { "" } else { ".5" };
    format!("{}{half}{suffix}", value / unit)
}

fn difference(bytes: u128) -> String {
    if bytes.is_multiple_of(1024) {
        format!("{}K", bytes / 1024)
    } else {
        bytes.to_string()
    }
}

fn rounded(bytes: u128, at: usize) -> String {
    let tenths = |at: usize| (bytes * 10 + UNITS[at].1 / 2) / UNITS[at].1;
    let at = if at > 0 && tenths(at) >= 10_240 {
        at - 1
    } else {
        at
    };
    format!("{}.{}{}", tenths(at) / 10, tenths(at) % 10, UNITS[at].0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const G: u64 = 1 << 30;

    #[test]
    fn plain_is_digits() {
        assert_eq!(
            format_bytes(u64::MAX, ByteStyle::Plain),
            "18446744073709551615"
        );
    }

    #[test]
    fn people_read_units() {
        for (bytes, text) in [
            (0, "0"),
            (1, "1B"),
            (512, "512B"),
            (1023, "1023B"),
            (1024, "1K"),
            (1500, "1500B"),
            (4096, "4K"),
            (32_256, "31.5K"),
            (65_535, "65535B"),
            (524_288, "512K"),
            (8 << 20, "8M"),
            (33_553_920, "32M-512"),
            (8_286_208, "8092K"),
            (8_371_712, "8M-16896"),
            (1_073_741_312, "1G-512"),
            (4 * G - 512, "4G-512"),
            (4 * G - 4096, "4G-4K"),
            (4 * G - 65_536, "4G-64K"),
            (4 * G - 66_048, "4.0G"),
            (4 * G, "4G"),
            (4 * G + 512, "4G+512"),
            (1100 * G, "1100G"),
            (1536 * G, "1.5T"),
            (1536 * G - 512, "1.5T-512"),
            (500_107_862_016, "465.8G"),
            (2_199_023_255_040, "2T-512"),
            (7_681_501_126_656, "7.0T"),
            (u64::MAX, "16E-1"),
        ] {
            assert_eq!(format_bytes(bytes, ByteStyle::People), text, "{bytes}");
        }
    }

    #[test]
    fn rounding_up_to_1024_moves_to_the_next_unit() {
        assert_eq!(
            format_bytes(1024 * G - 10_000_001, ByteStyle::People),
            "1.0T"
        );
    }

    /// Reads a text back; `None` for a rounded one.
    fn read(text: &str) -> Option<u128> {
        if let Some(at) = text.find(['-', '+']) {
            let (anchor, rest) = (read_unit(&text[..at])?, read_unit(&text[at + 1..])?);
            return Some(if text.contains('-') {
                anchor - rest
            } else {
                anchor + rest
            });
        }
        read_unit(text)
    }

    fn read_unit(text: &str) -> Option<u128> {
        let digits = text.trim_end_matches(char::is_alphabetic);
        let unit = match &text[digits.len()..] {
            "" | "B" => 1,
            suffix => UNITS.iter().find(|unit| suffix.starts_with(unit.0))?.1,
        };
        match digits.strip_suffix(".5") {
            Some(whole) => Some(whole.parse::<u128>().ok()? * unit + unit / 2),
            None => Some(digits.parse::<u128>().ok()? * unit),
        }
    }

    fn any_bytes() -> impl Strategy<Value = u64> {
        prop_oneof![
            any::<u64>(),
            (0u32..64).prop_flat_map(|bits| 0..=(u64::MAX >> bits)),
            (10u32..64, -200_000i64..200_000)
                .prop_map(|(bits, off)| (1u64 << bits).saturating_add_signed(off)),
        ]
    }

    proptest! {
        #[test]
        fn a_text_without_a_point_is_exact(bytes in any_bytes()) {
            let text = format_bytes(bytes, ByteStyle::People);
            if !text.contains('.') || text.contains(['-', '+']) {
                prop_assert_eq!(read(&text), Some(u128::from(bytes)), "{}", text);
            }
        }

        #[test]
        fn a_power_and_its_neighbours_look_different(bits in 10u32..64, off in 1u64..65_536) {
            let power = 1u64 << bits;
            prop_assert_ne!(
                format_bytes(power, ByteStyle::People),
                format_bytes(power - off.min(power), ByteStyle::People)
            );
            prop_assert_ne!(
                format_bytes(power - off.min(power), ByteStyle::People),
                format_bytes(power + off, ByteStyle::People)
            );
        }
    }
}
