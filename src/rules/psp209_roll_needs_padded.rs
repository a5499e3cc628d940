//! Multi-token prediction shifts labels inside each sequence.

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP209",
    name: "roll-needs-padded",
    severity: Severity::Warning,
    run: "Labels leak across boundaries.",
    advice: "Use an upstream with Megatron-LM PR 4495.",
    page: page!("psp209_roll_needs_padded.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if case.model().mtp_num_layers.is_some_and(|layers| layers > 0)
        && case.cp().is_some()
        && case.has_padding()
    {
        findings.report(
            "model.mtp_num_layers",
            "MTP shifts labels by the valid offsets, and slots have padding",
        );
    }
}
