//! `total_tokens` lies before the last physical offset.

use super::case::Case;
use super::case::TOTAL;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP120",
    name: "total-below-offsets",
    severity: Severity::Error,
    run: "Older upstream clamps: seq_idx gets as many entries as the offsets say, not T. Newer upstream raises a runtime error.",
    advice: "Set total_tokens to the physical length of the stream.",
    page: page!("psp120_total_below_offsets.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some(total), Some(offsets)) = (case.params().total_tokens, case.physical()) else {
        return;
    };
    if total < offsets.end() {
        let end = offsets.end();
        findings
            .report(TOTAL, format!("total_tokens is {total}, the last offset is {end}"))
            .entries([(offsets.count(), end)])
            .fix(Fix::new(format!("set total_tokens to {end}")).set(TOTAL, end));
    }
}
