//! No false alarm on valid packs, and the matching code for each thing broken.
#![cfg(not(target_arch = "wasm32"))]

use packscope::rules::{Severity, check};
use packscope::{Group, PackedSeqParams, PartitionMode, Scenario, Tensor, Topology, analyze};
use proptest::prelude::*;
use serde_json::json;

/// Everything that a valid pack is made of.
#[derive(Clone, Debug)]
struct Recipe {
    lengths: Vec<i64>,
    tp: i64,
    cp: i64,
    dp: i64,
    sequence_parallel: bool,
    placeholders: usize,
    ghosts: bool,
    tail: i64,
    runtime: Option<usize>,
    flag: bool,
    seq_idx: bool,
    order: &'static str,
    rank: usize,
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let sizes = (prop::sample::select(vec![1i64, 2, 4]), 1..5i64, 1..4i64);
    let orders = prop::sample::select(vec![
        "tp-cp-ep-dp-pp",
        "tp-cp-dp-pp",
        "cp-tp-ep-dp-pp",
        "tp-dp-cp-pp",
    ]);
    (
        prop::collection::vec(1..90i64, 1..10),
        sizes,
        any::<bool>(),
        0..4usize,
        any::<bool>(),
        0..3i64,
        prop::option::of(0..8usize),
        (any::<bool>(), any::<bool>()),
        orders,
        0..512usize,
    )
        .prop_map(
            |(
                lengths,
                (tp, cp, dp),
                sequence_parallel,
                placeholders,
                ghosts,
                tail,
                runtime,
                (flag, seq_idx),
                order,
                rank,
            )| {
                Recipe {
                    lengths,
                    tp,
                    cp,
                    dp,
                    sequence_parallel,
                    placeholders,
                    ghosts,
                    tail,
                    runtime,
                    flag,
                    seq_idx,
                    order,
                    rank,
                }
            },
        )
}

/// A valid pack of the recipe: padded to 2·cp·tp, with what SEMANTICS allows around it.
fn valid(recipe: &Recipe) -> Scenario {
    let mut scenario = Scenario::of(PackedSeqParams::default());
    scenario.topology.tensor_model_parallel_size = recipe.tp;
    scenario.topology.context_parallel_size = recipe.cp;
    scenario.topology.world_size = Some(recipe.tp * recipe.cp * recipe.dp);
    scenario.topology.order = recipe.order.to_owned();
    scenario.sequence_parallel = recipe.sequence_parallel;
    let topology = Topology::new(&scenario.topology).unwrap();
    scenario.rank = (recipe.rank % topology.world()) as i64;
    let mut cp = recipe.cp;
    // An odd pool has no runtime groups.
    if let Some(choice) = recipe.runtime.filter(|_| topology.pool_size().is_multiple_of(2)) {
        let sizes = topology.runtime_sizes();
        let size = sizes[choice % sizes.len()];
        let group = |ranks: Option<Vec<u32>>| {
            ranks.map(|ranks| Group::Ranks(ranks.into_iter().map(i64::from).collect()))
        };
        scenario.params.local_cp_size = Some(size as i64);
        scenario.params.cp_group = group(topology.runtime_cp_group(scenario.rank as usize, size));
        scenario.params.tp_cp_group =
            group(topology.runtime_tp_cp_group(scenario.rank as usize, size));
        cp = size as i64;
    }
    let multiple = 2 * cp * recipe.tp;
    let (mut q, mut padded) = (vec![0], vec![0]);
    for (i, &length) in recipe.lengths.iter().enumerate() {
        let ghost = recipe.ghosts && i % 4 == 3;
        q.push(q[i] + if ghost { 0 } else { length });
        padded.push(padded[i] + (length + multiple - 1) / multiple * multiple);
    }
    for _ in 0..recipe.placeholders {
        q.push(*q.last().unwrap());
        padded.push(*padded.last().unwrap());
    }
    let has_padding = q.windows(2).zip(padded.windows(2)).any(|(q, p)| q[1] - q[0] < p[1] - p[0]);
    let longest = padded.windows(2).map(|pair| pair[1] - pair[0]).max();
    let params = &mut scenario.params;
    params.qkv_format = Some("thd".into());
    // A tail of exactly (cp − 1) packs is what offsets divided by cp look like.
    let end = *padded.last().unwrap();
    let tail = recipe.tail * multiple;
    params.total_tokens = Some(if cp > 1 && end + tail == end * cp { end } else { end + tail });
    (params.max_seqlen_q, params.max_seqlen_kv) = (longest, longest);
    params.pad_between_seqs = recipe.flag.then_some(has_padding);
    for (field, data) in [
        (&mut params.cu_seqlens_q, &q),
        (&mut params.cu_seqlens_kv, &q),
        (&mut params.cu_seqlens_q_padded, &padded),
        (&mut params.cu_seqlens_kv_padded, &padded),
    ] {
        *field = Some(Tensor { data: data.clone(), dtype: Some("int32".into()), shape: None });
    }
    if recipe.seq_idx {
        let tokens = params.seq_idx_clamped().unwrap().expand();
        let shape = Some(vec![1, tokens.len() as i64]);
        params.seq_idx = Some(Tensor {
            data: tokens.into_iter().map(i64::from).collect(),
            dtype: Some("int32".into()),
            shape,
        });
    }
    scenario
}

