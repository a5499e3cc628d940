//! Sequence parallelism is on, and there is one tensor-parallel rank: nothing to share the
//! sequence with.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP221",
    name: "sp-without-tp",
    severity: Severity::Info,
    run: "No effect.",
    advice: "Turn it off, or use tp > 1.",
    page: page!("psp221_sp_without_tp.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if case.scenario().sequence_parallel && case.tp() == 1 {
        findings
            .report("sequence_parallel", "sequence parallelism is on, and tp is 1")
            .fix(Fix::new("turn it off").set("sequence_parallel", false));
    }
}
