//! What things are, in words: the reading line, captions, the summary.

use crate::analysis::Analysis;
use crate::field::Value;
use crate::offsets::slot_at;
use crate::scenario::PartitionMode;
use crate::scene::{Target, ranks, ring, ruler::thousands};
use crate::topology::{Axis, Topology};

/// What is under the pointer, in a sentence.
///
/// ```
/// use packscope::{analyze, input, scene::Target, words};
/// let scenario = input::read("[0, 5, 7, 11]").unwrap().scenario();
/// let sentence = words::sentence(&analyze(&scenario), Target::Token(6));
/// assert!(sentence.starts_with("token 6 is position 1 of sequence 1"));
/// ```
pub fn sentence(analysis: &Analysis, target: Target) -> String {
    match target {
        Target::Token(token) => token_sentence(analysis, token),
        Target::Rank(rank) => rank_sentence(analysis, rank),
        Target::Step { cp_rank, step } => ring::sentence(cp_rank, step, analysis.cp_size),
    }
}

fn token_sentence(analysis: &Analysis, token: i64) -> String {
    let slots = analysis.usable_slots().unwrap_or_default();
    let mut sentence = match slot_at(slots, token) {
        Some(slot) => {
            let position = token - slot.start;
            let padding = if position >= slot.valid { ", padding" } else { "" };
            format!("token {token} is position {position} of sequence {}{padding}", slot.index)
        }
        None => format!(
            "token {token} is tail padding: it lies behind the last slot, and seq_idx calls it {}",
            slots.len()
        ),
    };
    let Ok(cut) = &analysis.cut else { return sentence };
    let Some(place) = cut.locate(token) else { return sentence + "; no CP rank's chunk holds it" };
    if cut.cp() > 1 {
        sentence += &format!(
            "; chunk {} of {}, CP rank {}, local index {}",
            place.chunk, place.chunks, place.cp_rank, place.local_index
        );
    }
    let tp = analysis.scenario.topology.tensor_model_parallel_size;
    if analysis.scenario.sequence_parallel && tp > 1 && cut.local_tokens() % tp == 0 {
        let separator = if cut.cp() > 1 { "," } else { ";" };
        sentence +=
            &format!("{separator} TP rank {}", place.local_index / (cut.local_tokens() / tp));
    }
    sentence
}

fn rank_sentence(analysis: &Analysis, rank: usize) -> String {
    let Ok(topology) = &analysis.topology else { return format!("rank {rank}") };
    let node = topology.node_of(rank.min(topology.world() - 1));
    let coordinates: Vec<String> = topology
        .dense()
        .coordinates(rank)
        .filter(|(here, _)| here.size > 1)
        .map(|(here, coordinate)| format!("{} {coordinate}", here.axis.name()))
        .collect();
    let at = if coordinates.is_empty() { "alone".to_owned() } else { coordinates.join(", ") };
    format!("rank {rank} is GPU {} of node {}: {at}", rank - node.first, node.index)
}

/// What travels over a kind of group, in a sentence.
///
/// ```
/// use packscope::{GroupKind, words};
/// assert!(words::traffic(GroupKind::CP).starts_with("keys and values"));
/// ```
pub fn traffic(kind: crate::topology::GroupKind) -> &'static str {
    let name = kind.name();
    match name.as_str() {
        "TENSOR_MODEL_PARALLEL_GROUP" => {
            "activations: an all-reduce (or, with sequence parallelism, an all-gather and a reduce-scatter) in every layer"
        }
        "CONTEXT_PARALLEL_GROUP" => {
            "keys and values of attention: around the ring, all-gathered, or as heads all-to-all"
        }
        "DATA_PARALLEL_GROUP" => "nothing by itself: gradients go over the dp-cp group",
        "DATA_PARALLEL_GROUP_WITH_CP" => {
            "gradients, once a step, and the parameters back with a distributed optimizer; runtime CP groups are cut from it"
        }
        "TENSOR_AND_CONTEXT_PARALLEL_GROUP" => {
            "MoE auxiliary losses, and shards of sequence parallelism when the cut changes"
        }
        "PIPELINE_MODEL_PARALLEL_GROUP" => {
            "activations to the next stage and their gradients back, a microbatch at a time"
        }
        "EXPERT_MODEL_PARALLEL_GROUP" => {
            "tokens to their experts and back: an all-to-all in every MoE layer"
        }
        "EXPERT_TENSOR_PARALLEL_GROUP" => "activations of the experts' layers",
        "EXPERT_DATA_PARALLEL_GROUP" => "gradients of the experts, once a step",
        "EMBEDDING_GROUP" => "gradients of tied embeddings, between the first and the last stage",
        "POSITION_EMBEDDING_GROUP" => "gradients of position embeddings",
        "MODEL_PARALLEL_GROUP" => "the norm of the gradients, and whether a step overflowed",
        "TENSOR_AND_DATA_PARALLEL_GROUP" | "TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP" => {
            "FP8 amax reductions, and MoE statistics"
        }
        "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP" => {
            "the gradient norm of one optimizer instance"
        }
        _ if name.starts_with("HYBRID") || name.starts_with("DYNAMIC") => {
            "keys and values of the microbatches that run at this size"
        }
        _ if name.starts_with("HIERARCHICAL_CONTEXT") => "one level of a2a+p2p attention",
        _ if name.starts_with("HIERARCHICAL_EXPERT") || name.starts_with("INTRA_PARTIAL") => {
            "gradients inside one optimizer instance, or between instances"
        }
        _ if name.contains("REMAT") || name.contains("EGTP") => {
            "weights that are gathered when a layer needs them"
        }
        _ => "collectives of the expert layers",
    }
}

