//! Criterion: what must not grow with tokens, and what must stay in the low milliseconds.

use criterion::{Criterion, criterion_group, criterion_main};
use packscope::{PackedSeqParams, ParallelSizes, Scenario, Topology, analyze};
use std::hint::black_box;

/// `sequences` sequences of unequal lengths, all multiples of 2·64, about `tokens` in all.
fn pack(sequences: i64, tokens: i64) -> Scenario {
    let mean = tokens / sequences / 128;
    let lengths = (0..sequences).map(|i| 128 * (1 + (mean - 1) / 2 + i * 7919 % mean.max(1)));
    let offsets: Vec<i64> = std::iter::once(0)
        .chain(lengths.scan(0, |sum, length| {
            *sum += length;
            Some(*sum)
        }))
        .collect();
    let mut scenario = Scenario::of(PackedSeqParams::of_offsets(offsets));
    scenario.topology.context_parallel_size = 64;
    scenario.topology.world_size = Some(1 << 14);
    scenario
}

fn core(criterion: &mut Criterion) {
    let sizes = ParallelSizes {
        world_size: Some(131_072),
        tensor_model_parallel_size: 8,
        context_parallel_size: 8,
        pipeline_model_parallel_size: 16,
        expert_model_parallel_size: 64,
        expert_tensor_parallel_size: Some(1),
        ..ParallelSizes::default()
    };
    criterion.bench_function("groups of one rank of 131072", |bencher| {
        bencher
            .iter(|| Topology::new(black_box(&sizes)).map(|topology| topology.groups_of(77_777)));
    });
    for (name, tokens) in [("1.3 million tokens", 1_280_000), ("20 million tokens", 20_480_000)] {
        let scenario = pack(10_000, tokens);
        criterion.bench_function(
            &format!("analysis of 10000 sequences at cp 64, {name}"),
            |bencher| {
                bencher.iter(|| analyze(black_box(&scenario)).loads.len());
            },
        );
    }
    let mut padded = pack(10_000, 1_280_000);
    padded.params.cu_seqlens_q_padded = padded.params.cu_seqlens_q.clone();
    if let Some(valid) = &mut padded.params.cu_seqlens_q {
        for (i, offset) in valid.data.iter_mut().enumerate() {
            *offset -= 3 * i as i64;
        }
    }
    criterion.bench_function("analysis of 10000 padded sequences at cp 64", |bencher| {
        bencher.iter(|| analyze(black_box(&padded)).loads.len());
    });
    let scenario = pack(10_000, 1_280_000);
    criterion.bench_function("rules over 10000 sequences at cp 64", |bencher| {
        let analysis = analyze(&scenario);
        bencher.iter(|| packscope::rules::check(black_box(&analysis)).len());
    });
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20); targets = core }
criterion_main!(benches);
