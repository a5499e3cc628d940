//! The Analysis as JSON, for `packscope inspect` and for whoever reads it.

use crate::analysis::Analysis;
use crate::packed_seq_params::ResolveError;
use crate::partition::Cut;
use crate::rules::Finding;
use crate::scenario::{Group, Scenario};
use crate::topology::Topology;
use serde::{Serialize, Serializer};

/// Everything that was worked out, to be written as JSON.
#[derive(Serialize)]
pub struct Inspection<'a> {
    scenario: &'a Scenario,
    seq_idx: Option<SeqIdx<'a>>,
    partition: Option<Partition<'a>>,
    groups: Option<Groups<'a>>,
    resolved: Resolved<'a>,
    findings: &'a [Finding],
}

/// Run-length encoded: index and tokens of every run.
#[derive(Serialize)]
struct SeqIdx<'a> {
    runs: &'a [(i32, i64)],
    length: i64,
}

#[derive(Serialize)]
struct Partition<'a> {
    mode: &'static str,
    cp_size: i64,
    ranks: Vec<Rank<'a>>,
}

#[derive(Serialize)]
struct Rank<'a> {
    cp_rank: usize,
    segments: Segments<'a>,
    tokens: i64,
    valid_tokens: i64,
    attention_pairs: u64,
}

/// `[start, length]` in tokens, in local order.
struct Segments<'a>(&'a Cut, i64);

impl Serialize for Segments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let segments = self.0.segments(self.1);
        serializer.collect_seq(segments.map(|segment| [segment.start, segment.length]))
    }
}

/// Every group under upstream's name, in creation order.
///
/// ```
/// use packscope::{ParallelSizes, Topology, inspect::Groups};
/// let sizes = ParallelSizes { world_size: Some(2), ..ParallelSizes::default() };
/// let groups = serde_json::to_value(Groups(&Topology::new(&sizes).unwrap())).unwrap();
/// assert_eq!(groups["DATA_PARALLEL_GROUP"], serde_json::json!([[0, 1]]));
/// ```
pub struct Groups<'a>(pub &'a Topology);

impl Serialize for Groups<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kinds = self.0.kinds().into_iter();
        serializer.collect_map(kinds.map(|kind| (kind.name(), self.0.groups(kind))))
    }
}

#[derive(Serialize)]
struct Resolved<'a> {
    cp_group: Answer<'a>,
    tp_cp_group: Answer<'a>,
}

/// What upstream returns or raises.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer<'a> {
    Group(Option<&'a Group>),
    Raised { error: String },
}

impl<'a> Answer<'a> {
    fn of(group: &'a Result<Option<Group>, ResolveError>) -> Self {
        match group {
            Ok(group) => Answer::Group(group.as_ref()),
            Err(error) => Answer::Raised { error: error.to_string() },
        }
    }
}

/// Everything that was worked out, with upstream's own names for groups.
///
/// ```
/// use packscope::{PackedSeqParams, Scenario, analyze, inspect};
/// let mut scenario = Scenario::of(PackedSeqParams::of_offsets(vec![0, 5, 7, 11]));
/// scenario.params.total_tokens = Some(16);
/// let analysis = analyze(&scenario);
/// let json = serde_json::to_value(inspect::inspection(&analysis, &[])).unwrap();
/// assert_eq!(json["seq_idx"]["runs"][3], serde_json::json!([3, 5]));
/// ```
pub fn inspection<'a>(analysis: &'a Analysis, findings: &'a [Finding]) -> Inspection<'a> {
    Inspection {
        scenario: &analysis.scenario,
        seq_idx: analysis
            .seq_idx
            .as_ref()
            .map(|runs| SeqIdx { runs: runs.as_slice(), length: runs.length() }),
        partition: analysis.cut.as_ref().ok().map(|cut| partition(cut, analysis)),
        groups: analysis.topology.as_ref().ok().map(Groups),
        resolved: Resolved {
            cp_group: Answer::of(&analysis.cp_group),
            tp_cp_group: Answer::of(&analysis.tp_cp_group),
        },
        findings,
    }
}

fn partition<'a>(cut: &'a Cut, analysis: &Analysis) -> Partition<'a> {
    let ranks = analysis.loads.iter().enumerate().map(|(cp_rank, load)| Rank {
        cp_rank,
        segments: Segments(cut, cp_rank as i64),
        tokens: load.tokens,
        valid_tokens: load.valid_tokens,
        attention_pairs: load.attention_pairs,
    });
    Partition { mode: cut.mode().name(), cp_size: cut.cp(), ranks: ranks.collect() }
}
