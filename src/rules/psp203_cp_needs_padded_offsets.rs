//! Context parallelism over packed sequences works on the physical offsets, and they are not
//! given.

use super::case::Case;
use super::case::{KV_PADDED, Q_PADDED};
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP203",
    name: "cp-needs-padded-offsets",
    severity: Severity::Error,
    run: "Transformer Engine asserts that cu_seqlens_q_padded and cu_seqlens_kv_padded are given.",
    advice: "Pass the valid offsets as the padded ones too where 2·cp divides every length; else pad.",
    page: page!("psp203_cp_needs_padded_offsets.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let params = case.params();
    let absent = params.cu_seqlens_q_padded.is_none() && params.cu_seqlens_kv_padded.is_none();
    let Some(cp) = case.cp().filter(|_| absent && case.may_be_thd()) else { return };
    let Some(q) = &params.cu_seqlens_q else { return };
    let divides =
        case.valid().is_some_and(|valid| valid.lengths().all(|length| length % (2 * cp) == 0));
    let fix = if divides {
        let kv = params.cu_seqlens_kv.as_ref().unwrap_or(q);
        Some(
            Fix::new("pass the valid offsets as padded ones")
                .set(Q_PADDED, q.clone())
                .set(KV_PADDED, kv.clone()),
        )
    } else {
        case.repad("pad each sequence and pass the padded offsets")
    };
    findings.report(Q_PADDED, format!("cp is {cp}, and cu_seqlens_q_padded is absent")).fix(fix);
}
