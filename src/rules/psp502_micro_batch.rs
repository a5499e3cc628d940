//! Several samples make up the microbatch, and each has its own row of offsets.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP502",
    name: "micro-batch",
    severity: Severity::Error,
    run: "Boundaries of all samples but the first are wrong.",
    advice: "Merge the rows: move each by its row times the sequence length.",
    page: page!("psp502_micro_batch.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let size = case.scenario().micro_batch_size;
    if size < 2 || !case.may_be_thd() {
        return;
    }
    for given in case.given() {
        if !case.in_rows(given.tensor) {
            continue;
        }
        let width = given.tensor.shape.as_ref().and_then(|shape| shape.last().copied());
        let width = width.unwrap_or(0).max(1) as usize;
        let rows = given.tensor.data.len().div_ceil(width);
        findings
            .report(
                given.field,
                format!("micro_batch_size is {size}, and {} has {} rows", given.name(), rows),
            )
            .fix(given.merge_rows(width));
    }
}
