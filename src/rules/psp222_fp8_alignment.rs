//! FP8 matrix products want every rank's token count in steps of 16 (32 for MXFP8, 128 for
//! blockwise recipes).

use super::case::Case;
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP222",
    name: "fp8-alignment",
    severity: Severity::Error,
    run: "A shape error in the FP8 GEMM.",
    advice: "Pad the stream so that every rank’s tokens align.",
    page: page!("psp222_fp8_alignment.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(align) = case.model().fp8_alignment() else { return };
    if case.physical().is_none() && case.params().total_tokens.is_none() {
        return;
    }
    let windows = if case.scenario().sequence_parallel { case.tp().max(1) } else { 1 };
    let ranks = case.cp_size.max(1).saturating_mul(windows);
    let total = case.total_tokens;
    if total % ranks == 0 && total / ranks % align != 0 {
        findings
            .report(
                "model.fp8",
                format!(
                    "each of {ranks} ranks holds {} tokens, not a multiple of {align}",
                    total / ranks
                ),
            )
            .fix(case.repad("pad until every rank aligns"));
    }
}
