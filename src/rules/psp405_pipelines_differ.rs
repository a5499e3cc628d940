//! Dense and expert layers share one pipeline: both generators have to give the same pp groups.

use super::case::{Case, default_order};
use super::{Findings, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP405",
    name: "pipelines-differ",
    severity: Severity::Error,
    run: "An assertion before anything runs.",
    advice: "Use the default order.",
    page: page!("psp405_pipelines_differ.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ TopologyError::PipelinesDiffer { .. }) = &case.topology {
        findings.report("topology.order", error.to_string()).fix(default_order());
    }
}
