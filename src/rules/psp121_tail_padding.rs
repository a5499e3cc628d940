//! The stream goes on past the last slot.

use super::case::Case;
use super::case::{KV, KV_PADDED, Q, Q_PADDED, TOTAL, count};
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP121",
    name: "tail-padding",
    severity: Severity::Info,
    run: "One extra seq_idx; the loss of these tokens has to be masked. (The published docstring compares with max_seqlen; the code compares with total_tokens.)",
    advice: "Mask their loss, or append a slot for them.",
    page: page!("psp121_tail_padding.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some(total), Some(offsets)) = (case.params().total_tokens, case.physical()) else {
        return;
    };
    if total <= offsets.end() || case.already_local() {
        return;
    }
    let tail = total - offsets.end();
    findings
        .report(
            TOTAL,
            format!(
                "{} behind the last slot: [{}, {total})",
                count(tail as usize, "token"),
                offsets.end()
            ),
        )
        .fix(appended_slot(case, total));
}

/// A slot without real tokens over the tail, in all four arrays.
fn appended_slot(case: &Case, total: i64) -> Option<Fix> {
    let params = case.params();
    let mut fix = Fix::new("append a slot for the tail");
    for (valid_field, padded_field, valid, padded) in [
        (Q, Q_PADDED, &params.cu_seqlens_q, &params.cu_seqlens_q_padded),
        (KV, KV_PADDED, &params.cu_seqlens_kv, &params.cu_seqlens_kv_padded),
    ] {
        let valid = case.sound(valid.as_ref())?.as_slice();
        let padded = padded
            .as_ref()
            .map_or(Some(valid), |padded| Some(case.sound(Some(padded))?.as_slice()))?;
        let grown = |offsets: &[i64], last: i64| -> Vec<i64> {
            offsets.iter().copied().chain([last]).collect()
        };
        fix = fix
            .set(valid_field, grown(valid, *valid.last()?))
            .set(padded_field, grown(padded, total));
    }
    Some(fix.set("params.pad_between_seqs", true))
}
