//! Earlier upstream reads `local_cp_size` 1 as "context parallelism off" and wants no group with
//! it; the documented contract wants a group of one rank.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::field::Value;
use crate::packed_seq_params::ResolveError;

pub(super) const RULE: Rule = Rule {
    code: "PSP312",
    name: "singleton-under-legacy",
    severity: Severity::Error,
    run: "An assertion: the group must be none.",
    advice: "Drop the group, or use the strict profile.",
    page: page!("psp312_singleton_under_legacy.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(ResolveError::SingletonWithGroup) = case.cp_group {
        findings
            .report("params.cp_group", "legacy profile: local_cp_size is 1, and cp_group is set")
            .fix(Fix::new("drop the group").set("params.cp_group", Value::Null));
    }
}
