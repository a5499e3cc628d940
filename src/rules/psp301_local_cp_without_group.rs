//! `local_cp_size` is set, and `cp_group` is not.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::packed_seq_params::ResolveError;
use crate::words;

pub(super) const RULE: Rule = Rule {
    code: "PSP301",
    name: "local-cp-without-group",
    severity: Severity::Error,
    run: "An assertion in resolve_cp_group.",
    advice: "Pass the aligned group of this rank.",
    page: page!("psp301_local_cp_without_group.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(ResolveError::CpGroupMissing(size)) = case.cp_group {
        let fix = case.runtime_groups(size).map(|(cp, _)| {
            Fix::new(format!("pass the group {}", words::list(&cp))).set("params.cp_group", cp)
        });
        findings
            .report("params.cp_group", format!("local_cp_size is {size}, and cp_group is absent"))
            .fix(fix);
    }
}
