//! The preset `seq_idx` is what the *valid* offsets give, and the stream has padding: every
//! boundary comes too early by the padding so far.

use super::case::Case;
use super::psp601_seq_idx_length::SEQ_IDX;
use super::psp603_seq_idx_differs::{at, differing, first_difference, from_valid};
use super::{Findings, Fix, Rule, Severity};
use crate::field::Value;

pub(super) const RULE: Rule = Rule {
    code: "PSP604",
    name: "seq-idx-from-valid",
    severity: Severity::Error,
    run: "Boundaries drift: state leaks by a few more tokens with every sequence.",
    advice: "Derive it from the physical offsets.",
    page: page!("psp604_seq_idx_from_valid.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some((preset, derived)) = differing(case) else { return };
    if from_valid(case).is_none_or(|valid| valid != preset) {
        return;
    }
    let token = first_difference(&preset, &derived);
    findings
        .report(SEQ_IDX, format!("seq_idx follows the valid offsets; storage follows the padded ones, and they part at token {token}"))
        .entries([(token as usize, at(&preset, token))])
        .fix(Fix::new("derive seq_idx").set(SEQ_IDX, Value::Null));
}
