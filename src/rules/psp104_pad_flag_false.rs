//! `pad_between_seqs` is false, and some slot is longer than its sequence.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP104",
    name: "pad-flag-false",
    severity: Severity::Error,
    run: "Padding is attended and real keys are dropped, silently.",
    advice: "Set pad_between_seqs to true.",
    page: page!("psp104_pad_flag_false.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if case.params().pad_between_seqs != Some(false) || !case.has_padding() {
        return;
    }
    let padded: Vec<usize> = case
        .padded_slots()
        .unwrap_or_default()
        .iter()
        .filter(|s| s.padding() > 0)
        .map(|s| s.index)
        .collect();
    findings
        .report(FLAG, format!("pad_between_seqs is false, and {} padding", have(padded.len())))
        .slots(padded)
        .fix(Fix::new("set pad_between_seqs to true").set(FLAG, true));
}

const FLAG: &str = "params.pad_between_seqs";

fn have(n: usize) -> String {
    if n == 1 { "one slot has".to_owned() } else { format!("{n} slots have") }
}
