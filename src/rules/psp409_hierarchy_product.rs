//! The levels of hierarchical context parallelism multiply to cp.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP409",
    name: "hierarchy-product",
    severity: Severity::Error,
    run: "An assertion before anything runs.",
    advice: "Give sizes whose product is cp.",
    page: page!("psp409_hierarchy_product.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ TopologyError::HierarchyProduct { sizes, cp, .. }) = &case.topology {
        let inner = sizes.first().copied().filter(|&inner| inner > 0 && cp % inner == 0);
        let fix = inner.map(|inner| {
            Fix::new(format!("use [{inner}, {}]", cp / inner))
                .set("topology.hierarchical_context_parallel_sizes", vec![inner, cp / inner])
        });
        findings.report("topology.hierarchical_context_parallel_sizes", error.to_string()).fix(fix);
    }
}
