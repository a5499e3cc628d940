//! Sequence parallelism cuts each CP rank's tokens into tp equal windows.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::partition::padding_multiple;

pub(super) const RULE: Rule = Rule {
    code: "PSP220",
    name: "sp-not-divisible",
    severity: Severity::Error,
    run: "The scatter of the activations asserts.",
    advice: "Pad to 2·cp·tp.",
    page: page!("psp220_sp_not_divisible.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let tp = case.tp();
    if !case.scenario().sequence_parallel || tp < 2 {
        return;
    }
    let Ok(cut) = &case.cut else { return };
    let local = if case.cp().is_none() { case.total_tokens } else { cut.local_tokens() };
    if local % tp != 0 {
        findings
            .report(
                "sequence_parallel",
                format!("each CP rank holds {local} tokens, which tp = {tp} does not divide"),
            )
            .fix(case.repad(&format!(
                "pad each sequence to a multiple of {}",
                padding_multiple(case.scenario()).slot
            )));
    }
}
