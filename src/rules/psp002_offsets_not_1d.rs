//! Offsets are one row: shape `[n + 1]`.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::partition::merge_micro_batch;

pub(super) const RULE: Rule = Rule {
    code: "PSP002",
    name: "offsets-not-1d",
    severity: Severity::Error,
    run: "Transformer Engine's shape check fails before the first kernel runs.",
    advice: "Squeeze [1, n], or merge the rows of a microbatch.",
    page: page!("psp002_offsets_not_1d.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    for given in case.given() {
        let Some(shape) = given.tensor.shape.as_ref().filter(|shape| shape.len() != 1) else {
            continue;
        };
        let data = &given.tensor.data;
        let fix = match shape[..] {
            [rows, width] if rows > 1 && width > 1 => {
                let rows: Vec<&[i64]> = data.chunks(width as usize).collect();
                let length = rows.iter().filter_map(|row| row.last().copied()).max().unwrap_or(0);
                let ends = rows.iter().all(|row| row.contains(&length));
                ends.then(|| {
                    given.rewrite(
                        format!("merge {} rows of {length} tokens", rows.len()),
                        &merge_micro_batch(&rows, length),
                    )
                })
            }
            _ if !case.in_rows(given.tensor) => Some(given.rewrite("squeeze to one row", data)),
            _ => None,
        };
        findings
            .report(
                given.field,
                format!("{} has shape {shape:?}; offsets are one row", given.name()),
            )
            .fix(fix);
    }
}
