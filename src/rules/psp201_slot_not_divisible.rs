//! Per-document zigzag cuts every slot into 2·cp equal chunks: rank r keeps chunk r and chunk 2·cp
//! − 1 − r.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::offsets::Slot;
use crate::partition::padding_multiple;

pub(super) const RULE: Rule = Rule {
    code: "PSP201",
    name: "slot-not-divisible",
    severity: Severity::Error,
    run: "A kernel assertion, or in release builds silence: some tokens land on two ranks and others on none.",
    advice: "Pad each sequence to a multiple of 2·cp (2·cp·tp with sequence parallelism).",
    page: page!("psp201_slot_not_divisible.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some((chunks, slots)) = case.document_cut() else { return };
    let ragged: Vec<&Slot> = slots.iter().filter(|slot| slot.length % chunks != 0).collect();
    let Some(first) = ragged.first() else { return };
    findings
        .report(
            case.physical_field(),
            format!(
                "slot {} has {} tokens; {chunks} chunks (2·cp) need a multiple of {chunks}",
                first.index, first.length
            ),
        )
        .entries(ragged.iter().map(|slot| (slot.index + 1, slot.end())))
        .slots(ragged.iter().map(|slot| slot.index))
        .fix(case.repad(&format!(
            "pad each sequence to a multiple of {}",
            padding_multiple(case.scenario()).slot
        )));
}
