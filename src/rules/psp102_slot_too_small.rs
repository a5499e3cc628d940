//! A slot is shorter than the sequence in it.

use super::case::Case;
use super::case::Q_PADDED;
use super::{Findings, Rule, Severity};
use crate::offsets::Slot;

pub(super) const RULE: Rule = Rule {
    code: "PSP102",
    name: "slot-too-small",
    severity: Severity::Error,
    run: "Tokens of the next sequence are read as this one's.",
    advice: "Pad again, from the valid lengths.",
    page: page!("psp102_slot_too_small.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(slots) = case.sound_slots() else { return };
    let small: Vec<&Slot> = slots.iter().filter(|slot| slot.length < slot.valid).collect();
    let Some(first) = small.first() else { return };
    findings
        .report(
            Q_PADDED,
            format!(
                "sequence {} has {} tokens in a slot of {}",
                first.index, first.valid, first.length
            ),
        )
        .entries(small.iter().map(|slot| (slot.index + 1, slot.end())))
        .slots(small.iter().map(|slot| slot.index))
        .fix(case.repad("pad every sequence again"));
}
