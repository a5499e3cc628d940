//! A context-parallel group crosses machines.

use super::case::Case;
use super::psp406_tp_spans_nodes::{first_spanning, shown};
use super::{Findings, Rule, Severity};
use crate::topology::Axis;

pub(super) const RULE: Rule = Rule {
    code: "PSP407",
    name: "cp-spans-nodes",
    severity: Severity::Info,
    run: "The ring runs over the network: it hides behind compute only where sequences are long.",
    advice: "For long rings consider a2a+p2p, with the all-to-all inside a node.",
    page: page!("psp407_cp_spans_nodes.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(topology) = case.laid_out() else { return };
    if topology.dense().size(Axis::Cp) > 1
        && let Some((group, nodes)) = first_spanning(topology, &[Axis::Cp])
    {
        findings.report(
            "topology.context_parallel_size",
            format!("the cp group {} lies on {nodes} nodes", shown(&group)),
        );
    }
}
