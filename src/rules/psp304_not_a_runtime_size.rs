//! Runtime groups are built once, at start: for the powers of two that divide the DP×CP pool, from
//! a minimum, and for the whole pool.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::words;

pub(super) const RULE: Rule = Rule {
    code: "PSP304",
    name: "not-a-runtime-size",
    severity: Severity::Error,
    run: "No such group exists.",
    advice: "Use the nearest size that does.",
    page: page!("psp304_not_a_runtime_size.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some(size), Some(topology)) = (case.params().local_cp_size, case.laid_out()) else {
        return;
    };
    let sizes = topology.runtime_sizes();
    if sizes.iter().any(|&valid| valid as i64 == size) {
        return;
    }
    let nearest = sizes
        .iter()
        .map(|&valid| valid as i64)
        .min_by_key(|valid| valid.abs_diff(size))
        .unwrap_or(1);
    let mut fix = Fix::new(format!("use {nearest}")).set("params.local_cp_size", nearest);
    if let Some((cp, tp_cp)) = case.runtime_groups(nearest) {
        fix = fix.set("params.cp_group", cp);
        if case.params().tp_cp_group.is_some() {
            fix = fix.set("params.tp_cp_group", tp_cp);
        }
    }
    findings
        .report(
            "params.local_cp_size",
            format!(
                "local_cp_size is {size}; a pool of {} has groups of {}",
                topology.pool_size(),
                words::list(&sizes)
            ),
        )
        .fix(fix);
}
