//! `pad_between_seqs` is true, and no slot is longer than its sequence.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP105",
    name: "pad-flag-true-unneeded",
    severity: Severity::Warning,
    run: "FlashAttention 2 and 4 and the unfused backend are ruled out; with head_dim 256 and more there may be no backend left.",
    advice: "Set it to false, or derive it: not torch.equal(cu_seqlens, cu_seqlens_padded).",
    page: page!("psp105_pad_flag_true_unneeded.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let slots = match case.padded_slots() {
        Some(slots) => Some(slots),
        None if case.params().cu_seqlens_q_padded.is_none() => case.sound_slots(),
        None => None,
    };
    let Some(slots) = slots else { return };
    if case.params().pad_between_seqs == Some(true) && slots.iter().all(|slot| slot.padding() == 0)
    {
        findings
            .report("params.pad_between_seqs", "pad_between_seqs is true, and no slot has padding")
            .fix(Fix::new("set pad_between_seqs to false").set("params.pad_between_seqs", false));
    }
}
