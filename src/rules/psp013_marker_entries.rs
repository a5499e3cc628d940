//! A negative entry: a filler that fixed-width collation puts behind the real offsets.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP013",
    name: "marker-entries",
    severity: Severity::Error,
    run: "Negative lengths: kernels read garbage, binary searches over the offsets break.",
    advice: "Cut the array at the first negative entry.",
    page: page!("psp013_marker_entries.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    for given in case.given() {
        let data = &given.tensor.data;
        if case.in_rows(given.tensor) {
            continue;
        }
        let Some(first) = data.iter().position(|&n| n < 0) else { continue };
        let negative = data.iter().copied().enumerate().filter(|&(_, n)| n < 0);
        let fix = (first >= 2)
            .then(|| given.rewrite(format!("cut before entry {first}"), &data[..first]));
        findings
            .report(
                given.field,
                format!("{}[{first}] is {}: a marker, not an offset", given.name(), data[first]),
            )
            .entries(negative)
            .fix(fix);
    }
}
