//! How fast a way to zero is by the size and the alignment of its requests.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::exec::{self, Reporter};
use super::methods::{self, Options};
use super::plan::Method;
use super::safety::ArmedPlan;
use super::span::Span;
use super::worker::{Message, say};

/// One point of the curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Point {
    /// The method.
    pub method: Method,
    /// Bytes of each request.
    pub size: u64,
    /// How far each request begins behind a multiple of the granularity.
    pub shift: u64,
    /// Bytes a second; null where it failed.
    pub bytes_per_second: Option<f64>,
}

/// No point takes longer.
const SECONDS: f64 = 0.3;
/// Nor more requests.
const MOST: u64 = 256;

/// Sizes from a block to the range by fours, on the granularity and one block behind it.
fn places(range: Span, block: u64, granularity: u64) -> Vec<(u64, u64)> {
    let sizes = std::iter::successors(Some(block.max(4096)), |size| size.checked_mul(4))
        .take_while(|size| *size <= range.length / 2);
    let shifts: &[u64] = if granularity > block { &[0, 1] } else { &[0] };
    sizes
        .flat_map(|size| shifts.iter().map(move |shift| (size, shift * block)))
        .collect()
}

/// Measures every point, and says each as it comes.
pub fn run(armed: &ArmedPlan, methods: &[Method], options: &Options, reporter: &Reporter) {
    let device = armed.device();
    let block = device.map_or(4096, |device| device.block);
    let granularity = device
        .and_then(|device| device.limits.discard_granularity)
        .unwrap_or(0);
    let mut points = Vec::new();
    let places = places(armed.plan().range, block, granularity);
    let total = (methods.len() * places.len()) as u64;
    for method in methods {
        for (size, shift) in &places {
            let bytes_per_second = point(
                armed,
                *method,
                (*size, *shift),
                granularity.max(block),
                options,
            );
            points.push(Point {
                method: *method,
                size: *size,
                shift: *shift,
                bytes_per_second,
            });
            say(
                reporter,
                &Message::Progress {
                    stage: "sweep".to_owned(),
                    done: points.len() as u64,
                    total,
                },
            );
        }
    }
    say(reporter, &Message::Sweep(points));
}

fn point(
    armed: &ArmedPlan,
    method: Method,
    (size, shift): (u64, u64),
    granularity: u64,
    options: &Options,
) -> Option<f64> {
    let range = armed.plan().range;
    let first = range.offset.next_multiple_of(granularity) + shift;
    let step = size.next_multiple_of(granularity);
    let (begin, mut done) = (Instant::now(), 0);
    for at in (first..)
        .step_by(usize::try_from(step).ok()?)
        .take(usize::try_from(MOST).ok()?)
    {
        let span = Span {
            offset: at,
            length: size,
        };
        if !range.holds(&span) || begin.elapsed().as_secs_f64() > SECONDS {
            break;
        }
        methods::run(method, armed.piece(span)?, armed.device(), options).ok()?;
        done += size;
    }
    exec::flush(armed.fd()).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no 53 bits")]
    let rate = done as f64 / begin.elapsed().as_secs_f64();
    (done > 0).then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_fours_and_are_shifted_where_it_can_matter() {
        let range = Span {
            offset: 0,
            length: 1 << 20,
        };
        assert_eq!(
            places(range, 512, 0),
            [(4096, 0), (16384, 0), (65536, 0), (262_144, 0)]
        );
        let shifted = places(range, 512, 65536);
        assert_eq!(shifted.len(), 8);
        assert!(shifted.contains(&(4096, 512)));
    }
}
