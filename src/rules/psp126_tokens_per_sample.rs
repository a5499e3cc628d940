//! `tokens_per_sample` says how long each flattened sample is; the stream is a whole number of
//! them.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP126",
    name: "tokens-per-sample",
    severity: Severity::Error,
    run: "The MoE layer's reshape to samples fails.",
    advice: "Pad the stream to a multiple of tokens_per_sample, or correct it.",
    page: page!("psp126_tokens_per_sample.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(per_sample) = case.params().tokens_per_sample else { return };
    if case.physical().is_none() && case.params().total_tokens.is_none() {
        return;
    }
    let total = case.total_tokens;
    if per_sample < 1 || total % per_sample != 0 {
        findings.report(
            "params.tokens_per_sample",
            format!("{total} tokens are not a multiple of tokens_per_sample {per_sample}"),
        );
    }
}