/// How a token comes to its place, worked out step by step.
///
/// ```
/// use packscope::{analyze, input, words};
/// let scenario = input::read("[0, 8, 16]\n--context-parallel-size 2").unwrap().scenario();
/// let steps = words::arithmetic(&analyze(&scenario), 14).unwrap();
/// assert_eq!(steps[1], "chunk: ⌊6 / 2⌋ = 3 of 4, since the slot of 8 tokens is cut in 4 chunks of 2");
/// assert_eq!(steps[2], "CP rank: 3 − 3 = 0, since chunks from 2 on go back");
/// ```
pub fn arithmetic(analysis: &Analysis, token: i64) -> Option<Vec<String>> {
    let cut = analysis.cut.as_ref().ok()?;
    let place = cut.locate(token)?;
    let by_slot = cut.mode() == PartitionMode::PerDocument;
    let (what, start, length) = match cut.slot_at(token).filter(|_| by_slot) {
        Some(slot) => ("slot", slot.start, slot.length),
        None => ("stream", 0, cut.total()),
    };
    let (chunks, size, within) = (place.chunks, length / place.chunks, token - start);
    let mut steps = vec![if by_slot {
        format!("position: {token} − {start} = {within} in its slot")
    } else {
        format!("position: {within} in the stream")
    }];
    if cut.cp() > 1 {
        steps.push(format!("chunk: ⌊{within} / {size}⌋ = {} of {chunks}, since the {what} of {length} tokens is cut in {chunks} chunks of {size}", place.chunk));
        steps.push(if place.chunk == place.cp_rank {
            format!("CP rank: {}, the chunk's own number", place.cp_rank)
        } else {
            format!(
                "CP rank: {} − {} = {}, since chunks from {} on go back",
                chunks - 1,
                place.chunk,
                place.cp_rank,
                cut.cp()
            )
        });
        let before = if place.chunk == place.cp_rank {
            String::new()
        } else {
            format!(" + {size} of the first chunk")
        };
        let slots_before = if by_slot {
            format!("{start} / {} of earlier slots", cut.cp())
        } else {
            "0".to_owned()
        };
        steps.push(format!(
            "local index: {slots_before}{before} + {within} mod {size} = {}",
            place.local_index
        ));
    }
    let tp = analysis.scenario.topology.tensor_model_parallel_size;
    if analysis.scenario.sequence_parallel && tp > 1 && cut.local_tokens() % tp == 0 {
        let window = cut.local_tokens() / tp;
        steps.push(format!(
            "TP rank: ⌊{} / {window}⌋ = {}, since {} local tokens are {tp} windows of {window}",
            place.local_index,
            place.local_index / window,
            cut.local_tokens()
        ));
    }
    Some(steps)
}

/// rank = Σ coordinate × stride, worked out for one rank.
///
/// ```
/// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
/// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
/// # let topology = Topology::new(&sizes).unwrap();
/// assert_eq!(packscope::words::rank_sum(&topology, 6), "6 = tp 0 × 1 + cp 1 × 2 + dp 1 × 4 + pp 0 × 8");
/// ```
pub fn rank_sum(topology: &Topology, rank: usize) -> String {
    let terms: Vec<String> = topology
        .dense()
        .coordinates(rank)
        .filter(|(here, _)| here.size > 1)
        .map(|(here, coordinate)| format!("{} {coordinate} × {}", here.axis.name(), here.stride))
        .collect();
    if terms.is_empty() { format!("{rank} = 0") } else { format!("{rank} = {}", terms.join(" + ")) }
}

