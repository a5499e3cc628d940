//! The world has over a million ranks.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP412",
    name: "world-too-large",
    severity: Severity::Error,
    run: "No machine has this many ranks; the number is probably something else.",
    advice: "Check world_size.",
    page: page!("psp412_world_too_large.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ TopologyError::TooLarge(_)) = &case.topology {
        findings.report("topology.world_size", error.to_string());
    }
}
