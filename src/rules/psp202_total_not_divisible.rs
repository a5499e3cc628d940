//! A zigzag over cp ranks needs a stream of a multiple of 2·cp tokens.

use super::case::Case;
use super::case::TOTAL;
use super::{Findings, Fix, Rule, Severity};
use crate::scenario::PartitionMode;

pub(super) const RULE: Rule = Rule {
    code: "PSP202",
    name: "total-not-divisible",
    severity: Severity::Error,
    run: "Transformer Engine's check fails, or the reshape of the batch does.",
    advice: "Pad the stream to a multiple of 2·cp.",
    page: page!("psp202_total_not_divisible.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(cp) = case.cp() else { return };
    let (chunks, total) = (2 * cp, case.total_tokens);
    let zigzag = case.scenario().partition != PartitionMode::Contiguous;
    let by_document = case.scenario().partition == PartitionMode::PerDocument;
    // Without a T of its own, a stream cut by documents ends with its last slot: PSP201's to say.
    let own_total =
        case.params().total_tokens.is_some() || !by_document && case.physical().is_some();
    if !zigzag || !own_total || !case.may_be_thd() && by_document || total % chunks == 0 {
        return;
    }
    let up = (total.max(0) / chunks + 1).saturating_mul(chunks);
    findings
        .report(TOTAL, format!("{total} tokens are not a multiple of 2·cp = {chunks}"))
        .fix(Fix::new(format!("pad the stream to {up} tokens")).set(TOTAL, up));
}
