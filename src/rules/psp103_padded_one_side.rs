//! Physical offsets are given for queries or for keys only.

use super::case::Case;
use super::case::{KV_PADDED, Q_PADDED, short};
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP103",
    name: "padded-one-side",
    severity: Severity::Error,
    run: "Under context parallelism an assertion fails; elsewhere the masks of the two sides differ.",
    advice: "Give both sides the same physical offsets.",
    page: page!("psp103_padded_one_side.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (given, absent) =
        match (&case.params().cu_seqlens_q_padded, &case.params().cu_seqlens_kv_padded) {
            (Some(given), None) => (given, KV_PADDED),
            (None, Some(given)) => (given, Q_PADDED),
            _ => return,
        };
    findings
        .report(absent, format!("{} is absent, and its other side is given", short(absent)))
        .fix(Fix::new("copy the other side").set(absent, given.clone()));
}
