//! Offsets never decrease: each is where a sequence ends, and sequences lie end to end.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP005",
    name: "offsets-decrease",
    severity: Severity::Error,
    run: "A sequence vanishes (older upstream clamps its length to 0), or repeat_interleave fails on a negative count.",
    advice: "Rebuild the offsets from the lengths. Sorting them hides the fault, so it is not offered.",
    page: page!("psp005_offsets_decrease.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    for given in case.given() {
        let Some(offsets) = case.as_offsets(given.tensor) else { continue };
        let falls: Vec<(usize, i64)> = (1..offsets.len())
            .filter(|&i| offsets[i] < offsets[i - 1])
            .map(|i| (i, offsets[i]))
            .collect();
        let Some(&(index, value)) = falls.first() else { continue };
        let before = offsets[index - 1];
        findings
            .report(
                given.field,
                format!("{}[{index}] is {value}, below {before} before it", given.name()),
            )
            .slots(falls.iter().map(|(i, _)| i - 1))
            .entries(falls);
    }
}
