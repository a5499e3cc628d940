//! The array holds lengths: it does not start with 0, and its sum is where the stream ends.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::offsets::offsets_of_lengths;

pub(super) const RULE: Rule = Rule {
    code: "PSP010",
    name: "lengths-not-offsets",
    severity: Severity::Error,
    run: "Every boundary is wrong.",
    advice: "Take the cumulative sum and put a 0 in front.",
    page: page!("psp010_lengths_not_offsets.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    for given in case.given() {
        if case.in_rows(given.tensor) || !case.reads_as_lengths(given.tensor) {
            continue;
        }
        let offsets = offsets_of_lengths(&given.tensor.data);
        findings
            .report(
                given.field,
                format!(
                    "{} holds lengths: they sum to {}, where the stream ends",
                    given.name(),
                    offsets.last().unwrap_or(&0)
                ),
            )
            .entries([(0, given.tensor.data[0])])
            .fix(given.rewrite("take the cumulative sum", &offsets));
    }
}
