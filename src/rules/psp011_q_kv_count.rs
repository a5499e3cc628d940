//! Queries and keys are packed into the same number of sequences.

use super::case::Case;
use super::case::{KV, KV_PADDED, short};
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP011",
    name: "q-kv-count",
    severity: Severity::Error,
    run: "A kernel reads past the shorter array.",
    advice: "Give q and kv offsets for the same sequences.",
    page: page!("psp011_q_kv_count.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let params = case.params();
    for (q, kv, field) in [
        (&params.cu_seqlens_q, &params.cu_seqlens_kv, KV),
        (&params.cu_seqlens_q_padded, &params.cu_seqlens_kv_padded, KV_PADDED),
    ] {
        if let (Some(q), Some(kv)) = (q, kv)
            && q.data.len() != kv.data.len()
        {
            let (q, kv) = (q.data.len(), kv.data.len());
            findings
                .report(field, format!("{} has {kv} entries, the queries' has {q}", short(field)));
        }
    }
}
