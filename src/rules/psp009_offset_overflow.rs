//! Offsets are int32: the largest is 2147483647.

use super::case::Case;
use super::case::INT32_MAX;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP009",
    name: "offset-overflow",
    severity: Severity::Error,
    run: "int32 wraps around to a negative offset.",
    advice: "Split the pack.",
    page: page!("psp009_offset_overflow.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    for given in case.given() {
        let over: Vec<(usize, i64)> =
            given.tensor.data.iter().copied().enumerate().filter(|&(_, n)| n > INT32_MAX).collect();
        let Some(&(index, value)) = over.first() else { continue };
        findings
            .report(
                given.field,
                format!("{}[{index}] is {value}, past int32's {INT32_MAX}", given.name()),
            )
            .entries(over);
    }
}
