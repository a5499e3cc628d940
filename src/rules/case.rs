//! What rules ask of an analysis. A question about something broken has no answer, so that a rule
//! stays silent where another one names the cause.

use super::Fix;
use crate::analysis::Analysis;
use crate::field::Value;
use crate::offsets::{CheckedOffsets, Slot, offsets_of_lengths};
use crate::packed_seq_params::PackedSeqParams;
use crate::partition::{merge_micro_batch, padded_offsets, padding_multiple};
use crate::scenario::{DEFAULT_ORDER, Model, ParallelSizes, PartitionMode, Scenario, Tensor};
use crate::topology::Topology;
use std::ops::Deref;

pub(super) const Q: &str = "params.cu_seqlens_q";
pub(super) const KV: &str = "params.cu_seqlens_kv";
pub(super) const Q_PADDED: &str = "params.cu_seqlens_q_padded";
pub(super) const KV_PADDED: &str = "params.cu_seqlens_kv_padded";
pub(super) const TOTAL: &str = "params.total_tokens";

/// int32's largest value.
pub(super) const INT32_MAX: i64 = i32::MAX as i64;

/// A fix that puts upstream's default order in.
pub(super) fn default_order() -> Fix {
    Fix::new(format!("use {DEFAULT_ORDER}")).set("topology.order", DEFAULT_ORDER)
}

/// One scenario under the rules' questions.
pub(super) struct Case<'a> {
    analysis: &'a Analysis<'a>,
    /// The other ranks' scenarios of the same text.
    peers: &'a [Scenario],
    // What most rules ask for, worked out once.
    given: Vec<Given<'a>>,
    valid: Option<CheckedOffsets<'a>>,
    physical: Option<CheckedOffsets<'a>>,
}

impl<'a> Deref for Case<'a> {
    type Target = Analysis<'a>;
    fn deref(&self) -> &Analysis<'a> {
        self.analysis
    }
}

/// Tensors with the same entries, reported once: the first field's name, and all names.
pub(super) struct Given<'a> {
    pub field: &'static str,
    pub fields: Vec<&'static str>,
    pub tensor: &'a Tensor,
}

impl Given<'_> {
    /// A fix that gives every one of the fields new entries and int32.
    pub fn rewrite(&self, title: impl Into<String>, data: &[i64]) -> Fix {
        self.fields.iter().fold(Fix::new(title), |fix, field| fix.set(field, data))
    }

    /// A fix that merges rows of offsets into one pack, where every row ends where the longest
    /// does.
    pub fn merge_rows(&self, width: usize) -> Option<Fix> {
        let rows: Vec<&[i64]> = self.tensor.data.chunks(width.max(1)).collect();
        let length = rows.iter().filter_map(|row| row.last().copied()).max().unwrap_or(0);
        rows.iter().all(|row| row.contains(&length)).then(|| {
            self.rewrite(
                format!("merge {} rows of {length} tokens", rows.len()),
                &merge_micro_batch(&rows, length),
            )
        })
    }

    /// The field's name without its group.
    pub fn name(&self) -> &'static str {
        short(self.field)
    }
}

/// `cu_seqlens_q` of `params.cu_seqlens_q`.
pub(super) fn short(field: &str) -> &str {
    field.rsplit('.').next().unwrap_or(field)
}

impl<'a> Case<'a> {
    pub fn new(analysis: &'a Analysis<'a>, peers: &'a [Scenario]) -> Self {
        let mut case = Case { analysis, peers, given: Vec::new(), valid: None, physical: None };
        case.given = case.offsets_given();
        case.valid = case.sound(case.params().cu_seqlens_q.as_ref());
        case.physical = case.sound(case.params().physical_offsets());
        case
    }

