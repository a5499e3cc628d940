//! `max_seqlen` is below the longest sequence.

use super::case::Case;
use super::case::short;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP123",
    name: "max-seqlen-small",
    severity: Severity::Error,
    run: "Tokens past it are skipped, or memory out of bounds is read.",
    advice: "Set it to the longest slot.",
    page: page!("psp123_max_seqlen_small.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(slots) = case.sound_slots() else { return };
    let longest = slots.iter().map(|slot| slot.valid.min(slot.length)).max().unwrap_or(0);
    let slot = slots.iter().map(|slot| slot.length).max().unwrap_or(0);
    for (field, max) in [
        ("params.max_seqlen_q", case.params().max_seqlen_q),
        ("params.max_seqlen_kv", case.params().max_seqlen_kv),
    ] {
        let Some(max) = max.filter(|&max| max < slot) else { continue };
        let (what, length) = if max < longest { ("sequence", longest) } else { ("slot", slot) };
        let finding = findings.report(
            field,
            format!("{} is {max}, the longest {what} has {length} tokens", short(field)),
        );
        finding
            .slots(slots.iter().filter(|slot| slot.length > max).map(|slot| slot.index))
            .fix(Fix::new(format!("set it to {slot}")).set(field, slot));
        if max >= longest {
            finding.severity = Severity::Warning;
        }
    }
}
