//! An MD array as `--md` describes it, with mdadm's defaults.

use super::{Build, PlanError, named};
use crate::model::ids::KName;

/// mdadm's chunk where none is given.
const CHUNK: u64 = 512 << 10;
const LEAST_CHUNK: u64 = 4 << 10;
/// Levels of MD (drivers/md, 6.1 to 7.3; multipath and faulty up to 6.7).
const LEVELS: &[&str] = &[
    "linear",
    "raid0",
    "raid1",
    "raid4",
    "raid5",
    "raid6",
    "raid10",
    "multipath",
    "faulty",
];

pub(super) fn an_array(text: &str) -> Result<(KName, Build), PlanError> {
    let bad = |why: String| PlanError::Array {
        text: text.to_owned(),
        why,
    };
    // `chunk=` is no name: a name ends before the first comma.
    let (name, rest) = match text.split_once(',') {
        Some((head, _)) if head.contains('=') => named(text, "whatif-md"),
        _ => KName::new("whatif-md").map(|name| (name, text)),
    }
    .ok_or_else(|| bad("no name for a device".into()))?;
    let mut words = rest
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    let level = words.next().ok_or_else(|| bad("no level".into()))?;
    let level = by_mdadms_name(level);
    if !LEVELS.contains(&level.as_str()) {
        let why = format!("no level {level:?}; there are {}", LEVELS.join(", "));
        return Err(bad(why));
    }
    // mdadm makes linear arrays with a rounding of 0.
    let mut chunk_bytes = if matches!(level.as_str(), "raid1" | "linear") {
        0
    } else {
        CHUNK
    };
    let mut members = Vec::new();
    for word in words {
        match word.split_once('=') {
            Some(("chunk", size)) => {
                chunk_bytes = bytes(size).ok_or_else(|| bad(format!("{size:?} is no size")))?;
            }
            Some((option, _)) if !word.starts_with('/') => {
                return Err(bad(format!("option {option:?} is not known")));
            }
            _ => members.push(word.to_owned()),
        }
    }
    if members.is_empty() {
        return Err(bad("no member".into()));
    }
    if let Some(why) = too_few(&level, members.len()) {
        return Err(bad(why));
    }
    if let Some(why) = odd_chunk(&level, chunk_bytes) {
        return Err(bad(why));
    }
    let build = Build::Md {
        level,
        chunk_bytes,
        members,
    };
    Ok((name, build))
}

/// mdadm takes a level's number too, and has names of its own for two.
fn by_mdadms_name(level: &str) -> String {
    match level.strip_prefix("raid").unwrap_or(level) {
        digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("raid{digits}")
        }
        "stripe" => "raid0".to_owned(),
        "mirror" => "raid1".to_owned(),
        other => other.to_owned(),
    }
}

/// One more than parity takes (`setup_conf`, drivers/md/raid5.c).
fn too_few(level: &str, members: usize) -> Option<String> {
    let least = match level {
        "raid4" | "raid5" => 2,
        "raid6" => 4,
        _ => 1,
    };
    (members < least).then(|| format!("{members} members; {level} has at least {least}"))
}

/// What mdadm takes is 8 sectors and more, in steps of 2; what stripes with parity or copies take are powers of two
/// (`setup_conf`, drivers/md/raid5.c; `setup_geo`, drivers/md/raid10.c).
fn odd_chunk(level: &str, bytes: u64) -> Option<String> {
    if matches!(level, "raid1" | "linear") {
        return None;
    }
    if bytes < LEAST_CHUNK || !bytes.is_multiple_of(1024) {
        return Some(format!(
            "a chunk of {bytes} bytes; it is 4 KiB and more, in steps of 1 KiB"
        ));
    }
    let of_two = matches!(level, "raid4" | "raid5" | "raid6" | "raid10");
    (of_two && !bytes.is_power_of_two())
        .then(|| format!("a chunk of {bytes} bytes; of {level} it is a power of two"))
}

/// A size with a binary suffix; a plain number is KiB, as mdadm's `--chunk` has it.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text.get(digits.len()..)?.to_ascii_lowercase().as_str() {
        "b" => 0,
        "" | "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        _ => return None,
    };
    let number: u64 = digits.parse().ok()?;
    number.checked_mul(1 << shift)
}
