//! A preset `seq_idx` has one entry per token of the stream.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::field::Value;

pub(super) const RULE: Rule = Rule {
    code: "PSP601",
    name: "seq-idx-length",
    severity: Severity::Error,
    run: "A shape error in the convolution's kernel.",
    advice: "Leave seq_idx out: it is derived.",
    page: page!("psp601_seq_idx_length.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let (Some(preset), Some(total)) = (&case.params().seq_idx, case.params().total_tokens)
        && preset.data.len() as i64 != total
    {
        findings
            .report(
                SEQ_IDX,
                format!("seq_idx has {} entries, total_tokens is {total}", preset.data.len()),
            )
            .fix(Fix::new("derive seq_idx").set(SEQ_IDX, Value::Null));
    }
}

pub(super) const SEQ_IDX: &str = "params.seq_idx";
