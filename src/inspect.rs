//! The Analysis as JSON, for `packscope inspect` and for whoever reads it.

use crate::analysis::Analysis;
use crate::packed_seq_params::ResolveError;
use crate::partition::Cut;
use crate::rules::Finding;
use crate::scenario::Group;
use crate::topology::Topology;
use serde_json::{Map, Value, json};

/// Everything that was worked out, with upstream's own names for groups. Segments are
/// `[start, length]` in tokens; `seq_idx` is run-length encoded.
///
/// ```
/// use packscope::{PackedSeqParams, Scenario, analyze, inspect};
/// let mut scenario = Scenario::of(PackedSeqParams::of_offsets(vec![0, 5, 7, 11]));
/// scenario.params.total_tokens = Some(16);
/// let inspection = inspect::inspection(&analyze(&scenario), &[]);
/// assert_eq!(inspection["seq_idx"]["runs"][3], serde_json::json!([3, 5]));
/// ```
pub fn inspection(analysis: &Analysis, findings: &[Finding]) -> Value {
    json!({
        "scenario": analysis.scenario.to_json(),
        "seq_idx": analysis.seq_idx.as_ref().map(|runs| json!({
            "runs": runs.as_slice(),
            "length": runs.length(),
        })),
        "partition": analysis.cut.as_ref().ok().map(|cut| partition(cut, analysis)),
        "groups": analysis.topology.as_ref().ok().map(groups),
        "resolved": {
            "cp_group": resolved(&analysis.cp_group),
            "tp_cp_group": resolved(&analysis.tp_cp_group),
        },
        "findings": findings,
    })
}

fn partition(cut: &Cut, analysis: &Analysis) -> Value {
    let ranks: Vec<Value> = analysis
        .loads
        .iter()
        .enumerate()
        .map(|(rank, load)| {
            let segments: Vec<[i64; 2]> =
                cut.segments(rank as i64).map(|segment| [segment.start, segment.length]).collect();
            json!({
                "cp_rank": rank,
                "segments": segments,
                "tokens": load.tokens,
                "valid_tokens": load.valid_tokens,
                "attention_pairs": load.attention_pairs,
            })
        })
        .collect();
    json!({"mode": cut.mode().name(), "cp_size": cut.cp(), "ranks": ranks})
}

/// Every group under upstream's name, in creation order.
pub fn groups(topology: &Topology) -> Value {
    let groups: Map<String, Value> = topology
        .kinds()
        .into_iter()
        .map(|kind| (kind.name(), json!(topology.groups(kind))))
        .collect();
    Value::Object(groups)
}

fn resolved(group: &Result<Option<Group>, ResolveError>) -> Value {
    match group {
        Ok(group) => json!(group),
        Err(error) => json!({"error": error.to_string()}),
    }
}
