//! `max_seqlen` is more than twice the longest slot.

use super::case::Case;
use super::case::short;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP124",
    name: "max-seqlen-loose",
    severity: Severity::Info,
    run: "Workspace and launch grid are larger than needed.",
    advice: "Set it to the longest slot.",
    page: page!("psp124_max_seqlen_loose.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(slots) = case.sound_slots() else { return };
    let slot = slots.iter().map(|slot| slot.length).max().unwrap_or(0);
    for (field, max) in [
        ("params.max_seqlen_q", case.params().max_seqlen_q),
        ("params.max_seqlen_kv", case.params().max_seqlen_kv),
    ] {
        if let Some(max) = max.filter(|&max| slot > 0 && max > slot.saturating_mul(2)) {
            findings
                .report(
                    field,
                    format!("{} is {max}, the longest slot has {slot} tokens", short(field)),
                )
                .fix(Fix::new(format!("set it to {slot}")).set(field, slot));
        }
    }
}
