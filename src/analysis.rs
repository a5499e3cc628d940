//! What follows from a [`Scenario`]: runs and slots, never one entry per token.

use crate::offsets::{CheckedOffsets, OffsetsError, Slot};
use crate::packed_seq_params::{ResolveError, Runs, resolve_cp_group, resolve_tp_cp_group};
use crate::partition::{Cut, CutError, Load};
use crate::scenario::{Group, Model, PartitionMode, Profile, Scenario};
use crate::topology::{GroupKind, Topology, TopologyError};
use std::borrow::Cow;

/// Everything that Packscope works out of one scenario. Its size grows with sequences and with CP
/// ranks, not with tokens.
#[derive(Clone, Debug)]
pub struct Analysis<'a> {
    pub scenario: Cow<'a, Scenario>,
    /// `seq_idx` as upstream's main derives it (clamped), whatever the rules object to.
    pub seq_idx: Option<Runs>,
    /// The sequences' slots; none without physical offsets.
    pub slots: Option<Result<Vec<Slot>, OffsetsError>>,
    /// T as given, or else where the last slot ends. Units: tokens.
    pub total_tokens: i64,
    /// Context-parallel ranks this microbatch is cut over: the runtime size, or the static one.
    pub cp_size: i64,
    /// The cut of the stream; none without offsets and without a T to cut.
    pub cut: Result<Cut, CutError>,
    /// What each CP rank holds, shape `[cp_size]`; empty where there is no cut.
    pub loads: Vec<Load>,
    pub topology: Result<Topology, TopologyError>,
    pub cp_group: Result<Option<Group>, ResolveError>,
    pub tp_cp_group: Result<Option<Group>, ResolveError>,
}

impl From<Scenario> for Cow<'_, Scenario> {
    fn from(scenario: Scenario) -> Self {
        Cow::Owned(scenario)
    }
}

impl<'a> From<&'a Scenario> for Cow<'a, Scenario> {
    fn from(scenario: &'a Scenario) -> Self {
        Cow::Borrowed(scenario)
    }
}

impl Scenario {
    /// The context-parallel size that this microbatch runs at, ranks: `local_cp_size` where the
    /// params say it, in the legacy profile else the runtime group's size, else the static size.
    ///
    /// ```
    /// # use packscope::{PackedSeqParams, Scenario, Tensor, analyze};
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 6, 10]);
    /// # params.cu_seqlens_q_padded = Some(Tensor::of([0, 8, 12]));
    /// # params.total_tokens = Some(16);
    /// # let scenario = Scenario::of(params);
    /// # let analysis = analyze(&scenario);
    /// let mut scenario = scenario.clone();
    /// scenario.params.local_cp_size = Some(4);
    /// assert_eq!(scenario.runtime_cp_size(), 4);
    /// ```
    pub fn runtime_cp_size(&self) -> i64 {
        let group = match (self.profile, &self.params.cp_group) {
            (Profile::Legacy, Some(Group::Ranks(ranks))) => Some(ranks.len() as i64),
            _ => None,
        };
        self.params.local_cp_size.or(group).unwrap_or(self.topology.context_parallel_size)
    }
}

impl Model {
    /// Tokens that FP8 GEMMs want at a time on every rank; none without FP8.
    ///
    /// Source: Megatron-Core multimodal `get_padding`; Transformer Engine issue 2892.
    ///
    /// ```
    /// use packscope::scenario::Model;
    /// let model = Model { fp8: Some("mxfp8".into()), ..Model::default() };
    /// assert_eq!(model.fp8_alignment(), Some(32));
    /// ```
    pub fn fp8_alignment(&self) -> Option<i64> {
        let recipe = self.fp8.as_deref()?.to_ascii_lowercase();
        Some(match recipe.as_str() {
            "" | "none" | "false" => return None,
            recipe if recipe.contains("mxfp8") => 32,
            recipe if recipe.contains("block") => 128,
            _ => 16,
        })
    }
}

/// Works out everything about a scenario. It never fails: what cannot be had says why in its place.
///
/// ```
/// use packscope::{PackedSeqParams, Scenario, analyze};
/// let mut scenario = Scenario::of(PackedSeqParams::of_offsets(vec![0, 8, 16]));
/// scenario.topology.context_parallel_size = 2;
/// let analysis = analyze(&scenario);
/// assert_eq!(analysis.loads[0].attention_pairs, analysis.loads[1].attention_pairs);
/// ```
pub fn analyze<'a>(scenario: impl Into<Cow<'a, Scenario>>) -> Analysis<'a> {
    let scenario = scenario.into();
    let params = &scenario.params;
    let seq_idx = params.seq_idx_clamped();
    let slots = params.physical_offsets().map(|offsets| physical_slots(&scenario, &offsets.data));
    let end = params.physical_offsets().and_then(|offsets| offsets.data.last().copied());
    let total_tokens = params.total_tokens.or(end).unwrap_or(0);
    let cp_size = scenario.runtime_cp_size();
    let cut = match &slots {
        Some(Ok(slots)) if total_tokens >= 0 => {
            Cut::new(slots.clone(), total_tokens, scenario.partition, cp_size)
        }
        // Without offsets a stream that is not cut by documents is one sequence.
        None if total_tokens > 0 && scenario.partition != PartitionMode::PerDocument => {
            let whole = Slot { index: 0, start: 0, length: total_tokens, valid: total_tokens };
            Cut::new(vec![whole], total_tokens, scenario.partition, cp_size)
        }
        _ => Err(CutError::NoOffsets),
    };
    let loads = cut.as_ref().map(Cut::loads).unwrap_or_default();
    let topology = Topology::new(&scenario.topology);
    let fixed = |kind| static_group(topology.as_ref().ok()?, scenario.rank, kind);
    let cp_group = resolve_cp_group(fixed(GroupKind::CP).as_ref(), params, scenario.profile);
    let tp_cp_group = resolve_tp_cp_group(
        fixed(GroupKind::TP_CP).as_ref(),
        params,
        scenario.sequence_parallel,
        fixed(GroupKind::TP).as_ref(),
    );
    Analysis {
        scenario,
        seq_idx,
        slots,
        total_tokens,
        cp_size,
        cut,
        loads,
        topology,
        cp_group,
        tp_cp_group,
    }
}

