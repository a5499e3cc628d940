//! The instances of the distributed optimizer share out dp·cp evenly, and the expert data-parallel
//! ranks too.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP408",
    name: "optimizer-instances",
    severity: Severity::Error,
    run: "An assertion before anything runs.",
    advice: "Use a number of instances that divides both.",
    page: page!("psp408_optimizer_instances.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    use TopologyError::{ExpertOptimizerInstances, OptimizerInstances, RematWithInstances};
    if let Err(
        error @ (OptimizerInstances { .. } | ExpertOptimizerInstances { .. } | RematWithInstances),
    ) = &case.topology
    {
        findings.report("topology.num_distributed_optimizer_instances", error.to_string()).fix(
            Fix::new("use one instance").set("topology.num_distributed_optimizer_instances", 1),
        );
    }
}
