//! Offsets are one row: shape `[n + 1]`.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::words;

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
        let fix = match shape[..] {
            [rows, width] if rows > 1 && width > 1 => given.merge_rows(width as usize),
            _ if !case.in_rows(given.tensor) => {
                Some(given.rewrite("squeeze to one row", &given.tensor.data))
            }
            _ => None,
        };
        findings
            .report(
                given.field,
                format!("{} has shape {}; offsets are one row", given.name(), words::list(shape)),
            )
            .fix(fix);
    }
}
