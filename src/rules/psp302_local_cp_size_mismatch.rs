//! The runtime group has another size than `local_cp_size` says.

use super::case::Case;
use super::case::count;
use super::{Findings, Fix, Rule, Severity};
use crate::packed_seq_params::ResolveError;

pub(super) const RULE: Rule = Rule {
    code: "PSP302",
    name: "local-cp-size-mismatch",
    severity: Severity::Error,
    run: "An assertion in resolve_cp_group.",
    advice: "Set local_cp_size to the size of the group.",
    page: page!("psp302_local_cp_size_mismatch.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(ResolveError::CpGroupSize { group, local_cp_size }) = case.cp_group {
        findings
            .report(
                "params.local_cp_size",
                format!("local_cp_size is {local_cp_size}, cp_group has {}", count(group, "rank")),
            )
            .fix(
                Fix::new(format!("set local_cp_size to {group}"))
                    .set("params.local_cp_size", group as i64),
            );
    }
}
