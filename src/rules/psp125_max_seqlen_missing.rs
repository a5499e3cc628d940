//! The format is `thd`, and `max_seqlen` is not set.

use super::case::Case;
use super::case::short;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP125",
    name: "max-seqlen-missing",
    severity: Severity::Warning,
    run: "Transformer Engine computes it from the offsets and waits for the GPU to do so; graph capture fails.",
    advice: "Set it to the longest slot.",
    page: page!("psp125_max_seqlen_missing.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if !case.is_thd() {
        return;
    }
    let longest = case.sound_slots().and_then(|slots| slots.iter().map(|slot| slot.length).max());
    for (field, max, offsets) in [
        ("params.max_seqlen_q", case.params().max_seqlen_q, &case.params().cu_seqlens_q),
        ("params.max_seqlen_kv", case.params().max_seqlen_kv, &case.params().cu_seqlens_kv),
    ] {
        if max.is_none() && offsets.is_some() {
            let fix = longest.map(|n| Fix::new(format!("set it to {n}")).set(field, n));
            findings.report(field, format!("{} is absent", short(field))).fix(fix);
        }
    }
}
