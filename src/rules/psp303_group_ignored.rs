//! `cp_group` is set and `local_cp_size` is not.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::scenario::Profile;

pub(super) const RULE: Rule = Rule {
    code: "PSP303",
    name: "group-ignored",
    severity: Severity::Warning,
    run: "The static group is used, whatever cp_group says.",
    advice: "Set local_cp_size.",
    page: page!("psp303_group_ignored.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let params = case.params();
    let strict = case.scenario().profile == Profile::Strict;
    if let (true, Some(group), None) = (strict, &params.cp_group, params.local_cp_size) {
        let fix = group.ranks().map(|ranks| {
            let size = ranks.len() as i64;
            Fix::new(format!("set local_cp_size to {size}")).set("params.local_cp_size", size)
        });
        findings
            .report(
                "params.cp_group",
                "cp_group is set and local_cp_size is absent: the group is ignored",
            )
            .fix(fix);
    }
}
