//! One sequence takes two offsets: where it starts and where it ends.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP006",
    name: "too-few-offsets",
    severity: Severity::Error,
    run: "Transformer Engine's check for at least two entries fails.",
    advice: "Give at least [0, length].",
    page: page!("psp006_too_few_offsets.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    for given in case.given() {
        let n = given.tensor.data.len();
        if n < 2 {
            findings.report(
                given.field,
                format!("{} has {}; a sequence takes two", given.name(), entries(n)),
            );
        }
    }
}

fn entries(n: usize) -> &'static str {
    if n == 0 { "no entries" } else { "one entry" }
}
