//! The model has state-space layers, and there is neither `total_tokens` nor `seq_idx`.

use super::case::Case;
use super::case::TOTAL;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP122",
    name: "ssm-needs-total",
    severity: Severity::Error,
    run: "State leaks from one sequence into the next, or graph capture fails.",
    advice: "Set total_tokens to the physical length of the stream.",
    page: page!("psp122_ssm_needs_total.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let params = case.params();
    if case.model().ssm != Some(true) || params.total_tokens.is_some() || params.seq_idx.is_some() {
        return;
    }
    let fix = case.physical().map(|offsets| {
        Fix::new(format!("set total_tokens to {}", offsets.end())).set(TOTAL, offsets.end())
    });
    findings
        .report(TOTAL, "the model has SSM layers, and total_tokens and seq_idx are absent")
        .fix(fix);
}
