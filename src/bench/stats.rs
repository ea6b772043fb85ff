//! Medians and percentiles. Pure.

/// The median and the distance between the quartiles; `None` of no samples.
pub fn middle(samples: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some((
        percentile(&sorted, 50.0)?,
        percentile(&sorted, 75.0)? - percentile(&sorted, 25.0)?,
    ))
}

/// A percentile of sorted samples, between two of them where it falls there.
#[expect(clippy::cast_precision_loss, reason = "nobody takes 2^53 samples")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index, from 0 to the length"
)]
pub fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = percent / 100.0 * last as f64;
    let (below, above) = (
        *sorted.get(place.floor() as usize)?,
        *sorted.get(place.ceil() as usize)?,
    );
    Some(below + (above - below) * place.fract())
}

/// A count as a number to divide by.
#[expect(clippy::cast_precision_loss, reason = "a rate needs no 53 bits")]
pub fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_that_of_sorted_samples() {
        assert_eq!(middle(&[3.0, 1.0, 2.0]), Some((2.0, 1.0)));
        assert_eq!(middle(&[4.0, 1.0, 2.0, 3.0]), Some((2.5, 1.5)));
        assert_eq!(middle(&[7.0]), Some((7.0, 0.0)));
        assert_eq!(middle(&[]), None);
        assert_eq!(percentile(&[0.0, 10.0], 99.0), Some(9.9));
    }
}
