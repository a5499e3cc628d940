//! A tensor-parallel group crosses machines.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::scenario::DEFAULT_ORDER;
use crate::topology::{Axis, Topology};
use crate::words;

pub(super) const RULE: Rule = Rule {
    code: "PSP406",
    name: "tp-spans-nodes",
    severity: Severity::Warning,
    run: "An all-reduce over the network in every layer.",
    advice: "Put tp first in the order, and keep it within the GPUs of one node.",
    page: page!("psp406_tp_spans_nodes.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(topology) = case.laid_out() else { return };
    if let Some((group, nodes)) = first_spanning(topology, &[Axis::Tp]) {
        let tp_first = case.sizes().order.to_ascii_lowercase().starts_with("tp");
        let fits = case.tp() <= case.sizes().gpus_per_node;
        let fix = (!tp_first && fits)
            .then(|| Fix::new(format!("use {DEFAULT_ORDER}")).set("topology.order", DEFAULT_ORDER));
        findings
            .report(
                "topology.tensor_model_parallel_size",
                format!("the tp group {} lies on {nodes} nodes", shown(&group)),
            )
            .fix(fix);
    }
}

/// The first group over these axes that touches several machines, and how many it touches.
pub(super) fn first_spanning(topology: &Topology, mask: &[Axis]) -> Option<(Vec<u32>, usize)> {
    let dense = topology.dense();
    let groups = dense.group_count(mask);
    if groups == topology.world() {
        // Groups of one rank.
        return None;
    }
    (0..groups).find_map(|index| {
        let group = dense.group(mask, index);
        let nodes = topology.nodes_of(&group);
        (nodes > 1).then_some((group, nodes))
    })
}

/// A group's ranks, the first few.
pub(super) fn shown(group: &[u32]) -> String {
    words::ends(group, 6, 3)
}
