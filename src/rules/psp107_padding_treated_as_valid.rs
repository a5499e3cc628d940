//! Valid and physical offsets are the same, every slot is a padding multiple, and `max_seqlen`
//! says that no sequence is as long as the longest slot: the padding is in the slots, and the
//! valid offsets call it real.

use super::case::Case;
use super::case::Q;
use super::{Findings, Rule, Severity};
use crate::partition::padding_multiple;

pub(super) const RULE: Rule = Rule {
    code: "PSP107",
    name: "padding-treated-as-valid",
    severity: Severity::Warning,
    run: "Padding attends and is attended; only the loss mask hides it.",
    advice: "Give the real valid offsets.",
    page: page!("psp107_padding_treated_as_valid.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(slots) = case.padded_slots() else { return };
    let multiple = padding_multiple(case.scenario()).slot;
    let longest = slots.iter().map(|slot| slot.length).max().unwrap_or(0);
    let same = case.params().cu_seqlens_q == case.params().cu_seqlens_q_padded;
    let padded = multiple > 1 && slots.iter().all(|slot| slot.length % multiple == 0);
    if let Some(max) = case.params().max_seqlen_q.filter(|&max| max > 0 && max < longest)
        && same
        && padded
    {
        findings.report(Q, format!("valid and padded offsets are the same, slots are multiples of {multiple}, and max_seqlen_q is {max}, below the longest slot of {longest}: padding counts as real"));
    }
}
