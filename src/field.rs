//! A scenario's fields by name. What a text states, what a fix changes and what a stepper sets is
//! one thing: a value for a field.

use crate::packed_seq_params::PackedSeqParams;
use crate::scenario::{Group, Model, ParallelSizes, PartitionMode, Profile, Scenario, Tensor};
use crate::words;
use serde::{Serialize, Serializer};

/// The value of one field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: the field is as if it were not given.
    Null,
    Flag(bool),
    Whole(i64),
    Word(String),
    /// A list of whole numbers, be it offsets, ranks or sizes.
    Tensor(Tensor),
    /// What no field holds, in words: `the number 0.5`.
    Other(String),
}

impl Value {
    /// In a sentence: `this is …`.
    fn words(&self) -> String {
        match self {
            Value::Null => "nothing".to_owned(),
            Value::Flag(value) => value.to_string(),
            Value::Whole(value) => format!("the number {value}"),
            Value::Word(value) => words::quoted(value),
            Value::Tensor(_) => "a list of numbers".to_owned(),
            Value::Other(words) => words.clone(),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Flag(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Whole(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Word(value.to_owned())
    }
}

impl From<Tensor> for Value {
    fn from(value: Tensor) -> Self {
        Value::Tensor(value)
    }
}

impl From<Vec<i64>> for Value {
    fn from(value: Vec<i64>) -> Self {
        Value::Tensor(Tensor::of(value))
    }
}

impl From<&[i64]> for Value {
    fn from(value: &[i64]) -> Self {
        value.to_vec().into()
    }
}

/// Global ranks.
impl From<Vec<u32>> for Value {
    fn from(value: Vec<u32>) -> Self {
        value.into_iter().map(i64::from).collect::<Vec<_>>().into()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_none(),
            Value::Flag(value) => serializer.serialize_bool(*value),
            Value::Whole(value) => serializer.serialize_i64(*value),
            Value::Word(value) | Value::Other(value) => serializer.serialize_str(value),
            Value::Tensor(value) => value.serialize(serializer),
        }
    }
}

/// Why a field cannot have a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// There is no such field.
    #[error("{name} is not a field of {parent}")]
    Unknown {
        name: String,
        parent: &'static str,
        /// The known name that is nearest, where one is near.
        nearest: Option<&'static str>,
    },
    /// The field holds something else.
    #[error("{field}: this is {given}, where {expected} is expected")]
    Kind { field: String, given: String, expected: &'static str },
}

/// What a field can hold.
trait Held: Sized {
    /// In a sentence: `… is expected`.
    const EXPECTED: &'static str;
    /// The value as the field holds it; the value itself where the field cannot.
    fn of(value: Value) -> Result<Self, Value>;
}

macro_rules! held {
    ($($type:ty, $expected:literal: $($value:pat => $held:expr),+;)*) => {$(
        impl Held for $type {
            const EXPECTED: &'static str = $expected;

            fn of(value: Value) -> Result<Self, Value> {
                match value {
                    $($value => Ok($held),)+
                    other => Err(other),
                }
            }
        }
    )*};
}

held! {
    i64, "a whole number": Value::Whole(value) => value;
    bool, "true or false": Value::Flag(value) => value;
    String, "a word": Value::Word(value) => value;
    Vec<i64>, "a list of whole numbers": Value::Tensor(tensor) => tensor.data;
    Tensor, "a list of whole numbers or {\"data\": [...], \"dtype\": \"int32\", \"shape\": [...]}":
        Value::Tensor(tensor) => tensor;
    Group, "a list of ranks":
        Value::Tensor(tensor) => Group::Ranks(tensor.data),
        Value::Word(object) => Group::Opaque(object);
}

impl<T: Held> Held for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn of(value: Value) -> Result<Self, Value> {
        if value == Value::Null { Ok(None) } else { T::of(value).map(Some) }
    }
}

impl Held for PartitionMode {
    const EXPECTED: &'static str = "per_document, per_sequence or contiguous";

    fn of(value: Value) -> Result<Self, Value> {
        PartitionMode::ALL.into_iter().find(|mode| value == mode.name().into()).ok_or(value)
    }
}

impl Held for Profile {
    const EXPECTED: &'static str = "strict or legacy";

