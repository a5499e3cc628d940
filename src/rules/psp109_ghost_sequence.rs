//! A slot holds no real token: all of it is padding.

use super::case::Case;
use super::case::Q_PADDED;
use super::{Findings, Rule, Severity};
use crate::offsets::Slot;

pub(super) const RULE: Rule = Rule {
    code: "PSP109",
    name: "ghost-sequence",
    severity: Severity::Info,
    run: "Its tokens attend to themselves only; they count unless their loss is masked.",
    advice: "Mask the loss of these tokens.",
    page: page!("psp109_ghost_sequence.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let ghosts: Vec<&Slot> = case
        .padded_slots()
        .unwrap_or_default()
        .iter()
        .filter(|slot| slot.valid == 0 && slot.length > 0)
        .collect();
    let Some(first) = ghosts.first() else { return };
    findings
        .report(
            Q_PADDED,
            format!("slot {} has {} tokens, all of them padding", first.index, first.length),
        )
        .entries(ghosts.iter().map(|slot| (slot.index + 1, slot.end())))
        .slots(ghosts.iter().map(|slot| slot.index));
}