/// dp, with the division written out.
pub fn data_parallel(analysis: &Analysis) -> Option<String> {
    let topology = analysis.topology.as_ref().ok()?;
    let sizes = &analysis.scenario.topology;
    let mut factors = vec![
        sizes.tensor_model_parallel_size,
        sizes.context_parallel_size,
        sizes.pipeline_model_parallel_size,
    ];
    if sizes.gtp_remat_size > 1 {
        factors.push(sizes.gtp_remat_size);
    }
    let factors: Vec<String> = factors.iter().map(i64::to_string).collect();
    let dp = topology.dense().size(Axis::Dp);
    Some(format!("{} / ({}) = {dp}", topology.world(), factors.join("·")))
}

/// `1 sequence`, `4 096 sequences`.
fn counted(n: i64, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{} {word}s", thousands(n)) }
}

/// The sizes of the job, for captions.
pub fn caption(analysis: &Analysis) -> String {
    let sizes = &analysis.scenario.topology;
    let slots = analysis.usable_slots().unwrap_or_default();
    let slots = slots.iter().filter(|slot| slot.length > 0).count();
    let mut caption = format!(
        "{} tokens, {}, tp {} cp {} pp {} ep {}, {}",
        thousands(analysis.total_tokens),
        counted(slots as i64, "sequence"),
        sizes.tensor_model_parallel_size,
        analysis.cp_size,
        sizes.pipeline_model_parallel_size,
        sizes.expert_model_parallel_size,
        counted(sizes.world(), "rank"),
    );
    if analysis.scenario.partition != PartitionMode::PerDocument {
        caption += &format!(", {}", analysis.scenario.partition.name().replace('_', "-"));
    }
    if analysis.scenario.sequence_parallel {
        caption += ", sequence parallel";
    }
    caption
}

/// A number that is not negative, with so many decimals.
///
/// ```
/// assert_eq!(packscope::words::decimal(1.054, 2), "1.05");
/// ```
pub fn decimal(value: f64, places: u32) -> String {
    let unit = 10u64.pow(places);
    let units = (value * unit as f64).round() as u64;
    match places {
        0 => units.to_string(),
        _ => format!("{}.{:0width$}", units / unit, units % unit, width = places as usize),
    }
}

/// What the pack is, in a sentence.
pub fn pack_sentence(analysis: &Analysis) -> String {
    let Some(slots) = analysis.usable_slots() else {
        return "The offsets do not say where sequences lie.".to_owned();
    };
    let real = slots.iter().filter(|slot| slot.length > 0).count() as i64;
    let total = analysis.total_tokens;
    let padding: i64 = slots.iter().map(|slot| slot.padding()).sum();
    let share = |n: i64| if total > 0 { 100.0 * n as f64 / total as f64 } else { 0.0 };
    let mut parts = vec![format!("{} in {} tokens", counted(real, "sequence"), thousands(total))];
    if padding > 0 {
        parts.push(format!(
            "{} of padding between sequences ({} %)",
            thousands(padding),
            decimal(share(padding), 1)
        ));
    }
    if analysis.tail() > 0 {
        parts.push(format!(
            "{} of tail padding ({} %)",
            thousands(analysis.tail()),
            decimal(share(analysis.tail()), 1)
        ));
    }
    if padding == 0 && analysis.tail() == 0 {
        parts.push("no padding".to_owned());
    }
    parts.join(", ")
}

/// What the lanes are, in a sentence.
pub fn lanes_sentence(analysis: &Analysis) -> String {
    match &analysis.cut {
        Err(error) => format!("There is no cut: {error}."),
        Ok(cut) if cut.cp() == 1 => {
            format!("One CP rank holds all {} tokens", thousands(cut.local_tokens()))
        }
        Ok(cut) => {
            let how = match cut.mode() {
                PartitionMode::PerDocument => format!(
                    "Each slot is cut in {} chunks, rank r keeps chunk r and chunk {} − r",
                    cut.chunks(),
                    cut.chunks() - 1
                ),
                PartitionMode::PerSequence => format!(
                    "The stream is cut in {} chunks, rank r keeps chunk r and chunk {} − r",
                    cut.chunks(),
                    cut.chunks() - 1
                ),
                PartitionMode::Contiguous => {
                    "Rank r holds the r-th equal run of the stream".to_owned()
                }
            };
            let balance = analysis.imbalance().map_or(String::new(), |imbalance| {
                let times = decimal(imbalance, 2);
                format!("; busiest rank: {times} × the mean of attention pairs")
            });
            format!("{how}: {} tokens each{balance}", thousands(cut.local_tokens()))
        }
    }
}

/// What the ranks are, in a sentence.
pub fn ranks_sentence(analysis: &Analysis, group: usize) -> String {
    match &analysis.topology {
        Ok(topology) => ranks::sentence(topology, group),
        Err(error) => format!("These sizes are refused: {error}"),
    }
}

