//! Valid and physical offsets describe the same sequences, so they have as many entries.

use super::case::Case;
use super::case::{KV_PADDED, Q_PADDED, short};
use super::{Findings, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP101",
    name: "padded-count",
    severity: Severity::Error,
    run: "A kernel reads past the shorter array.",
    advice: "Give both arrays one entry per sequence and a 0 in front.",
    page: page!("psp101_padded_count.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let params = case.params();
    for (valid, padded, field) in [
        (&params.cu_seqlens_q, &params.cu_seqlens_q_padded, Q_PADDED),
        (&params.cu_seqlens_kv, &params.cu_seqlens_kv_padded, KV_PADDED),
    ] {
        if let (Some(valid), Some(padded)) = (valid, padded)
            && valid.data.len() != padded.data.len()
        {
            let (valid, padded) = (valid.data.len(), padded.data.len());
            findings.report(
                field,
                format!("{} has {padded} entries, the valid offsets have {valid}", short(field)),
            );
        }
    }
}
