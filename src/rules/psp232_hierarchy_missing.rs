//! `a2a+p2p` works on two levels, and `hierarchical_context_parallel_sizes` has to name them.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP232",
    name: "hierarchy-missing",
    severity: Severity::Error,
    run: "An assertion while arguments are checked.",
    advice: "Give two sizes whose product is cp.",
    page: page!("psp232_hierarchy_missing.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let two_levels = case
        .sizes()
        .hierarchical_context_parallel_sizes
        .as_ref()
        .is_some_and(|sizes| sizes.len() == 2);
    if case.model().cp_comm_type.as_deref() != Some("a2a+p2p") || two_levels || case.cp().is_none()
    {
        return;
    }
    let cp = case.sizes().context_parallel_size;
    let fix = (2..=cp.clamp(0, 64)).find(|inner| cp % inner == 0 && cp / inner > 1).map(|inner| {
        Fix::new(format!("use [{inner}, {}]", cp / inner)).set(FIELD, vec![inner, cp / inner])
    });
    findings
        .report(FIELD, "cp_comm_type is a2a+p2p, and there are no two hierarchical sizes")
        .fix(fix);
}

const FIELD: &str = "topology.hierarchical_context_parallel_sizes";
