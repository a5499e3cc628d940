//! A cut over more than a million ranks, or of more than 134 million shares (slots × ranks): none is
//! worked out.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::partition::CutError;

pub(super) const RULE: Rule = Rule {
    code: "PSP211",
    name: "cut-too-large",
    severity: Severity::Error,
    run: "No job has this; a size or an array is not what it should be.",
    advice: "Check the context-parallel size.",
    page: page!("psp211_cut_too_large.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(CutError::CpSize(cp)) = case.cut
        && cp > 1
        && case.sound_slots().is_some()
    {
        findings.report(
            "topology.context_parallel_size",
            format!("a cut over {cp} ranks is more than Packscope works out"),
        );
    }
}