fn static_group(topology: &Topology, rank: i64, kind: GroupKind) -> Option<Group> {
    let members = topology.group_of(usize::try_from(rank).ok()?, kind)?;
    Some(Group::Ranks(members.into_iter().map(i64::from).collect()))
}

/// Slots by the physical offsets, each with its valid length where the valid offsets are usable
/// and count as many sequences.
fn physical_slots(scenario: &Scenario, physical: &[i64]) -> Result<Vec<Slot>, OffsetsError> {
    let mut slots: Vec<Slot> = CheckedOffsets::new(physical)?.slots().collect();
    if scenario.params.cu_seqlens_q_padded.is_some()
        && let Some(valid) = &scenario.params.cu_seqlens_q
        && let Ok(valid) = CheckedOffsets::new(&valid.data)
        && valid.count() == slots.len()
    {
        for (slot, length) in slots.iter_mut().zip(valid.lengths()) {
            slot.valid = length;
        }
    }
    Ok(slots)
}

impl Analysis<'_> {
    /// The slots, where the offsets are usable.
    ///
    /// ```
    /// # use packscope::{PackedSeqParams, Scenario, Tensor, analyze};
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 6, 10]);
    /// # params.cu_seqlens_q_padded = Some(Tensor::of([0, 8, 12]));
    /// # params.total_tokens = Some(16);
    /// # let scenario = Scenario::of(params);
    /// # let analysis = analyze(&scenario);
    /// assert_eq!(analysis.usable_slots().unwrap()[1].valid, 4);
    /// ```
    pub fn usable_slots(&self) -> Option<&[Slot]> {
        match &self.slots {
            Some(Ok(slots)) => Some(slots),
            _ => None,
        }
    }

    /// Real tokens in the stream.
    ///
    /// ```
    /// # use packscope::{PackedSeqParams, Scenario, Tensor, analyze};
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 6, 10]);
    /// # params.cu_seqlens_q_padded = Some(Tensor::of([0, 8, 12]));
    /// # params.total_tokens = Some(16);
    /// # let scenario = Scenario::of(params);
    /// # let analysis = analyze(&scenario);
    /// assert_eq!(analysis.valid_tokens(), 10);
    /// ```
    pub fn valid_tokens(&self) -> i64 {
        let slots = self.usable_slots().unwrap_or_default();
        slots.iter().map(|slot| slot.valid.clamp(0, slot.length)).sum()
    }

    /// Tokens past the last slot.
    ///
    /// ```
    /// # use packscope::{PackedSeqParams, Scenario, Tensor, analyze};
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 6, 10]);
    /// # params.cu_seqlens_q_padded = Some(Tensor::of([0, 8, 12]));
    /// # params.total_tokens = Some(16);
    /// # let scenario = Scenario::of(params);
    /// # let analysis = analyze(&scenario);
    /// assert_eq!(analysis.tail(), 4);
    /// ```
    pub fn tail(&self) -> i64 {
        let end = self.usable_slots().and_then(<[Slot]>::last).map_or(0, Slot::end);
        (self.total_tokens - end).max(0)
    }

    /// The most attention pairs on a CP rank over their mean; none where there are no pairs.
    ///
    /// ```
    /// # use packscope::{PackedSeqParams, Scenario, Tensor, analyze};
    /// # let mut params = PackedSeqParams::of_offsets(vec![0, 6, 10]);
    /// # params.cu_seqlens_q_padded = Some(Tensor::of([0, 8, 12]));
    /// # params.total_tokens = Some(16);
    /// # let scenario = Scenario::of(params);
    /// # let analysis = analyze(&scenario);
    /// assert_eq!(analysis.imbalance(), Some(1.0));
    /// ```
    pub fn imbalance(&self) -> Option<f64> {
        let pairs = || self.loads.iter().map(|load| load.attention_pairs as f64);
        let sum: f64 = pairs().sum();
        (sum > 0.0).then(|| pairs().fold(0.0, f64::max) * self.loads.len() as f64 / sum)
    }
}
