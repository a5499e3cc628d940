//! The TP×CP group has another size than tp × `local_cp_size`.

use super::case::Case;
use super::psp305_tp_cp_group_missing::right_tp_cp_group;
use super::{Findings, Rule, Severity};
use crate::packed_seq_params::ResolveError;

pub(super) const RULE: Rule = Rule {
    code: "PSP306",
    name: "tp-cp-size-mismatch",
    severity: Severity::Error,
    run: "An error in resolve_tp_cp_group.",
    advice: "Pass the union of the runtime CP groups over the TP group.",
    page: page!("psp306_tp_cp_size_mismatch.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ ResolveError::TpCpGroupSize { .. }) = &case.tp_cp_group {
        findings.report("params.tp_cp_group", error.to_string()).fix(right_tp_cp_group(case));
    }
}
