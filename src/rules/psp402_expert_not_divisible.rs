//! Expert layers lay out the same world by expert tp · ep · pp: it has to be a multiple of that
//! product too.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::topology::{TopologyError, gcd};

pub(super) const RULE: Rule = Rule {
    code: "PSP402",
    name: "expert-not-divisible",
    severity: Severity::Error,
    run: "A RuntimeError before anything runs.",
    advice: "Set expert_tensor_parallel_size, or use other sizes.",
    page: page!("psp402_expert_not_divisible.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ TopologyError::ExpertNotDivisible { world, model_size }) = &case.topology {
        let sizes = case.sizes();
        let one = model_size / sizes.expert_tp();
        let fix = if world % one == 0 {
            Fix::new("use expert tp 1").set("topology.expert_tensor_parallel_size", 1)
        } else {
            let dense = sizes.dense_model_size();
            let both = (dense / gcd(dense, *model_size)).saturating_mul(*model_size);
            let up = (world / both + 1).saturating_mul(both);
            Fix::new(format!("use {up} ranks")).set("topology.world_size", up)
        };
        findings.report("topology.expert_model_parallel_size", error.to_string()).fix(fix);
    }
}
