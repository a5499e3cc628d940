//! The TP×CP group is the Cartesian product of the runtime CP group and the TP group; a rank of it
//! is missing.

use super::case::Case;
use super::psp305_tp_cp_group_missing::right_tp_cp_group;
use super::{Findings, Rule, Severity};
use crate::packed_seq_params::ResolveError;

pub(super) const RULE: Rule = Rule {
    code: "PSP307",
    name: "tp-cp-not-product",
    severity: Severity::Error,
    run: "Shards are exchanged with the wrong peers.",
    advice: "Pass the union of the runtime CP groups over the TP group.",
    page: page!("psp307_tp_cp_not_product.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ ResolveError::TpCpRankMissing(_)) = &case.tp_cp_group {
        findings.report("params.tp_cp_group", error.to_string()).fix(right_tp_cp_group(case));
    }
}
