//! The first offset is where the first sequence starts: 0.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP004",
    name: "first-offset-not-zero",
    severity: Severity::Error,
    run: "Building the CP route fails, and seq_idx loses the tokens before the first offset.",
    advice: "Put a 0 in front.",
    page: page!("psp004_first_offset_not_zero.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    for given in case.given() {
        let Some(&[first, ..]) = case.as_offsets(given.tensor) else { continue };
        if first == 0 {
            continue;
        }
        let whole: Vec<i64> = std::iter::once(0).chain(given.tensor.data.iter().copied()).collect();
        findings
            .report(given.field, format!("{} starts at {first}, not at 0", given.name()))
            .entries([(0, first)])
            .fix(given.rewrite("put a 0 in front", &whole));
    }
}