fn codes(scenario: &Scenario) -> Vec<&'static str> {
    check(&analyze(scenario)).iter().map(|finding| finding.code).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_valid_pack_has_no_error(recipe in recipe()) {
        let scenario = valid(&recipe);
        let errors: Vec<_> = check(&analyze(&scenario)).into_iter().filter(|f| f.severity == Severity::Error).collect();
        prop_assert!(errors.is_empty(), "{errors:#?}\n{}", scenario.to_json());
    }
}

/// Breaks one thing; none where the recipe does not have it.
type Mutation = fn(&mut Scenario) -> Option<()>;

fn both(scenario: &mut Scenario, change: impl Fn(&mut Vec<i64>) -> Option<()>) -> Option<()> {
    let params = &mut scenario.params;
    for tensor in [&mut params.cu_seqlens_q, &mut params.cu_seqlens_kv] {
        change(&mut tensor.as_mut()?.data)?;
    }
    Some(())
}

fn padded(scenario: &mut Scenario, change: impl Fn(&mut Vec<i64>) -> Option<()>) -> Option<()> {
    let params = &mut scenario.params;
    for tensor in [&mut params.cu_seqlens_q_padded, &mut params.cu_seqlens_kv_padded] {
        change(&mut tensor.as_mut()?.data)?;
    }
    Some(())
}

fn cut_over_several(scenario: &Scenario) -> Option<()> {
    (scenario.runtime_cp_size() > 1).then_some(())
}

