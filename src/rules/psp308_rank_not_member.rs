//! The selected rank is not in a group that its own metadata names.

use super::case::Case;
use super::case::short;
use super::{Findings, Fix, Rule, Severity};
use crate::words;

pub(super) const RULE: Rule = Rule {
    code: "PSP308",
    name: "rank-not-member",
    severity: Severity::Error,
    run: "A hang: the ranks of the group wait for one another, and this one is in none.",
    advice: "Pass the group that holds this rank.",
    page: page!("psp308_rank_not_member.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let rank = case.scenario().rank;
    for (field, group) in [
        ("params.cp_group", &case.params().cp_group),
        ("params.tp_cp_group", &case.params().tp_cp_group),
    ] {
        let Some(ranks) = group.as_ref().and_then(|group| group.ranks()) else { continue };
        if ranks.contains(&rank) {
            continue;
        }
        let fix = case.params().local_cp_size.and_then(|size| case.runtime_groups(size)).map(
            |(cp, tp_cp)| {
                let right = if field == "params.cp_group" { cp } else { tp_cp };
                Fix::new(format!("pass the group {}", words::list(&right))).set(field, right)
            },
        );
        findings
            .report(field, format!("rank {rank} is not in {} {}", short(field), words::list(ranks)))
            .fix(fix);
    }
}
