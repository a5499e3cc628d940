//! What the user said, unjudged: a [`Scenario`] can be wrong in every way.
//!
//! The JSON form is the file format. Names are Megatron's own argument names; short aliases
//! (`tp`, `cp`, `world`, …) are read and never written.

use crate::packed_seq_params::PackedSeqParams;
use crate::words;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One microbatch's metadata and the job it runs in. Everything is optional but `params`.
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The microbatch's `PackedSeqParams`.
    pub params: PackedSeqParams,
    /// The sizes of the job.
    #[serde(default)]
    pub topology: ParallelSizes,
    /// How the tokens are cut over the context-parallel ranks.
    #[serde(default)]
    pub partition: PartitionMode,
    /// Each TP rank keeps one window of its CP rank's tokens.
    #[serde(default)]
    pub sequence_parallel: bool,
    /// Which of upstream's contracts for runtime groups holds.
    #[serde(default)]
    pub profile: Profile,
    /// The global rank whose groups are asked for.
    #[serde(default)]
    pub rank: i64,
    /// Rows of a microbatch before they are merged into one pack.
    #[serde(default = "one")]
    pub micro_batch_size: i64,
    /// What is known of the model.
    #[serde(default, skip_serializing_if = "Model::is_empty")]
    pub model: Model,
}

fn one() -> i64 {
    1
}

impl Default for Scenario {
    fn default() -> Self {
        Scenario::of(PackedSeqParams::default())
    }
}

impl Scenario {
    /// A scenario of these params on one rank, everything else at upstream's default.
    ///
    /// ```
    /// let scenario = packscope::Scenario::of(packscope::PackedSeqParams::of_offsets(vec![0, 8]));
    /// assert_eq!(scenario.topology.context_parallel_size, 1);
    /// ```
    pub fn of(params: PackedSeqParams) -> Self {
        Scenario {
            params,
            topology: ParallelSizes::default(),
            partition: PartitionMode::default(),
            sequence_parallel: false,
            profile: Profile::default(),
            rank: 0,
            micro_batch_size: 1,
            model: Model::default(),
        }
    }

    /// The settings alone.
    pub(crate) fn without_params(&self) -> Scenario {
        Scenario {
            params: PackedSeqParams::default(),
            topology: self.topology.clone(),
            model: self.model.clone(),
            ..*self
        }
    }

    /// The JSON value that the file format holds.
    ///
    /// ```
    /// let scenario = packscope::Scenario::of(packscope::PackedSeqParams::of_offsets(vec![0, 8]));
    /// assert_eq!(scenario.to_json()["params"]["cu_seqlens_q"], serde_json::json!([0, 8]));
    /// ```
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// A tensor of integers as it was given; dtype and shape only where the user said them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tensor {
    /// The entries, row by row.
    pub data: Vec<i64>,
    /// Upstream's name without `torch.`: `int32`, `int64`.
    pub dtype: Option<String>,
    /// The shape, where it was said.
    pub shape: Option<Vec<i64>>,
}

impl Tensor {
    /// A one-dimensional tensor of unstated dtype.
    ///
    /// ```
    /// assert_eq!(packscope::Tensor::of([0, 8]).dtype, None);
    /// ```
    pub fn of(data: impl Into<Vec<i64>>) -> Self {
        Tensor { data: data.into(), dtype: None, shape: None }
    }

    /// A tensor of the dtype and shape that were said.
    ///
    /// # Errors
    /// A sentence, where the shape does not hold the entries.
    ///
    /// ```
    /// use packscope::Tensor;
    /// let tensor = Tensor::shaped(vec![0, 8], Some("torch.int32"), Some(vec![1, 2])).unwrap();
    /// assert_eq!(tensor.dtype.as_deref(), Some("int32"));
    /// assert!(Tensor::shaped(vec![0, 8], None, Some(vec![3])).is_err());
    /// ```
    pub fn shaped(
        data: Vec<i64>,
        dtype: Option<&str>,
        shape: Option<Vec<i64>>,
    ) -> Result<Self, String> {
        if let Some(shape) = &shape {
            let size = shape.iter().try_fold(1i64, |size, &n| size.checked_mul(n));
            if size != Some(data.len() as i64) {
                return Err(format!(
                    "shape {} does not hold {} entries",
                    words::list(shape),
                    data.len()
                ));
            }
        }
        let dtype = dtype.map(|dtype| dtype.trim_start_matches("torch.").to_owned());
        Ok(Tensor { data, dtype, shape })
    }
}