    pub fn peers(&self) -> &'a [Scenario] {
        self.peers
    }

    pub fn scenario(&self) -> &'a Scenario {
        &self.analysis.scenario
    }

    pub fn params(&self) -> &'a PackedSeqParams {
        &self.scenario().params
    }

    pub fn model(&self) -> &'a Model {
        &self.scenario().model
    }

    pub fn sizes(&self) -> &'a ParallelSizes {
        &self.scenario().topology
    }

    pub fn laid_out(&self) -> Option<&Topology> {
        self.analysis.topology.as_ref().ok()
    }

    /// The offsets given, equal ones together.
    pub fn given(&self) -> &[Given<'a>] {
        &self.given
    }

    fn offsets_given(&self) -> Vec<Given<'a>> {
        let params = self.params();
        let mut given: Vec<Given> = Vec::new();
        for (field, tensor) in [
            (Q, &params.cu_seqlens_q),
            (KV, &params.cu_seqlens_kv),
            (Q_PADDED, &params.cu_seqlens_q_padded),
            (KV_PADDED, &params.cu_seqlens_kv_padded),
        ] {
            let Some(tensor) = tensor else { continue };
            match given.iter_mut().find(|other| other.tensor == tensor) {
                Some(other) => other.fields.push(field),
                None => given.push(Given { field, fields: vec![field], tensor }),
            }
        }
        given
    }

    /// A stack of rows that is not yet one pack.
    pub fn in_rows(&self, tensor: &Tensor) -> bool {
        tensor.shape.as_ref().is_some_and(|shape| {
            shape.len() > 1 && shape[..shape.len() - 1].iter().any(|&n| n != 1)
        })
    }

    /// Lengths where offsets belong: no 0 in front, and the sum is where the stream ends.
    pub fn reads_as_lengths(&self, tensor: &Tensor) -> bool {
        let padded_end =
            self.params().cu_seqlens_q_padded.as_ref().and_then(|t| t.data.last().copied());
        let ends = |sum| self.params().total_tokens == Some(sum) || padded_end == Some(sum);
        tensor.data.first().is_some_and(|&first| first > 0)
            && tensor.data.iter().all(|&n| n >= 0)
            && tensor.data.len() > 1
            && ends(tensor.data.iter().fold(0i64, |sum, &n| sum.saturating_add(n)))
    }

    /// Entries that can be judged one by one: a flat row without markers, not lengths.
    pub fn as_offsets(&self, tensor: &'a Tensor) -> Option<&'a [i64]> {
        let judged = !self.in_rows(tensor)
            && tensor.data.iter().all(|&n| n >= 0)
            && !self.reads_as_lengths(tensor);
        judged.then_some(tensor.data.as_slice())
    }

    /// Offsets with nothing wrong in themselves.
    pub fn sound(&self, tensor: Option<&'a Tensor>) -> Option<CheckedOffsets<'a>> {
        let offsets = self.as_offsets(tensor?)?;
        CheckedOffsets::new(offsets).ok().filter(|checked| checked.end() <= INT32_MAX)
    }

    /// Sound valid offsets of the queries.
    pub fn valid(&self) -> Option<CheckedOffsets<'a>> {
        self.valid
    }

    /// Sound physical offsets.
    pub fn physical(&self) -> Option<CheckedOffsets<'a>> {
        self.physical
    }

    /// The slots where both kinds of offsets are sound and count alike.
    pub fn sound_slots(&self) -> Option<&[Slot]> {
        let physical = self.physical()?;
        let counted = match (&self.params().cu_seqlens_q, &self.params().cu_seqlens_q_padded) {
            (Some(_), Some(_)) => self.valid()?.count() == physical.count(),
            _ => true,
        };
        if counted { self.analysis.usable_slots() } else { None }
    }

    /// The slots where padded offsets are given too and every slot holds its sequence.
    pub fn padded_slots(&self) -> Option<&[Slot]> {
        self.params().cu_seqlens_q_padded.as_ref()?;
        self.params().cu_seqlens_q.as_ref()?;
        self.sound_slots().filter(|slots| slots.iter().all(|slot| slot.valid <= slot.length))
    }

    /// Some slot is longer than its sequence.
    pub fn has_padding(&self) -> bool {
        self.padded_slots().is_some_and(|slots| slots.iter().any(|slot| slot.padding() > 0))
    }

    /// The name of the field that holds the physical offsets.
    pub fn physical_field(&self) -> &'static str {
        if self.params().cu_seqlens_q_padded.is_some() { Q_PADDED } else { Q }
    }

    /// The format is thd, or not said.
    pub fn may_be_thd(&self) -> bool {
        self.params().qkv_format.as_deref().is_none_or(|format| format.eq_ignore_ascii_case("thd"))
    }

    pub fn is_thd(&self) -> bool {
        self.params().qkv_format.as_deref() == Some("thd")
    }

    /// Context parallelism at work: the size, where it is more than one rank.
    pub fn cp(&self) -> Option<i64> {
        (2..=1 << 24).contains(&self.cp_size).then_some(self.cp_size)
    }

    /// 2·cp and the slots, where slots are cut one by one over several ranks.
    pub fn document_cut(&self) -> Option<(i64, &[Slot])> {
        let cp = self.cp()?;
        let by_document = self.scenario().partition == PartitionMode::PerDocument;
        (by_document && self.may_be_thd()).then_some((2 * cp, self.sound_slots()?))
    }

    pub fn tp(&self) -> i64 {
        self.sizes().tensor_model_parallel_size
    }

    /// Offsets that were divided by cp before the call.
    pub fn already_local(&self) -> bool {
        match (self.cp(), self.physical(), self.params().total_tokens) {
            (Some(cp), Some(offsets), Some(total)) => {
                offsets.end() > 0
                    && offsets.end().saturating_mul(cp) == total
                    && offsets.end() != total
            }
            _ => false,
        }
    }

    /// Transformer Engine's (major, minor), where it is known.
    pub fn te_version(&self) -> Option<(u32, u32)> {
        let mut parts = self.model().te_version.as_deref()?.trim_start_matches('v').split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    }

    /// Pads every sequence anew, to the multiple in use for these sizes; the last slot grows to
    /// what the whole stream needs. Valid lengths and order stay.
    pub fn repad(&self, title: &str) -> Option<Fix> {
        let multiple = padding_multiple(self.scenario());
        let params = self.params();
        let valid = self.valid()?;
        let q = stream_padded(valid, multiple.slot, multiple.total);
        let kv = match self.sound(params.cu_seqlens_kv.as_ref()) {
            Some(kv) => stream_padded(kv, multiple.slot, multiple.total),
            None => q.clone(),
        };
        let end = *q.last()?;
        if end > INT32_MAX {
            return None;
        }
        let longest = |offsets: &[i64]| offsets.windows(2).map(|pair| pair[1] - pair[0]).max();
        let mut fix = Fix::new(title).set(Q_PADDED, q.as_slice()).set(KV_PADDED, kv.as_slice());
        if params.total_tokens.is_some() {
            fix = fix.set(TOTAL, end);
        }
        if params.pad_between_seqs.is_some() || q != valid.as_slice() {
            fix = fix.set("params.pad_between_seqs", q != valid.as_slice());
        }
        for (field, given, offsets) in [
            ("params.max_seqlen_q", params.max_seqlen_q, &q),
            ("params.max_seqlen_kv", params.max_seqlen_kv, &kv),
        ] {
            if let (Some(given), Some(longest)) = (given, longest(offsets))
                && given < longest
            {
                fix = fix.set(field, longest);
            }
        }
        if params.seq_idx.is_some() {
            fix = fix.set("params.seq_idx", Value::Null);
        }
        Some(fix)
    }

    /// The rank whose groups are asked for, where it is in the world.
    pub fn rank(&self) -> Option<usize> {
        let rank = usize::try_from(self.scenario().rank).ok()?;
        (rank < self.laid_out()?.world()).then_some(rank)
    }

    /// The aligned runtime groups of the selected rank: cp, and TP×CP.
    pub fn runtime_groups(&self, size: i64) -> Option<(Vec<u32>, Vec<u32>)> {
        let (topology, rank, size) = (self.laid_out()?, self.rank()?, usize::try_from(size).ok()?);
        Some((topology.runtime_cp_group(rank, size)?, topology.runtime_tp_cp_group(rank, size)?))
    }
}

fn stream_padded(valid: CheckedOffsets, slot: i64, total: i64) -> Vec<i64> {
    let mut lengths: Vec<i64> = padded_offsets(valid, slot)
        .windows(2)
        .map(|pair| pair[1].saturating_sub(pair[0]))
        .collect();
    let end = lengths.iter().fold(0i64, |sum, &n| sum.saturating_add(n));
    let missing = (total - end % total) % total;
    if let Some(last) = lengths.iter_mut().rev().find(|length| **length > 0) {
        *last = last.saturating_add(missing);
    }
    offsets_of_lengths(&lengths)
}

/// `16 sequences`, `1 token`.
pub(super) fn count(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}
