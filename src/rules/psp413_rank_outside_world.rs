//! The selected rank is not in the world.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP413",
    name: "rank-outside-world",
    severity: Severity::Error,
    run: "Nothing runs on it: it has no groups.",
    advice: "Select a rank from 0 to world_size − 1.",
    page: page!("psp413_rank_outside_world.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Some(topology) = case.laid_out()
        && case.rank().is_none()
    {
        let (rank, world) = (case.scenario().rank, topology.world());
        findings
            .report(
                "rank",
                format!("rank {rank} is not in a world of {world}: ranks are 0 to {}", world - 1),
            )
            .fix(Fix::new("select rank 0").set("rank", 0));
    }
}
