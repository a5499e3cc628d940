//! The format is `thd`, and only the queries have offsets.

use super::case::Case;
use super::case::KV;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP014",
    name: "kv-offsets-missing",
    severity: Severity::Error,
    run: "Transformer Engine asserts that both cu_seqlens_q and cu_seqlens_kv are given.",
    advice: "Give kv the offsets of q.",
    page: page!("psp014_kv_offsets_missing.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let (true, Some(q), None) =
        (case.is_thd(), &case.params().cu_seqlens_q, &case.params().cu_seqlens_kv)
    {
        findings
            .report(KV, "cu_seqlens_q is given and cu_seqlens_kv is absent")
            .fix(Fix::new("copy the queries' offsets").set(KV, q.clone()));
    }
}
