//! In self-attention a token is a query and a key at the same place, so both sides have the same
//! offsets.

use super::case::Case;
use super::case::{KV, KV_PADDED, short};
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP012",
    name: "q-kv-differ",
    severity: Severity::Warning,
    run: "Queries attend across sequences.",
    advice: "Give kv the offsets of q; for cross-attention set model.cross_attention.",
    page: page!("psp012_q_kv_differ.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if case.model().cross_attention == Some(true) {
        return;
    }
    let params = case.params();
    for (q, kv, field) in [
        (&params.cu_seqlens_q, &params.cu_seqlens_kv, KV),
        (&params.cu_seqlens_q_padded, &params.cu_seqlens_kv_padded, KV_PADDED),
    ] {
        let (Some(q), Some(kv)) = (case.sound(q.as_ref()), case.sound(kv.as_ref())) else {
            continue;
        };
        let (q, kv) = (q.as_slice(), kv.as_slice());
        let differing: Vec<(usize, i64)> =
            (0..q.len().min(kv.len())).filter(|&i| q[i] != kv[i]).map(|i| (i, kv[i])).collect();
        let Some(&(index, value)) = differing.first().filter(|_| q.len() == kv.len()) else {
            continue;
        };
        findings
            .report(
                field,
                format!("{}[{index}] is {value}, the queries' is {}", short(field), q[index]),
            )
            .entries(differing)
            .fix(Fix::new("copy the queries' offsets").set(field, q));
    }
}
