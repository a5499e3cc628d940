//! The last offset is repeated: sequences without tokens that fill the array to a fixed size, as
//! CUDA graphs want it.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP008",
    name: "placeholder-tail",
    severity: Severity::Info,
    run: "Legal: kernels skip them.",
    advice: "Nothing to do.",
    page: page!("psp008_placeholder_tail.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(offsets) = case.physical() else { return };
    let n = offsets.placeholder_tail();
    if n == 0 || n == offsets.count() {
        return;
    }
    let last = offsets.count();
    findings
        .report(
            case.physical_field(),
            format!("the last {} placeholders: the offset {} repeats", is_or_are(n), offsets.end()),
        )
        .entries((last - n + 1..=last).map(|i| (i, offsets.end())))
        .slots(last - n..last);
}

fn is_or_are(n: usize) -> String {
    if n == 1 { "sequence is one of the".to_owned() } else { format!("{n} sequences are") }
}
