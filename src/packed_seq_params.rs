//! Megatron-Core's `PackedSeqParams`, its derived `seq_idx`, and the resolution of runtime groups.
//!
//! Source: Megatron-Core `core.packed_seq_params` (developer guide; main d98e8a64).

use crate::scenario::{Group, Profile, Tensor};
use serde::{Deserialize, Serialize};

/// The metadata of one packed microbatch, as upstream's dataclass holds it. Every field defaults
/// to none; nothing is checked here.
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PackedSeqParams {
    /// `thd` for packed sequences; `sbhd` and `bshd` are seen too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qkv_format: Option<String>,
    /// Valid offsets of the queries: real tokens only, n + 1 entries.
    #[serde(alias = "cu_seqlens", skip_serializing_if = "Option::is_none")]
    pub cu_seqlens_q: Option<Tensor>,
    /// Valid offsets of the keys and values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cu_seqlens_kv: Option<Tensor>,
    /// Physical offsets of the queries: where each slot starts in memory.
    #[serde(alias = "cu_seqlens_padded", skip_serializing_if = "Option::is_none")]
    pub cu_seqlens_q_padded: Option<Tensor>,
    /// Physical offsets of the keys and values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cu_seqlens_kv_padded: Option<Tensor>,
    /// Longest query sequence, tokens; an upper bound is allowed.
    #[serde(alias = "max_seqlen", skip_serializing_if = "Option::is_none")]
    pub max_seqlen_q: Option<i64>,
    /// Longest key sequence, tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seqlen_kv: Option<i64>,
    /// Runtime context-parallel size of this microbatch, ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_cp_size: Option<i64>,
    /// Runtime context-parallel group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp_group: Option<Group>,
    /// Runtime TP×CP group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tp_cp_group: Option<Group>,
    /// Physical length T of the stream, tokens; read for `seq_idx` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<i64>,
    /// Per-token sequence index, int32 `[1, T]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq_idx: Option<Tensor>,
    /// Tokens per sample where a microbatch was flattened into one row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_sample: Option<i64>,
    /// There is padding between sequences in storage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pad_between_seqs: Option<bool>,
    /// An opaque per-microbatch cache, kept as it was printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp_scatter_cache: Option<String>,
}

impl PackedSeqParams {
    /// Self-attention over these valid offsets: q and kv alike, `thd`, the longest length.
    ///
    /// ```
    /// let params = packscope::PackedSeqParams::of_offsets(vec![0, 5, 7]);
    /// assert_eq!(params.max_seqlen_q, Some(5));
    /// assert_eq!(params.cu_seqlens_q, params.cu_seqlens_kv);
    /// ```
    pub fn of_offsets(offsets: Vec<i64>) -> Self {
        let longest = offsets.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max();
        PackedSeqParams {
            qkv_format: Some("thd".to_owned()),
            cu_seqlens_kv: Some(Tensor::of(offsets.clone())),
            cu_seqlens_q: Some(Tensor::of(offsets)),
            max_seqlen_q: longest,
            max_seqlen_kv: longest,
            ..PackedSeqParams::default()
        }
    }

    /// The offsets that say where sequences sit in storage: the padded ones win.
    ///
    /// ```
    /// use packscope::{PackedSeqParams, Tensor};
    /// let mut params = PackedSeqParams::of_offsets(vec![0, 6]);
    /// params.cu_seqlens_q_padded = Some(Tensor::of([0, 8]));
    /// assert_eq!(params.physical_offsets().unwrap().data, [0, 8]);
    /// ```
    pub fn physical_offsets(&self) -> Option<&Tensor> {
        self.cu_seqlens_q_padded.as_ref().or(self.cu_seqlens_q.as_ref())
    }

