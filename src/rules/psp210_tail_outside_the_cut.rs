//! The stream goes on past the last slot while slots are cut one by one over several ranks.

use super::case::Case;
use super::case::{TOTAL, count};
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP210",
    name: "tail-outside-the-cut",
    severity: Severity::Warning,
    run: "Transformer Engine's index kernel counts the tail to the last slot and cuts that one too long: some tokens land on two ranks, others on none.",
    advice: "Append a slot for the tail, as PSP121 offers.",
    page: page!("psp210_tail_outside_the_cut.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some((chunks, slots)) = case.document_cut() else { return };
    let divides =
        slots.iter().all(|slot| slot.length % chunks == 0) && case.total_tokens % chunks == 0;
    if divides && case.tail() > 0 && !case.already_local() {
        findings.report(
            TOTAL,
            format!(
                "{} behind the last slot, which the cut does not cover",
                count(case.tail() as usize, "token")
            ),
        );
    }
}
