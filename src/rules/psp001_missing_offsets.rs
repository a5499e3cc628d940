//! The format is `thd`, and `cu_seqlens_q` is not set.

use super::case::Case;
use super::case::Q;
use super::{Findings, Rule, Severity};
use crate::scenario::PartitionMode;

pub(super) const RULE: Rule = Rule {
    code: "PSP001",
    name: "missing-offsets",
    severity: Severity::Error,
    run: "Attention fails: without cu_seqlens_q there are no boundaries.",
    advice: "Set cu_seqlens_q: 0, then where each sequence ends.",
    page: page!("psp001_missing_offsets.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let nothing = case.params().qkv_format.is_none() && case.params().physical_offsets().is_none();
    let by_document = case.scenario().partition == PartitionMode::PerDocument;
    if case.is_thd() && case.params().cu_seqlens_q.is_none() {
        findings.report(Q, "qkv_format is thd and cu_seqlens_q is absent");
    } else if nothing && by_document {
        findings.report(Q, "there are no offsets at all");
    }
}