    /// `seq_idx` as upstream's main derives it: every negative length counts as 0. None where
    /// offsets or `total_tokens` are absent.
    ///
    /// Source: Megatron-Core `PackedSeqParams.__post_init__`.
    ///
    /// ```
    /// use packscope::PackedSeqParams;
    /// let mut params = PackedSeqParams::of_offsets(vec![0, 5, 7, 11]);
    /// params.total_tokens = Some(16);
    /// let runs = params.seq_idx_clamped().unwrap();
    /// assert_eq!(runs.to_string(), "0×5 1×2 2×4 3×5");
    /// assert_eq!(runs.length(), 16);
    /// ```
    pub fn seq_idx_clamped(&self) -> Option<Runs> {
        let offsets = &self.physical_offsets()?.data;
        let ends = offsets.iter().skip(1).copied().chain([self.total_tokens?]);
        let lengths = offsets.iter().zip(ends).map(|(&start, end)| end.saturating_sub(start));
        Some(Runs::of_lengths(lengths))
    }

    /// `seq_idx` as newer upstream derives it: nothing is clamped, a preset one is kept.
    ///
    /// # Errors
    /// Where upstream fails at run time: a length is negative, `total_tokens` lies before the last
    /// offset, or the sum is not `total_tokens`.
    ///
    /// ```
    /// use packscope::PackedSeqParams;
    /// let mut params = PackedSeqParams::of_offsets(vec![0, 5, 7, 11]);
    /// params.total_tokens = Some(9);
    /// assert!(params.seq_idx_strict().is_err());
    /// ```
    pub fn seq_idx_strict(&self) -> Result<Option<Runs>, SeqIdxError> {
        if let Some(preset) = &self.seq_idx {
            return Ok(Some(Runs::of_tokens(&preset.data)));
        }
        let (Some(offsets), Some(total)) = (self.physical_offsets(), self.total_tokens) else {
            return Ok(None);
        };
        let offsets = &offsets.data;
        if offsets.is_empty() && total != 0 {
            return Err(SeqIdxError::NoOffsets { total });
        }
        if let Some(&last) = offsets.last().filter(|&&last| total < last) {
            return Err(SeqIdxError::TotalBelowOffsets { total, last });
        }
        if let Some(i) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            return Err(SeqIdxError::NegativeLength { index: i });
        }
        if let Some(&first) = offsets.first().filter(|&&first| first != 0) {
            return Err(SeqIdxError::FirstNotZero { first, total });
        }
        Ok(self.seq_idx_clamped())
    }
}

/// Why newer upstream refuses to derive `seq_idx`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeqIdxError {
    #[error("there are no offsets for total_tokens {total}")]
    NoOffsets { total: i64 },
    #[error("total_tokens {total} lies before the last offset {last}")]
    TotalBelowOffsets { total: i64, last: i64 },
    #[error("sequence {index} has a negative length")]
    NegativeLength { index: usize },
    #[error("offsets start at {first}, so the lengths do not sum to total_tokens {total}")]
    FirstNotZero { first: i64, total: i64 },
}

/// A run-length encoded `seq_idx`: `(index, tokens)`, no run empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs(Vec<(i32, i64)>);

impl Runs {
    fn of_lengths(lengths: impl Iterator<Item = i64>) -> Self {
        Runs(lengths.enumerate().filter(|&(_, n)| n > 0).map(|(i, n)| (i as i32, n)).collect())
    }

    /// The runs of a preset `seq_idx`, shape `[T]` flattened; entries past int32 are cut to it.
    ///
    /// ```
    /// assert_eq!(packscope::Runs::of_tokens(&[0, 0, 2]).to_string(), "0×2 2×1");
    /// ```
    pub fn of_tokens(tokens: &[i64]) -> Self {
        Runs(tokens.chunk_by(|a, b| a == b).map(|run| (run[0] as i32, run.len() as i64)).collect())
    }

