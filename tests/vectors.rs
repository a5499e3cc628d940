//! Every vector of upstream's outputs, by file. A file this does not know, a case that it cannot
//! read and an empty file all fail.
#![cfg(not(target_arch = "wasm32"))]

use packscope::partition::{
    Cut, build_thd_cp_partition_route, cu_seqlens_on_cp_rank, merge_micro_batch, pad_to_multiple,
    position_ids,
};
use packscope::topology::{dynamic_sizes, pool_slices};
use packscope::{
    CheckedOffsets, PackedSeqParams, ParallelSizes, PartitionMode, Tensor, Topology, schedule,
};
use serde_json::{Value, json};
use std::path::PathBuf;

fn folder() -> PathBuf {
    std::env::var_os("PACKSCOPE_VECTORS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"),
        PathBuf::from,
    )
}

#[test]
fn every_file_passes() {
    let mut files = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let check: fn(&Value) = match name.as_str() {
            "seq_idx" => seq_idx,
            "rank_groups" => rank_groups,
            "cp_partition_per_document" => cp_partition_per_document,
            "cp_partition_per_sequence" => cp_partition_per_sequence,
            "layout_route" => layout_route,
            "merge_micro_batch" => merges,
            "pad_to_multiple" => pads,
            "cu_seqlens_on_cp_rank" => offsets_on_rank,
            "dynamic_dp_cp_groups" => dynamic_groups,
            "hybrid_cp_schedule" => hybrid_schedule,
            unknown => panic!("no test knows {unknown}.json"),
        };
        let file: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let cases = file["cases"].as_array().unwrap();
        assert!(!cases.is_empty(), "{name} is empty");
        for (i, case) in cases.iter().enumerate() {
            let outcome = std::panic::catch_unwind(|| check(case));
            assert!(outcome.is_ok(), "{name}, case {i}: {case}");
        }
        println!("{name}: {} cases", cases.len());
        files += 1;
    }
    assert!(files >= 10, "{files} files");
}

fn ints(value: &Value) -> Vec<i64> {
    serde_json::from_value(value.clone()).unwrap()
}

fn seq_idx(case: &Value) {
    let tensor = |key: &str| case[key].is_array().then(|| Tensor::of(ints(&case[key])));
    let params = PackedSeqParams {
        cu_seqlens_q: tensor("cu_seqlens_q"),
        cu_seqlens_q_padded: tensor("cu_seqlens_q_padded"),
        total_tokens: case["total_tokens"].as_i64(),
        ..Default::default()
    };
    let runs = params.seq_idx_clamped();
    assert_eq!(json!(runs.as_ref().map(|runs| runs.expand())), case["seq_idx"]);
    if let Some(runs) = runs {
        let mut buffer = vec![-1; runs.length() as usize];
        runs.expand_into(&mut buffer).unwrap();
        assert_eq!(json!(buffer), case["seq_idx"]);
        if let Ok(strict) = params.seq_idx_strict() {
            assert_eq!(strict, Some(runs));
        }
    }
}

