//! A captured CUDA graph has room for a fixed number of sequences, and the pack has more.

use super::case::Case;
use super::case::count;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP605",
    name: "graph-capacity",
    severity: Severity::Error,
    run: "An assertion before the graph is replayed.",
    advice: "Raise the capacity, or pack fewer sequences.",
    page: page!("psp605_graph_capacity.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some(capacity), Some(offsets)) =
        (case.model().cuda_graph_max_packed_seqs, case.physical())
    else {
        return;
    };
    let sequences = offsets.count() - offsets.placeholder_tail();
    if sequences as i64 > capacity {
        findings
            .report(
                "model.cuda_graph_max_packed_seqs",
                format!(
                    "the pack has {}, the graph has room for {capacity}",
                    count(sequences, "sequence")
                ),
            )
            .fix(
                Fix::new(format!("raise the capacity to {sequences}"))
                    .set("model.cuda_graph_max_packed_seqs", sequences as i64),
            );
    }
}
