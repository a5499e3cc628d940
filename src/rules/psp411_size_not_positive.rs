//! A size is at least 1.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP411",
    name: "size-not-positive",
    severity: Severity::Error,
    run: "A division by zero or an assertion before anything runs.",
    advice: "Give a size of at least 1.",
    page: page!("psp411_size_not_positive.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ TopologyError::NotPositive { name, .. }) = &case.topology {
        let field = format!("topology.{name}");
        findings.report(&field, error.to_string()).fix(Fix::new("use 1").set(&field, 1));
    }
}
