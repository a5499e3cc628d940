//! Runtime context parallelism cuts the DP×CP pool into groups of 2, 4, …, so the pool must be
//! even.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP309",
    name: "odd-pool",
    severity: Severity::Error,
    run: "An assertion while the groups are built.",
    advice: "Use an even dp·cp.",
    page: page!("psp309_odd_pool.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let pool = match (&case.topology, case.params().local_cp_size) {
        (Err(TopologyError::OddPool(pool)), _) => *pool,
        (Ok(topology), Some(_)) if topology.pool_size() % 2 == 1 && topology.pool_size() > 1 => {
            topology.pool_size()
        }
        _ => return,
    };
    findings.report(
        "topology.context_parallel_size",
        format!("the pool dp·cp has {pool} ranks, an odd number"),
    );
}
