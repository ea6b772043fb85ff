//! Table lines that parse and that no kernel loads, of the targets that pass zeroes: for a made-up one of these the
//! answer would be a promise.

use crate::wire::dm::table::{Details, Target};

/// Why a target's constructor refuses a line.
pub(super) fn refusal(target: &Target) -> Option<String> {
    match target.details {
        Details::Striped {
            stripes,
            chunk_sectors,
        } => striped(target.length, stripes, chunk_sectors),
        _ => None,
    }
}

/// `stripe_ctr` (drivers/md/dm-stripe.c).
fn striped(length: u64, stripes: u64, chunk: u64) -> Option<String> {
    if stripes == 0 {
        return Some("striped over no device; no kernel loads that".into());
    }
    if chunk == 0 || chunk > u64::from(u32::MAX) {
        return Some(format!("a chunk of {chunk} sectors; no kernel loads that"));
    }
    let whole = stripes
        .checked_mul(chunk)
        .is_some_and(|row| length.is_multiple_of(row));
    (!whole).then(|| {
        format!(
            "a length of {length} sectors is no multiple of {stripes} chunks of {chunk}; no kernel loads that"
        )
    })
}
