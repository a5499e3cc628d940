//! Sequence parallelism and runtime context parallelism together need the TP×CP group, and
//! `tp_cp_group` is not set.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::packed_seq_params::ResolveError;
use crate::words;

pub(super) const RULE: Rule = Rule {
    code: "PSP305",
    name: "tp-cp-group-missing",
    severity: Severity::Error,
    run: "The conversion of sequence-parallel shards fails, or silently takes the static group.",
    advice: "Pass the union of the runtime CP groups over the TP group.",
    page: page!("psp305_tp_cp_group_missing.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(ResolveError::TpCpGroupMissing) = case.tp_cp_group {
        findings
            .report(
                "params.tp_cp_group",
                "sequence_parallel and local_cp_size are set, and tp_cp_group is absent",
            )
            .fix(right_tp_cp_group(case));
    }
}

/// The TP×CP partner of the selected rank's runtime group.
pub(super) fn right_tp_cp_group(case: &Case) -> Option<Fix> {
    let (_, tp_cp) = case.runtime_groups(case.params().local_cp_size?)?;
    Some(
        Fix::new(format!("pass the group {}", words::list(&tp_cp)))
            .set("params.tp_cp_group", tp_cp),
    )
}