    fn of(value: Value) -> Result<Self, Value> {
        Profile::ALL.into_iter().find(|profile| value == profile.name().into()).ok_or(value)
    }
}

/// The groups of fields are not set as a whole.
macro_rules! held_by_field {
    ($($group:ident)+) => {$(
        impl Held for $group {
            const EXPECTED: &'static str = "an object";

            fn of(value: Value) -> Result<Self, Value> {
                Err(value)
            }
        }
    )+};
}

held_by_field! { PackedSeqParams ParallelSizes Model }

/// A field in its place.
trait Place {
    fn expected(&self) -> &'static str;
    fn hold(&mut self, value: Value) -> Result<(), Value>;
}

impl<T: Held> Place for T {
    fn expected(&self) -> &'static str {
        T::EXPECTED
    }

    fn hold(&mut self, value: Value) -> Result<(), Value> {
        *self = T::of(value)?;
        Ok(())
    }
}

/// The names of a group's fields, in order, and the field of a name. Every field has to be there,
/// or this does not compile.
macro_rules! group {
    ($group:ident, $names:ident, $field:ident: $($name:ident)+) => {
        pub(crate) const $names: &[&str] = &[$(stringify!($name)),+];

        fn $field<'a>(group: &'a mut $group, name: &str) -> Option<&'a mut dyn Place> {
            let $group { $($name),+ } = group;
            match name {
                $(stringify!($name) => Some($name),)+
                _ => None,
            }
        }
    };
}

group! { PackedSeqParams, PARAMS, param:
    qkv_format cu_seqlens_q cu_seqlens_kv cu_seqlens_q_padded cu_seqlens_kv_padded max_seqlen_q
    max_seqlen_kv local_cp_size cp_group tp_cp_group total_tokens seq_idx tokens_per_sample
    pad_between_seqs cp_scatter_cache
}

group! { ParallelSizes, SIZES, size:
    world_size tensor_model_parallel_size context_parallel_size pipeline_model_parallel_size
    expert_model_parallel_size expert_tensor_parallel_size order
    hierarchical_context_parallel_sizes num_distributed_optimizer_instances gtp_remat_size
    expert_gtp_remat_size hybrid_context_parallel dynamic_context_parallel
    min_dynamic_context_parallel_size max_seqlen_per_dp_cp_rank gpus_per_node
}

group! { Model, MODEL, model_field:
    num_attention_heads num_query_groups head_dim ssm mtp_num_layers cross_attention cp_comm_type
    window_size attention_backend fp8 te_version cuda_graph_max_packed_seqs
}

group! { Scenario, SCENARIO, setting:
    params topology partition sequence_parallel profile rank micro_batch_size model
}

impl Scenario {
    /// Sets one field by its name in the file format.
    ///
    /// # Errors
    /// Where there is no such field, or it holds something else.
    ///
    /// ```
    /// let mut scenario = packscope::Scenario::default();
    /// scenario.set("topology.context_parallel_size", 4.into()).unwrap();
    /// assert_eq!(scenario.topology.context_parallel_size, 4);
    /// let misfit = scenario.set("topology.context_paralel_size", 4.into()).unwrap_err();
    /// assert_eq!(misfit.to_string(), "context_paralel_size is not a field of the topology");
    /// ```
    pub fn set(&mut self, field: &str, value: Value) -> Result<(), Misfit> {
        let (group, name) = field.split_once('.').unwrap_or(("", field));
        let (parent, names, place) = match group {
            "params" => ("PackedSeqParams", PARAMS, param(&mut self.params, name)),
            "topology" => ("the topology", SIZES, size(&mut self.topology, name)),
            "model" => ("the model", MODEL, model_field(&mut self.model, name)),
            _ => ("a Scenario", SCENARIO, setting(self, field)),
        };
        let Some(place) = place else {
            let nearest = nearest(name, names);
            return Err(Misfit::Unknown { name: name.to_owned(), parent, nearest });
        };
        place.hold(value).map_err(|value| Misfit::Kind {
            field: field.to_owned(),
            given: value.words(),
            expected: place.expected(),
        })
    }
}

/// The name that is nearest to an unknown one, where one is near.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let score = |other: &&str| strsim::jaro_winkler(name, other);
    known
        .iter()
        .copied()
        .filter(|other| score(other) > 0.75)
        .max_by(|a, b| score(a).total_cmp(&score(b)))
}
