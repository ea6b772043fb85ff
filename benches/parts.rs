//! Speed of parts: decoding, judging and rendering, without a system call.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

use zinspect::facts::queue::{self, Attr};
use zinspect::model::text;
use zinspect::wire::nvme::identify::IdentifyNamespace;

fn decode(c: &mut Criterion) {
    let mut identify = vec![0_u8; 4096];
    identify.splice(0..8, 1_000_000_u64.to_le_bytes());
    identify.splice(33..34, [25]);
    identify.splice(128..132, [0, 0, 12, 0]);
    c.bench_function("identify namespace", |b| {
        b.iter(|| IdentifyNamespace::decode(black_box(&identify)).map(|ns| ns.dlfeat().raw()));
    });
    c.bench_function("queue attribute", |b| {
        b.iter(|| queue::parse(Attr::WriteZeroesMaxBytes, black_box(b"8388608\n")));
    });
    c.bench_function("clean text", |b| {
        b.iter(|| text::clean(black_box(b"KCD61LUL7T68        ")));
    });
}

criterion_group!(benches, decode);
criterion_main!(benches);
