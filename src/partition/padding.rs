//! Padding to a multiple, the multiples in use, and rows merged into one pack.

use crate::offsets::{CheckedOffsets, offsets_of_lengths};
use crate::scenario::Scenario;
use crate::topology::gcd;

/// A pack whose sequences were each padded to a multiple. Units: tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaddedPack {
    /// Physical offsets, n + 1 entries.
    pub offsets: Vec<i64>,
    /// Per token of the padded stream, the token it was; none for padding.
    pub source: Vec<Option<i64>>,
}

fn up_to(length: i64, multiple: i64) -> i64 {
    length
        .div_euclid(multiple)
        .saturating_add(i64::from(length % multiple != 0))
        .saturating_mul(multiple)
}

/// Physical offsets with every sequence padded up to `multiple` tokens (at least 1).
///
/// Source: Transformer Engine `context_parallel.pad_thd_sequences_for_cp`.
///
/// ```
/// use packscope::{CheckedOffsets, partition::pad_to_multiple};
/// let offsets = CheckedOffsets::new(&[0, 5, 7, 11]).unwrap();
/// assert_eq!(pad_to_multiple(offsets, 4).offsets, [0, 8, 12, 16]);
/// ```
pub fn pad_to_multiple(offsets: CheckedOffsets, multiple: i64) -> PaddedPack {
    let padded = padded_offsets(offsets, multiple);
    let source = offsets
        .slots()
        .zip(padded.windows(2))
        .flat_map(|(slot, pair)| {
            (0..pair[1] - pair[0]).map(move |i| (i < slot.length).then_some(slot.start + i))
        })
        .collect();
    PaddedPack { offsets: padded, source }
}

/// The offsets alone.
pub(crate) fn padded_offsets(offsets: CheckedOffsets, multiple: i64) -> Vec<i64> {
    let lengths: Vec<i64> =
        offsets.lengths().map(|length| up_to(length, multiple.max(1))).collect();
    offsets_of_lengths(&lengths)
}

/// The tokens of the stream that was padded, in order.
///
/// ```
/// use packscope::{CheckedOffsets, partition::{pad_to_multiple, unpad}};
/// let pack = pad_to_multiple(CheckedOffsets::new(&[0, 2, 5]).unwrap(), 4);
/// assert_eq!(unpad(&pack), [0, 1, 2, 3, 4]);
/// ```
pub fn unpad(pack: &PaddedPack) -> Vec<i64> {
    pack.source.iter().flatten().copied().collect()
}

/// Position ids: they restart at 0 with every sequence and run on through its padding.
///
/// Source: Transformer Engine `context_parallel.generate_positional_ids_for_cp`.
///
/// ```
/// use packscope::{CheckedOffsets, partition::position_ids};
/// assert_eq!(position_ids(CheckedOffsets::new(&[0, 3, 5]).unwrap()), [0, 1, 2, 0, 1]);
/// ```
pub fn position_ids(padded: CheckedOffsets) -> Vec<i64> {
    padded.lengths().flat_map(|length| 0..length).collect()
}

/// A length that sequences or the stream have to be a multiple of, and why. Units: tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiple {
    /// For every sequence's slot.
    pub slot: i64,
    /// For the whole stream.
    pub total: i64,
    /// One sentence.
    pub reason: String,
}

/// The multiples this job pads to: 2·cp per slot for the zigzag, · tp under sequence parallelism,
/// and FP8's alignment of every rank's tokens.
///
/// Sources: Megatron-Core multimodal `get_padding`, verl, Transformer Engine's FP8 recipes.
///
/// ```
/// use packscope::{PackedSeqParams, Scenario, partition::padding_multiple};
/// let mut scenario = Scenario::of(PackedSeqParams::default());
/// scenario.topology.context_parallel_size = 4;
/// scenario.topology.tensor_model_parallel_size = 2;
/// scenario.sequence_parallel = true;
/// assert_eq!(padding_multiple(&scenario).slot, 16);
/// ```
pub fn padding_multiple(scenario: &Scenario) -> Multiple {
    let cp = scenario.runtime_cp_size().max(1);
    let tp = scenario.topology.tensor_model_parallel_size.max(1);
    let windows = if scenario.sequence_parallel { tp } else { 1 };
    let chunks = if cp > 1 { cp.saturating_mul(2) } else { 1 };
    let slot = chunks.saturating_mul(windows);
    let align = scenario.model.fp8_alignment().unwrap_or(1);
    let ranks = cp.saturating_mul(windows);
    let per_rank = align.saturating_mul(ranks);
    let total = (slot / gcd(slot, per_rank)).saturating_mul(per_rank);
    let mut reasons = Vec::new();
    match (cp > 1, windows > 1) {
        (true, true) => reasons.push(format!(
            "2 · cp · tp = 2 · {cp} · {tp} = {slot}: two chunks per CP rank, each cut into one window per TP rank"
        )),
        (true, false) => reasons.push(format!("2 · cp = 2 · {cp} = {slot}: two chunks per CP rank")),
        (false, true) => reasons.push(format!("tp = {tp}: one window per TP rank")),
        (false, false) => reasons.push("1: one CP rank, no sequence parallelism".to_owned()),
    }
    if align > 1 {
        reasons.push(format!("FP8 wants {align} tokens at a time on each of {ranks} ranks, so the stream is a multiple of {total}"));
    }
    Multiple { slot, total, reason: reasons.join("; ") }
}

/// Joins the rows of a microbatch into one array of offsets: each row is cut behind its first
/// `seq_length`, moved by row · `seq_length`, and joined without the repeated 0.
///
/// Source: Megatron-Core `utils._merge_cu_seqlens_across_micro_batch`.
///
/// ```
/// use packscope::partition::merge_micro_batch;
/// assert_eq!(merge_micro_batch(&[&[0, 3, 8, 8, 8], &[0, 8, 8, 8, 8]], 8), [0, 3, 8, 16]);
/// ```
pub fn merge_micro_batch(rows: &[&[i64]], seq_length: i64) -> Vec<i64> {
    rows.iter()
        .enumerate()
        .flat_map(|(row, offsets)| {
            let end =
                offsets.iter().position(|&o| o == seq_length).map_or(offsets.len(), |at| at + 1);
            let shift = seq_length.saturating_mul(row as i64);
            offsets[..end].iter().skip(usize::from(row > 0)).map(move |o| o.saturating_add(shift))
        })
        .collect()
}