    /// The runs, in stream order.
    ///
    /// ```
    /// # use packscope::PackedSeqParams;
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 2, 3]);
    /// # params.total_tokens = Some(4);
    /// # let runs = params.seq_idx_clamped().unwrap();
    /// assert_eq!(runs.as_slice(), [(0, 2), (1, 1), (2, 1)]);
    /// ```
    pub fn as_slice(&self) -> &[(i32, i64)] {
        &self.0
    }

    /// Tokens in all.
    ///
    /// ```
    /// # use packscope::PackedSeqParams;
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 2, 3]);
    /// # params.total_tokens = Some(4);
    /// # let runs = params.seq_idx_clamped().unwrap();
    /// assert_eq!(runs.length(), 4);
    /// ```
    pub fn length(&self) -> i64 {
        self.0.iter().fold(0, |sum, &(_, n)| sum.saturating_add(n))
    }

    /// One entry per token into the caller's buffer, shape `[length()]`.
    ///
    /// # Errors
    /// The two lengths, where the buffer's is not [`length`](Self::length).
    ///
    /// ```
    /// # use packscope::PackedSeqParams;
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 2, 3]);
    /// # params.total_tokens = Some(4);
    /// let mut buffer = [0; 4];
    /// params.seq_idx_clamped().unwrap().expand_into(&mut buffer).unwrap();
    /// assert_eq!(buffer, [0, 0, 1, 2]);
    /// ```
    pub fn expand_into(&self, buffer: &mut [i32]) -> Result<(), BufferLength> {
        if buffer.len() as i64 != self.length() {
            return Err(BufferLength { given: buffer.len(), needed: self.length() });
        }
        let mut rest = buffer;
        for &(index, n) in &self.0 {
            let (run, after) = rest.split_at_mut(n as usize);
            run.fill(index);
            rest = after;
        }
        Ok(())
    }

    /// One entry per token, shape `[length()]`. The caller makes sure that it fits in memory.
    ///
    /// ```
    /// # use packscope::PackedSeqParams;
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 2, 3]);
    /// # params.total_tokens = Some(4);
    /// # let runs = params.seq_idx_clamped().unwrap();
    /// assert_eq!(runs.expand(), [0, 0, 1, 2]);
    /// ```
    pub fn expand(&self) -> Vec<i32> {
        let mut tokens = Vec::with_capacity(self.length() as usize);
        for &(index, n) in &self.0 {
            tokens.resize(tokens.len() + n as usize, index);
        }
        tokens
    }
}

impl std::fmt::Display for Runs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (index, n)) in self.0.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(f, "{gap}{index}×{n}")?;
        }
        Ok(())
    }
}

/// A buffer that does not hold one entry per token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the buffer holds {given} tokens, seq_idx has {needed}")]
pub struct BufferLength {
    pub given: usize,
    pub needed: i64,
}

/// Why upstream refuses a runtime group.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error(
        "packed_seq_params.cp_group must be set when local_cp_size is provided (local_cp_size {0})"
    )]
    CpGroupMissing(i64),
    #[error("cp_group has {group} ranks, local_cp_size is {local_cp_size}")]
    CpGroupSize { group: usize, local_cp_size: i64 },
    #[error("legacy: local_cp_size 1 means context parallelism is off, and cp_group must be none")]
    SingletonWithGroup,
    #[error(
        "packed_seq_params.tp_cp_group must be set when local_cp_size is provided under sequence parallelism"
    )]
    TpCpGroupMissing,
    #[error("sequence parallelism needs the tensor-parallel group to resolve tp_cp_group")]
    TpGroupMissing,
    #[error("tp_cp_group has {group} ranks, tp {tp} × local_cp_size {local_cp_size} is {}", tp.saturating_mul(*local_cp_size))]
    TpCpGroupSize { group: usize, tp: i64, local_cp_size: i64 },
    #[error("rank {0} belongs to the cp or tp group and is missing from tp_cp_group")]
    TpCpRankMissing(i64),
}