const MUTATIONS: &[(&str, Mutation)] = &[
    ("PSP001", |s| {
        s.params.cu_seqlens_q = None;
        Some(())
    }),
    ("PSP002", |s| {
        let q = s.params.cu_seqlens_q.as_mut()?;
        q.shape = Some(vec![1, q.data.len() as i64]);
        Some(())
    }),
    ("PSP003", |s| {
        s.params.cu_seqlens_q.as_mut()?.dtype = Some("int64".into());
        Some(())
    }),
    ("PSP004", |s| {
        both(s, |data| {
            data[0] = 1;
            Some(())
        })?;
        let q = &s.params.cu_seqlens_q.as_ref()?.data;
        (q.iter().sum::<i64>() != s.params.total_tokens?
            && Some(&q.iter().sum()) != s.params.cu_seqlens_q_padded.as_ref()?.data.last())
        .then_some(())
    }),
    ("PSP005", |s| {
        both(s, |data| {
            let last = data.len() - 1;
            data[last] = -1 + data[last - 1];
            (data[last] >= 0).then_some(())
        })
    }),
    ("PSP006", |s| {
        s.params.cu_seqlens_q.as_mut()?.data.truncate(1);
        Some(())
    }),
    ("PSP009", |s| {
        padded(s, |data| {
            *data.last_mut()? = 1 << 31;
            Some(())
        })
    }),
    ("PSP011", |s| {
        s.params.cu_seqlens_kv.as_mut()?.data.push(1 << 20);
        Some(())
    }),
    ("PSP012", |s| {
        let q = s.params.cu_seqlens_kv.as_mut()?;
        let last = q.data.len() - 1;
        q.data[last] += 1;
        Some(())
    }),
    ("PSP013", |s| {
        both(s, |data| {
            data.push(-1);
            Some(())
        })
    }),
    ("PSP014", |s| {
        s.params.cu_seqlens_kv = None;
        Some(())
    }),
    ("PSP101", |s| {
        padded(s, |data| {
            data.push(*data.last()?);
            Some(())
        })
    }),
    ("PSP102", |s| {
        let n = s.params.cu_seqlens_q.as_ref()?.data.len();
        let end = *s.params.cu_seqlens_q_padded.as_ref()?.data.last()?;
        both(s, |data| {
            data[n - 1] = end + 100;
            Some(())
        })?;
        Some(())
    }),
    ("PSP103", |s| {
        s.params.cu_seqlens_kv_padded = None;
        Some(())
    }),
    ("PSP104", |s| {
        let gap =
            s.params.cu_seqlens_q.as_ref()?.data != s.params.cu_seqlens_q_padded.as_ref()?.data;
        s.params.pad_between_seqs = Some(false);
        gap.then_some(())
    }),
    ("PSP120", |s| {
        s.params.total_tokens = Some(s.params.cu_seqlens_q_padded.as_ref()?.data.last()? - 1);
        Some(())
    }),
    ("PSP122", |s| {
        s.model.ssm = Some(true);
        s.params.total_tokens = None;
        s.params.seq_idx = None;
        Some(())
    }),
    ("PSP123", |s| {
        s.params.max_seqlen_q = Some(0);
        Some(())
    }),
    ("PSP125", |s| {
        s.params.max_seqlen_q = None;
        Some(())
    }),
    ("PSP126", |s| {
        s.params.tokens_per_sample = Some(s.params.total_tokens? + 1);
        Some(())
    }),
    ("PSP201", |s| {
        cut_over_several(s)?;
        padded(s, |data| {
            *data.last_mut()? += 1;
            (data[data.len() - 2] < data[data.len() - 1]).then_some(())
        })
    }),
    ("PSP202", |s| {
        cut_over_several(s)?;
        s.params.total_tokens = Some(s.params.total_tokens? + 1);
        Some(())
    }),
    ("PSP203", |s| {
        cut_over_several(s)?;
        s.params.cu_seqlens_q_padded = None;
        s.params.cu_seqlens_kv_padded = None;
        Some(())
    }),
    ("PSP205", |s| {
        cut_over_several(s)?;
        s.partition = PartitionMode::Contiguous;
        s.params.total_tokens = Some(s.params.total_tokens? + 1);
        Some(())
    }),
    ("PSP301", |s| {
        s.params.local_cp_size?;
        s.params.cp_group = None;
        Some(())
    }),
    ("PSP302", |s| {
        s.params.local_cp_size?;
        s.params.cp_group = Some(Group::Ranks(vec![s.rank; 99]));
        Some(())
    }),
    ("PSP303", |s| s.params.local_cp_size.take().map(|_| ())),
    ("PSP304", |s| {
        s.params.local_cp_size?;
        s.params.local_cp_size = Some(97);
        Some(())
    }),
    ("PSP305", |s| {
        s.params.local_cp_size?;
        s.sequence_parallel = true;
        s.params.tp_cp_group = None;
        Some(())
    }),
    ("PSP306", |s| {
        s.params.local_cp_size?;
        s.sequence_parallel = true;
        s.params.tp_cp_group = Some(Group::Ranks(vec![s.rank; 99]));
        Some(())
    }),
    ("PSP308", |s| {
        s.params.local_cp_size?;
        s.params.cp_group = Some(Group::Ranks(vec![90_000]));
        Some(())
    }),
    ("PSP401", |s| {
        (s.topology.dense_model_size() > 1).then_some(())?;
        s.topology.world_size = Some(s.topology.world() + 1);
        Some(())
    }),
    ("PSP402", |s| {
        s.topology.expert_model_parallel_size = 1009;
        Some(())
    }),
    ("PSP403", |s| {
        (s.topology.tensor_model_parallel_size > 1).then_some(())?;
        s.topology.order = "cp-ep-dp-pp".into();
        Some(())
    }),
    ("PSP408", |s| {
        s.topology.num_distributed_optimizer_instances = 1009;
        Some(())
    }),
    ("PSP409", |s| {
        s.topology.hierarchical_context_parallel_sizes = Some(vec![7, 7]);
        Some(())
    }),
    ("PSP410", |s| {
        s.topology.order = "tp-cp-zz".into();
        Some(())
    }),
    ("PSP411", |s| {
        s.topology.context_parallel_size = 0;
        Some(())
    }),
    ("PSP413", |s| {
        s.rank = -1;
        Some(())
    }),
    ("PSP501", |s| {
        s.params.qkv_format = Some("sbhd".into());
        Some(())
    }),
    ("PSP601", |s| {
        s.params.seq_idx.as_mut()?.data.push(0);
        Some(())
    }),
    ("PSP602", |s| {
        s.params.seq_idx.as_mut()?.dtype = Some("int64".into());
        Some(())
    }),
    ("PSP603", |s| {
        let data = &mut s.params.seq_idx.as_mut()?.data;
        *data.last_mut()? = 4096;
        Some(())
    }),
    ("PSP605", |s| {
        s.model.cuda_graph_max_packed_seqs = Some(0);
        Some(())
    }),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_thing_broken_is_named(recipe in recipe()) {
        for (code, mutate) in MUTATIONS {
            let mut scenario = valid(&recipe);
            if mutate(&mut scenario).is_none() {
                continue;
            }
            let found = codes(&scenario);
            prop_assert!(found.contains(code), "{code} is not in {found:?}\n{}", scenario.to_json());
        }
    }
}

#[test]
fn what_an_upstream_reader_would_call_valid_stays_quiet() {
    let scenario = json!({"params": {"qkv_format": "thd", "cu_seqlens_q": [0, 16, 40, 40, 40], "cu_seqlens_kv": [0, 16, 40, 40, 40],
        "max_seqlen_q": 24, "max_seqlen_kv": 24}});
    let scenario: Scenario = serde_json::from_value(scenario).unwrap();
    assert_eq!(codes(&scenario), ["PSP008"]);
}
