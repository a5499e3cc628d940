//! The stream has no tokens: every sequence is empty.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::partition::CutError;

pub(super) const RULE: Rule = Rule {
    code: "PSP212",
    name: "no-tokens",
    severity: Severity::Error,
    run: "Transformer Engine's check that total_tokens is above 0 fails.",
    advice: "Skip the microbatch, or pad it to at least 2·cp tokens.",
    page: page!("psp212_no_tokens.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(CutError::NoTokens) = case.cut {
        findings.report(case.physical_field(), "there are no tokens to cut over CP ranks");
    }
}