fn rank_groups(case: &Value) {
    let sizes: ParallelSizes = serde_json::from_value(case["config"].clone()).unwrap();
    let topology = Topology::new(&sizes);
    if let Some(reason) = case["message"].as_str() {
        let refusal = topology.unwrap_err().to_string();
        // Upstream's wording varies; its cause is in its first words or in its numbers.
        let cause = reason.split(", but").next().unwrap();
        assert!(refusal.starts_with(cause), "{refusal:?} for {reason:?}");
        return;
    }
    assert!(case["error"].is_null());
    let topology = topology.unwrap();
    let mut built = serde_json::Map::new();
    for kind in topology.kinds() {
        let groups = topology.groups(kind);
        for group in &groups {
            assert_eq!(group.len(), topology.group_size(kind), "{}", kind.name());
        }
        for rank in 0..topology.world() {
            let holding = groups.iter().find(|group| group.contains(&(rank as u32)));
            assert_eq!(topology.group_of(rank, kind).as_ref(), holding, "{} {rank}", kind.name());
        }
        built.insert(kind.name(), json!(groups));
    }
    let expected = case["groups"].as_object().unwrap();
    assert_eq!(built.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert_eq!(&built, expected);
}

fn cp_partition_per_document(case: &Value) {
    let offsets = ints(&case["cu_seqlens"]);
    let checked = CheckedOffsets::new(&offsets).unwrap();
    let cp = case["cp_size"].as_i64().unwrap();
    let cut = Cut::new(checked.slots().collect(), checked.end(), PartitionMode::PerDocument, cp);
    partition(cut.ok(), case);
}

fn cp_partition_per_sequence(case: &Value) {
    let total = case["total_tokens"].as_i64().unwrap();
    let cp = case["cp_size"].as_i64().unwrap();
    partition(Cut::new(vec![], total, PartitionMode::PerSequence, cp).ok(), case);
}

fn partition(cut: Option<Cut>, case: &Value) {
    if !case["error"].is_null() {
        assert!(cut.is_none());
        return;
    }
    let cut = cut.unwrap();
    let ranks: Vec<Vec<i64>> = (0..cut.cp()).map(|rank| cut.indices(rank).collect()).collect();
    assert_eq!(json!(ranks), case["indices_by_cp_rank"]);
}

fn layout_route(case: &Value) {
    let routes =
        build_thd_cp_partition_route(&ints(&case["cu_seqlens"]), case["cp_size"].as_i64().unwrap());
    if let Some(reason) = case["message"].as_str() {
        let refusal = routes.unwrap_err().to_string();
        assert_eq!(refusal.split(", got").next(), reason.split(", got").next());
        return;
    }
    let ranks: Vec<Value> = routes
        .unwrap()
        .into_iter()
        .map(|route| {
            json!({
                "zigzag_index": route.zigzag_index,
                "zigzag_split_sizes": route.zigzag_split_sizes,
                "contiguous_index": route.contiguous_index,
                "contiguous_split_sizes": route.contiguous_split_sizes,
            })
        })
        .collect();
    assert_eq!(json!(ranks), case["by_cp_rank"]);
}

fn merges(case: &Value) {
    let rows: Vec<Vec<i64>> = serde_json::from_value(case["rows"].clone()).unwrap();
    let rows: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
    let merged = merge_micro_batch(&rows, case["seq_length"].as_i64().unwrap());
    assert_eq!(json!(merged), case["merged"]);
}

fn pads(case: &Value) {
    let offsets = ints(&case["cu_seqlens"]);
    let pack =
        pad_to_multiple(CheckedOffsets::new(&offsets).unwrap(), case["multiple"].as_i64().unwrap());
    assert_eq!(json!(pack.offsets), case["cu_seqlens_padded"]);
    let source: Vec<i64> = pack.source.iter().map(|token| token.unwrap_or(-1)).collect();
    assert_eq!(json!(source), case["source_token_or_minus_one"]);
    let ids = position_ids(CheckedOffsets::new(&pack.offsets).unwrap());
    assert_eq!(json!(ids), case["position_ids"]);
}

fn offsets_on_rank(case: &Value) {
    let (valid, padded) = (ints(&case["cu_seqlens"]), ints(&case["cu_seqlens_padded"]));
    let cp = case["cp_size"].as_i64().unwrap();
    let expected = case["valid_cu_seqlens_by_cp_rank"].as_array().unwrap();
    assert_eq!(expected.len() as i64, cp);
    for (rank, expected) in expected.iter().enumerate() {
        let (local, offsets) = cu_seqlens_on_cp_rank(&valid, &padded, cp, rank as i64);
        assert_eq!(json!(local), case["cu_seqlens_padded_on_rank"]);
        let offsets = json!({
            "both": offsets.both, "first_half": offsets.first_half, "second_half": offsets.second_half,
        });
        assert_eq!(&offsets, expected);
    }
}

fn dynamic_groups(case: &Value) {
    let pool: Vec<u32> = serde_json::from_value(case["dp_cp_ranks"].clone()).unwrap();
    let minimum = case["min_size"].as_u64().unwrap() as usize;
    let built: serde_json::Map<String, Value> = dynamic_sizes(pool.len(), minimum)
        .map(|size| (size.to_string(), json!(pool_slices(&pool, size))))
        .collect();
    assert_eq!(json!(built), case["groups_by_size"]);
}

fn hybrid_schedule(case: &Value) {
    let lengths = ints(&case["seq_lengths"]);
    let limit = case["max_seqlen_per_rank"].as_i64().unwrap();
    let needed: Vec<i64> =
        lengths.iter().map(|&length| schedule::gpus_needed(length, limit)).collect();
    assert_eq!(json!(needed), case["gpus_needed"]);
    let pool = case["dp_cp_size"].as_u64().unwrap() as usize;
    let groups = schedule::hybrid_schedule(&lengths, limit, pool).unwrap();
    assert_eq!(json!(groups), case["sample_ids_by_group_and_rank"]);
}
