//! The world is tp · cp · pp · gtp ranks, times dp: it has to be a multiple of the product.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::topology::TopologyError;

pub(super) const RULE: Rule = Rule {
    code: "PSP401",
    name: "world-not-divisible",
    severity: Severity::Error,
    run: "A RuntimeError before anything runs.",
    advice: "Use a world size that the product divides.",
    page: page!("psp401_world_not_divisible.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    if let Err(error @ TopologyError::WorldNotDivisible { world, model_size }) = &case.topology {
        let up = (world / model_size + 1).saturating_mul(*model_size);
        findings
            .report("topology.world_size", format!("{error}: tp · pp · cp · gtp_remat"))
            .fix(Fix::new(format!("use {up} ranks")).set("topology.world_size", up));
    }
}