/// The runs of `seq_idx`, the first few.
pub fn seq_idx(runs: &crate::packed_seq_params::Runs) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> =
        runs.as_slice().iter().take(SHOWN).map(|(index, n)| format!("{index}×{n}")).collect();
    let more = runs.as_slice().len().saturating_sub(SHOWN);
    if more > 0 { format!("{} … {more} more runs", shown.join(" ")) } else { shown.join(" ") }
}

/// Numbers as a list: `[0, 5, 7]`. (`{:?}` says the same, but not in the page, whose build leaves
/// its code out.)
pub fn list<T: ToString>(numbers: &[T]) -> String {
    format!("[{}]", entries(numbers))
}

/// The inside of a list: `0, 5, 7`.
pub(crate) fn entries<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Numbers as a list; of more than `most` the first few and the last: `[0, 1, …, 7]`.
pub(crate) fn ends<T: ToString>(numbers: &[T], most: usize, few: usize) -> String {
    match numbers {
        [.., last] if numbers.len() > most => {
            format!("[{}, …, {}]", entries(&numbers[..few]), last.to_string())
        }
        _ => list(numbers),
    }
}

/// A text in quotes, its own escaped.
pub fn quoted(text: &str) -> String {
    crate::output::json(&text)
}

/// One line of a fix's change; long arrays by their ends.
pub fn change(field: &str, value: &Value) -> String {
    let name = field.rsplit('.').next().unwrap_or(field);
    let shown = match value {
        Value::Tensor(tensor) => {
            let (shown, count) = (ends(&tensor.data, 10, 5), tensor.data.len());
            if count > 10 { format!("{shown} ({count} entries)") } else { shown }
        }
        Value::Null => "none".to_owned(),
        Value::Flag(value) => value.to_string(),
        Value::Whole(value) => value.to_string(),
        Value::Word(value) | Value::Other(value) => value.clone(),
    };
    format!("{name} = {shown}")
}

/// Rows that a table names one by one.
const ROWS: usize = 200;

/// A view as a table, for those who do not see it: rows of cells, the first one its head.
pub fn table(analysis: &Analysis, view: crate::scene::View) -> Vec<Vec<String>> {
    use crate::scene::View;
    let head = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let mut rows = Vec::new();
    match view {
        View::Pack | View::Flow | View::Matrix => {
            rows.push(head(&["sequence", "slot", "real tokens", "padding"]));
            for slot in analysis.usable_slots().unwrap_or_default().iter().take(ROWS) {
                rows.push(vec![
                    slot.index.to_string(),
                    format!("[{}, {})", slot.start, slot.end()),
                    slot.valid.to_string(),
                    slot.padding().to_string(),
                ]);
            }
            if analysis.tail() > 0 {
                let start = analysis.total_tokens - analysis.tail();
                rows.push(vec![
                    "tail".into(),
                    format!("[{start}, {})", analysis.total_tokens),
                    "0".into(),
                    analysis.tail().to_string(),
                ]);
            }
        }
        View::Lanes => {
            rows.push(head(&["CP rank", "chunks", "tokens", "real tokens", "attention pairs"]));
            for (rank, load) in analysis.loads.iter().enumerate().take(ROWS) {
                let cut = analysis.cut.as_ref().ok();
                let chunks: Vec<String> = cut.map_or(Vec::new(), |cut| {
                    cut.segments(rank as i64)
                        .take(12)
                        .map(|s| format!("[{}, {})", s.start, s.start + s.length))
                        .collect()
                });
                rows.push(vec![
                    rank.to_string(),
                    chunks.join(" "),
                    load.tokens.to_string(),
                    load.valid_tokens.to_string(),
                    load.attention_pairs.to_string(),
                ]);
            }
        }
        View::Ranks | View::Axes => {
            rows.push(head(&["rank", "node", "coordinates"]));
            if let Ok(topology) = &analysis.topology {
                for rank in 0..topology.world().min(ROWS) {
                    let at: Vec<String> = topology
                        .dense()
                        .coordinates(rank)
                        .filter(|(here, _)| here.size > 1)
                        .map(|(here, coordinate)| format!("{} {coordinate}", here.axis.name()))
                        .collect();
                    rows.push(vec![
                        rank.to_string(),
                        topology.node_of(rank).index.to_string(),
                        at.join(", "),
                    ]);
                }
            }
        }
        View::Ring => {
            rows.push(head(&["CP rank", "step", "what"]));
            for rank in 0..analysis.cp_size.clamp(0, 14) {
                for step in 0..analysis.cp_size.clamp(0, 14) {
                    rows.push(vec![
                        rank.to_string(),
                        step.to_string(),
                        ring::sentence(rank, step, analysis.cp_size),
                    ]);
                }
            }
        }
    }
    rows
}