impl From<Vec<i64>> for Tensor {
    fn from(data: Vec<i64>) -> Self {
        Tensor::of(data)
    }
}

impl Serialize for Tensor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.dtype.is_none() && self.shape.is_none() {
            return self.data.serialize(serializer);
        }
        #[derive(Serialize)]
        struct Full<'a> {
            data: &'a [i64],
            #[serde(skip_serializing_if = "Option::is_none")]
            dtype: &'a Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            shape: &'a Option<Vec<i64>>,
        }
        Full { data: &self.data, dtype: &self.dtype, shape: &self.shape }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tensor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Full {
            data: Vec<i64>,
            #[serde(default)]
            dtype: Option<String>,
            #[serde(default)]
            shape: Option<Vec<i64>>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Flat(Vec<i64>),
            Rows(Vec<Vec<i64>>),
            Full(Full),
        }
        use serde::de::Error;
        let form = Form::deserialize(deserializer).map_err(|_| {
            D::Error::custom(
                "a tensor is a list of whole numbers below 2^63, or {\"data\": [...], \"dtype\": \"int32\", \"shape\": [...]}",
            )
        })?;
        match form {
            Form::Flat(data) => Ok(Tensor::of(data)),
            Form::Rows(rows) => {
                let width = rows.first().map_or(0, Vec::len);
                if rows.iter().any(|row| row.len() != width) {
                    return Err(D::Error::custom("the rows of a tensor have one length"));
                }
                let shape = Some(vec![rows.len() as i64, width as i64]);
                Ok(Tensor { data: rows.concat(), dtype: None, shape })
            }
            Form::Full(Full { data, dtype, shape }) => {
                Tensor::shaped(data, dtype.as_deref(), shape).map_err(D::Error::custom)
            }
        }
    }
}

/// A process group: its global ranks, or an object that does not say them.
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Group {
    /// Global ranks in group order.
    Ranks(Vec<i64>),
    /// A printed process-group object; its ranks are unknown.
    Opaque(String),
}

impl Group {
    /// The global ranks, where they are known.
    ///
    /// ```
    /// assert_eq!(packscope::Group::Ranks(vec![0, 2]).ranks(), Some(&[0, 2][..]));
    /// ```
    pub fn ranks(&self) -> Option<&[i64]> {
        match self {
            Group::Ranks(ranks) => Some(ranks),
            Group::Opaque(_) => None,
        }
    }
}

/// How tokens are cut over context-parallel ranks.
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartitionMode {
    /// Zigzag inside every slot (THD, the default).
    #[default]
    PerDocument,
    /// Zigzag over the whole stream as one sequence.
    PerSequence,
    /// Equal runs of the stream.
    Contiguous,
}

impl PartitionMode {
    /// Every mode.
    pub const ALL: [PartitionMode; 3] =
        [PartitionMode::PerDocument, PartitionMode::PerSequence, PartitionMode::Contiguous];

    /// The name in the file format.
    ///
    /// ```
    /// assert_eq!(packscope::PartitionMode::PerDocument.name(), "per_document");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            PartitionMode::PerDocument => "per_document",
            PartitionMode::PerSequence => "per_sequence",
            PartitionMode::Contiguous => "contiguous",
        }
    }
}

/// Which contract for runtime context parallelism holds.
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// The documented contract (Megatron-LM PR 7045).
    #[default]
    Strict,
    /// The earlier one (Megatron-LM PRs 6821 and 6825).
    Legacy,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 2] = [Profile::Strict, Profile::Legacy];

    /// The name in the file format.
    ///
    /// ```
    /// assert_eq!(packscope::Profile::Legacy.name(), "legacy");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Profile::Strict => "strict",
            Profile::Legacy => "legacy",
        }
    }
}

