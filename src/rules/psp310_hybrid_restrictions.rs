//! Hybrid context parallelism does not go with pipeline parallelism.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP310",
    name: "hybrid-restrictions",
    severity: Severity::Error,
    run: "An assertion while arguments are checked.",
    advice: "Use pp 1.",
    page: page!("psp310_hybrid_restrictions.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let pp = case.sizes().pipeline_model_parallel_size;
    if case.sizes().hybrid_context_parallel && pp > 1 {
        findings.report(
            "topology.hybrid_context_parallel",
            format!("hybrid context parallelism is on, and pp is {pp}"),
        );
    }
}
