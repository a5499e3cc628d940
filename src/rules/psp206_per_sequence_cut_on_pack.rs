//! The stream is cut as one sequence, and it holds several documents.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::scenario::PartitionMode;

pub(super) const RULE: Rule = Rule {
    code: "PSP206",
    name: "per-sequence-cut-on-pack",
    severity: Severity::Warning,
    run: "Ranks get unequal work; attention kernels that expect the per-document cut read the wrong tokens.",
    advice: "Cut per document where 2·cp divides every slot.",
    page: page!("psp206_per_sequence_cut_on_pack.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let per_sequence = case.scenario().partition == PartitionMode::PerSequence;
    let (Some(cp), Some(slots)) = (case.cp().filter(|_| per_sequence), case.sound_slots()) else {
        return;
    };
    let documents = slots.iter().filter(|slot| slot.length > 0).count();
    if documents < 2 {
        return;
    }
    let divides = slots.iter().all(|slot| slot.length % (2 * cp) == 0);
    findings
        .report("partition", format!("{documents} documents are cut as one sequence"))
        .fix(divides.then(|| Fix::new("cut per document").set("partition", "per_document")));
}
