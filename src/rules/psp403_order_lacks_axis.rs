//! Every axis of more than one rank has its place in the order string.

use super::case::{Case, default_order};
use super::{Findings, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP403",
    name: "order-lacks-axis",
    severity: Severity::Error,
    run: "A RuntimeError before anything runs.",
    advice: "Add the axis to the order.",
    page: page!("psp403_order_lacks_axis.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ TopologyError::AxisMissing { .. }) = &case.topology {
        findings.report("topology.order", error.to_string()).fix(default_order());
    }
}
