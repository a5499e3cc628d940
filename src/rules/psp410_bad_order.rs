//! The order string names tp, cp, ep, dp and pp, each once, joined by hyphens.

use super::case::{Case, default_order};
use super::{Findings, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP410",
    name: "bad-order",
    severity: Severity::Error,
    run: "A KeyError before anything runs.",
    advice: "Use the default order.",
    page: page!("psp410_bad_order.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ (TopologyError::UnknownAxis(_) | TopologyError::RepeatedAxis(_))) =
        &case.topology
    {
        findings.report("topology.order", error.to_string()).fix(default_order());
    }
}
