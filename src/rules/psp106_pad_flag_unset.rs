//! `pad_between_seqs` is not set, context parallelism is on, and some length is not a multiple of
//! 2·cp.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP106",
    name: "pad-flag-unset",
    severity: Severity::Warning,
    run: "Transformer Engine up to 2.16 misses padding after the last sequence and drops real keys.",
    advice: "Set pad_between_seqs to true.",
    page: page!("psp106_pad_flag_unset.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some((chunks, _)), Some(slots)) = (case.document_cut(), case.padded_slots()) else {
        return;
    };
    let seen = case.te_version().is_some_and(|version| version > (2, 16));
    let ragged: Vec<usize> =
        slots.iter().filter(|slot| slot.valid % chunks != 0).map(|slot| slot.index).collect();
    if case.params().pad_between_seqs.is_some() || seen || ragged.is_empty() || !case.has_padding()
    {
        return;
    }
    findings
        .report("params.pad_between_seqs", format!("pad_between_seqs is not set, and sequence {} has {} tokens, not a multiple of 2·cp = {chunks}", ragged[0], slots[ragged[0]].valid))
        .slots(ragged)
        .fix(Fix::new("set pad_between_seqs to true").set("params.pad_between_seqs", true));
}
