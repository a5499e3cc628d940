//! A sequence is so short in its slot that some CP rank's share of it is all padding.

use super::case::Case;
use super::case::Q;
use super::{Findings, Rule, Severity};
use crate::offsets::Slot;

pub(super) const RULE: Rule = Rule {
    code: "PSP204",
    name: "rank-without-real-tokens",
    severity: Severity::Warning,
    run: "Ring steps without work; frameworks that slice the unpadded tokens crash on the empty slice.",
    advice: "Use a smaller cp for it, or pack it into longer sequences.",
    page: page!("psp204_rank_without_real_tokens.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some((chunks, slots)), Some(_)) = (case.document_cut(), case.padded_slots()) else {
        return;
    };
    let cp = chunks / 2;
    // Rank r's first chunk is chunk r of the slot: the last rank's starts at (cp − 1) · chunk.
    let short: Vec<&Slot> = slots
        .iter()
        .filter(|slot| {
            slot.length % chunks == 0
                && slot.valid > 0
                && slot.valid <= (cp - 1) * (slot.length / chunks)
        })
        .collect();
    let Some(first) = short.first() else { return };
    let chunk = first.length / chunks;
    let holders = (first.valid + chunk - 1) / chunk;
    findings
        .report(Q, format!("sequence {} has {} tokens in chunks of {chunk}: CP ranks {holders} to {} hold only its padding", first.index, first.valid, cp - 1))
        .entries(short.iter().map(|slot| (slot.index + 1, case.params().cu_seqlens_q.as_ref().map_or(0, |q| q.data[slot.index + 1]))))
        .slots(short.iter().map(|slot| slot.index));
}
