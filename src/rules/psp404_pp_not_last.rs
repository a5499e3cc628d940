//! With pp anywhere but last in the order, dense and expert layers need the same data-parallel
//! size, or their pipelines would not match.

use super::case::{Case, default_order};
use super::{Findings, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP404",
    name: "pp-not-last",
    severity: Severity::Error,
    run: "An assertion before anything runs.",
    advice: "Use an order that ends in pp.",
    page: page!("psp404_pp_not_last.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ TopologyError::PpNotLast { .. }) = &case.topology {
        findings.report("topology.order", error.to_string()).fix(default_order());
    }
}