/// The context-parallel group this microbatch runs in: the runtime one where the params ask for
/// it, else `static_cp_group`.
///
/// A group whose ranks are unknown passes the checks that would need them.
///
/// Source: Megatron-Core `packed_seq_params.resolve_cp_group`; legacy: PRs 6821 and 6825.
///
/// # Errors
/// What upstream asserts under this profile.
///
/// ```
/// use packscope::{Group, PackedSeqParams, Profile, resolve_cp_group};
/// let mut params = PackedSeqParams::of_offsets(vec![0, 8]);
/// let fixed = Group::Ranks(vec![0, 2]);
/// assert_eq!(resolve_cp_group(Some(&fixed), &params, Profile::Strict), Ok(Some(fixed.clone())));
/// params.local_cp_size = Some(1);
/// assert!(resolve_cp_group(Some(&fixed), &params, Profile::Strict).is_err());
/// assert_eq!(resolve_cp_group(Some(&fixed), &params, Profile::Legacy), Ok(None));
/// ```
pub fn resolve_cp_group(
    static_cp_group: Option<&Group>,
    params: &PackedSeqParams,
    profile: Profile,
) -> Result<Option<Group>, ResolveError> {
    let runtime = params.cp_group.as_ref();
    match (profile, params.local_cp_size, runtime) {
        (Profile::Strict, None, _) | (Profile::Legacy, None, None) => Ok(static_cp_group.cloned()),
        (Profile::Legacy, Some(1), Some(_)) => Err(ResolveError::SingletonWithGroup),
        (Profile::Legacy, Some(1), None) => Ok(None),
        (Profile::Legacy, _, Some(group)) => Ok(Some(group.clone())),
        (_, Some(size), None) => Err(ResolveError::CpGroupMissing(size)),
        (Profile::Strict, Some(size), Some(group)) => match group.ranks() {
            Some(ranks) if ranks.len() as i64 != size => {
                Err(ResolveError::CpGroupSize { group: ranks.len(), local_cp_size: size })
            }
            _ => Ok(Some(group.clone())),
        },
    }
}

/// The TP×CP group this microbatch converts sequence-parallel shards in.
///
/// Source: Megatron-Core `packed_seq_params.resolve_tp_cp_group` (documented signature; the body is
/// inferred from its callers).
///
/// # Errors
/// Under sequence parallelism with `local_cp_size` set: the group is absent, has not
/// `tp × local_cp_size` ranks, or lacks a rank of the Cartesian product.
///
/// ```
/// use packscope::{Group, PackedSeqParams, ResolveError, resolve_tp_cp_group};
/// let mut params = PackedSeqParams::of_offsets(vec![0, 8]);
/// params.local_cp_size = Some(2);
/// params.cp_group = Some(Group::Ranks(vec![0, 2]));
/// params.tp_cp_group = Some(Group::Ranks(vec![0, 2]));
/// let tp = Group::Ranks(vec![0, 1]);
/// assert_eq!(
///     resolve_tp_cp_group(None, &params, true, Some(&tp)),
///     Err(ResolveError::TpCpGroupSize { group: 2, tp: 2, local_cp_size: 2 })
/// );
/// ```
pub fn resolve_tp_cp_group(
    static_tp_cp_group: Option<&Group>,
    params: &PackedSeqParams,
    sequence_parallel: bool,
    tp_group: Option<&Group>,
) -> Result<Option<Group>, ResolveError> {
    let Some(local_cp_size) = params.local_cp_size else {
        return Ok(static_tp_cp_group.cloned());
    };
    if !sequence_parallel {
        return Ok(params.tp_cp_group.clone());
    }
    let group = params.tp_cp_group.as_ref().ok_or(ResolveError::TpCpGroupMissing)?;
    let tp_group = tp_group.ok_or(ResolveError::TpGroupMissing)?;
    if let (Some(ranks), Some(tp)) = (group.ranks(), tp_group.ranks()) {
        let size = (tp.len() as i64).saturating_mul(local_cp_size);
        if ranks.len() as i64 != size {
            let (group, tp) = (ranks.len(), tp.len() as i64);
            return Err(ResolveError::TpCpGroupSize { group, tp, local_cp_size });
        }
        if let Some(rank) = missing_from_product(ranks, tp, params.cp_group.as_ref()) {
            return Err(ResolveError::TpCpRankMissing(rank));
        }
    }
    Ok(Some(group.clone()))
}

/// The first rank that a TP×CP group must hold and does not: the corners `cp[c] + tp[t] − shared`
/// of the Cartesian product, `shared` being the rank that both groups hold.
fn missing_from_product(ranks: &[i64], tp: &[i64], cp_group: Option<&Group>) -> Option<i64> {
    let cp = cp_group.and_then(Group::ranks)?;
    let shared = cp.iter().find(|rank| tp.contains(rank)).copied();
    let corners = cp.iter().flat_map(|&c| {
        tp.iter()
            .filter_map(move |&t| shared.map(|shared| c.saturating_add(t).saturating_sub(shared)))
    });
    let mut held = ranks.to_vec();
    held.sort_unstable();
    cp.iter().chain(tp).copied().chain(corners).find(|rank| held.binary_search(rank).is_err())
}
