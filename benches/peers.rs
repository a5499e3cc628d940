//! The work that `cargo xtask bench` compares with numpy and torch: a line each, the median in
//! milliseconds.

use packscope::{CheckedOffsets, PackedSeqParams, PartitionMode, Runs, partition::Cut};
use std::hint::black_box;
use std::time::Instant;

const TOKENS: i64 = 16_000_000;
const SEQUENCES: i64 = 10_000;

fn median(name: &str, mut work: impl FnMut()) {
    let mut times: Vec<f64> = (0..15)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name}\t{:.3}", times[times.len() / 2]);
}

fn main() {
    // Lengths in turn 800 and 2400 tokens: multiples of 16, 16 million in all.
    let lengths = (0..SEQUENCES).map(|i| if i % 2 == 0 { 800 } else { 2400 });
    let offsets: Vec<i64> = std::iter::once(0)
        .chain(lengths.scan(0, |sum, length| {
            *sum += length;
            Some(*sum)
        }))
        .collect();
    let mut params = PackedSeqParams::of_offsets(offsets.clone());
    params.total_tokens = Some(TOKENS);
    let runs: Runs = params.seq_idx_clamped().unwrap_or_default();
    let mut buffer = vec![0i32; TOKENS as usize];
    median("fill", || black_box(&mut buffer).fill(black_box(7)));
    median("seq_idx", || {
        let fits = black_box(&runs).expand_into(black_box(&mut buffer));
        assert!(fits.is_ok());
    });
    let Ok(checked) = CheckedOffsets::new(&offsets) else { return };
    let cut = Cut::new(checked.slots().collect(), TOKENS, PartitionMode::PerDocument, 8);
    let Ok(cut) = cut else { return };
    let mut indices = Vec::new();
    median("indices", || {
        for rank in 0..8 {
            black_box(&cut).indices_into(rank, &mut indices);
            black_box(&indices);
        }
    });
}