/// The sizes a job is launched with, under Megatron's argument names. Units: ranks.
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ParallelSizes {
    /// All ranks of the job; where unset, the smallest world these sizes fit in.
    #[serde(alias = "world", skip_serializing_if = "Option::is_none")]
    pub world_size: Option<i64>,
    /// Ranks that share each layer's weights.
    #[serde(alias = "tp", alias = "tensor_parallel_size")]
    pub tensor_model_parallel_size: i64,
    /// Ranks that share each sequence's tokens.
    #[serde(alias = "cp")]
    pub context_parallel_size: i64,
    /// Ranks that share the layers.
    #[serde(alias = "pp", alias = "pipeline_parallel_size")]
    pub pipeline_model_parallel_size: i64,
    /// Ranks that share the experts.
    #[serde(alias = "ep", alias = "expert_parallel_size")]
    pub expert_model_parallel_size: i64,
    /// Expert tensor parallelism; where unset, the same as `tensor_model_parallel_size`.
    #[serde(alias = "etp", skip_serializing_if = "Option::is_none")]
    pub expert_tensor_parallel_size: Option<i64>,
    /// Axes from the fastest to the slowest.
    pub order: String,
    /// The sizes of the levels of hierarchical CP, fastest first; their product is the CP size.
    #[serde(alias = "hcp", skip_serializing_if = "Option::is_none")]
    pub hierarchical_context_parallel_sizes: Option<Vec<i64>>,
    /// Into how many parts the data-parallel ranks are split for the distributed optimizer.
    pub num_distributed_optimizer_instances: i64,
    /// Size of the axis for rematerialized tensor parallelism of dense layers.
    pub gtp_remat_size: i64,
    /// The same for expert layers.
    pub expert_gtp_remat_size: i64,
    /// Runtime groups of every power of two inside the DP×CP pool.
    pub hybrid_context_parallel: bool,
    /// The same, for dynamic context parallelism.
    pub dynamic_context_parallel: bool,
    /// The smallest runtime CP group that dynamic CP builds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_dynamic_context_parallel_size: Option<i64>,
    /// Tokens one rank of the DP×CP pool can hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seqlen_per_dp_cp_rank: Option<i64>,
    /// GPUs of one machine.
    pub gpus_per_node: i64,
}

/// Upstream's default order: tp fastest, pp slowest.
pub const DEFAULT_ORDER: &str = "tp-cp-ep-dp-pp";

impl Default for ParallelSizes {
    fn default() -> Self {
        ParallelSizes {
            world_size: None,
            tensor_model_parallel_size: 1,
            context_parallel_size: 1,
            pipeline_model_parallel_size: 1,
            expert_model_parallel_size: 1,
            expert_tensor_parallel_size: None,
            order: DEFAULT_ORDER.to_owned(),
            hierarchical_context_parallel_sizes: None,
            num_distributed_optimizer_instances: 1,
            gtp_remat_size: 1,
            expert_gtp_remat_size: 1,
            hybrid_context_parallel: false,
            dynamic_context_parallel: false,
            min_dynamic_context_parallel_size: None,
            max_seqlen_per_dp_cp_rank: None,
            gpus_per_node: 8,
        }
    }
}

/// What is known of the model; a rule that needs something unset stays silent.
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Model {
    /// Attention heads.
    #[serde(alias = "heads", skip_serializing_if = "Option::is_none")]
    pub num_attention_heads: Option<i64>,
    /// Heads of keys and values (GQA).
    #[serde(alias = "kv_heads", skip_serializing_if = "Option::is_none")]
    pub num_query_groups: Option<i64>,
    /// Channels of one head.
    #[serde(alias = "kv_channels", skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<i64>,
    /// The model has state-space layers (Mamba).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssm: Option<bool>,
    /// Multi-token prediction layers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtp_num_layers: Option<i64>,
    /// Queries and keys come from different sequences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_attention: Option<bool>,
    /// `p2p`, `all_gather`, `a2a` or `a2a+p2p`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp_comm_type: Option<String>,
    /// Sliding window: how many tokens back a query sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_size: Option<i64>,
    /// `flash2`, `flash3`, `flash4`, `fused`, `unfused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attention_backend: Option<String>,
    /// The FP8 recipe: `delayed`, `tensorwise`, `mxfp8`, `blockwise`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fp8: Option<String>,
    /// Transformer Engine's version: `2.16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub te_version: Option<String>,
    /// Sequences a captured CUDA graph has room for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda_graph_max_packed_seqs: Option<i64>,
}

impl Model {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Model::default()
    }
}
