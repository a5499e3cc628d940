//! The busiest CP rank has over 10 % more attention pairs than the mean.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::scenario::PartitionMode;
use crate::words::decimal;

pub(super) const RULE: Rule = Rule {
    code: "PSP208",
    name: "uneven-work",
    severity: Severity::Warning,
    run: "The slowest rank sets the pace of every layer.",
    advice: "Use the per-document zigzag, or less padding.",
    page: page!("psp208_uneven_work.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(imbalance) = case.imbalance().filter(|&imbalance| imbalance > 1.10) else { return };
    if case.cp().is_none() {
        return;
    }
    let busiest =
        (0..case.loads.len()).max_by_key(|&rank| case.loads[rank].attention_pairs).unwrap_or(0);
    let chunks = 2 * case.cp_size;
    let balanced = case.scenario().partition != PartitionMode::PerDocument
        && case
            .padded_slots()
            .is_some_and(|slots| slots.iter().all(|s| s.length % chunks == 0 && s.padding() == 0));
    findings
        .report(
            "partition",
            format!(
                "CP rank {busiest} has {} times the mean of attention pairs",
                decimal(imbalance, 2)
            ),
        )
        .fix(balanced.then(|| Fix::new("cut per document").set("partition", "per_document")));
}
