//! Several samples make up the microbatch, and each has its own row of offsets.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::partition::merge_micro_batch;

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
        let width =
            given.tensor.shape.as_ref().and_then(|shape| shape.last().copied()).unwrap_or(0).max(1);
        let rows: Vec<&[i64]> = given.tensor.data.chunks(width as usize).collect();
        let length = rows.iter().filter_map(|row| row.last().copied()).max().unwrap_or(0);
        let merged = rows.iter().all(|row| row.contains(&length)).then(|| {
            given.rewrite(
                format!("merge {} rows of {length} tokens", rows.len()),
                &merge_micro_batch(&rows, length),
            )
        });
        findings
            .report(
                given.field,
                format!("micro_batch_size is {size}, and {} has {} rows", given.name(), rows.len()),
            )
            .fix(merged);
    }
}
