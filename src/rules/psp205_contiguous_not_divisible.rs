//! Contiguous partition gives every CP rank an equal run of the stream.

use super::case::Case;
use super::case::TOTAL;
use super::{Findings, Fix, Rule, Severity};
use crate::scenario::PartitionMode;

pub(super) const RULE: Rule = Rule {
    code: "PSP205",
    name: "contiguous-not-divisible",
    severity: Severity::Error,
    run: "An error while the layout is built.",
    advice: "Pad the stream to a multiple of cp.",
    page: page!("psp205_contiguous_not_divisible.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(cp) = case.cp().filter(|_| case.scenario().partition == PartitionMode::Contiguous)
    else {
        return;
    };
    let total = case.total_tokens;
    if total % cp == 0 {
        return;
    }
    let up = (total.max(0) / cp + 1).saturating_mul(cp);
    findings
        .report(TOTAL, format!("{total} tokens are not a multiple of cp = {cp}"))
        .fix(Fix::new(format!("pad the stream to {up} tokens")).set(TOTAL, up));
}
