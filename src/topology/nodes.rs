//! Nodes: which machine a rank sits on.

use super::Topology;

/// One machine's ranks: `[first, first + len)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub index: usize,
    pub first: usize,
    /// Ranks on it; the last node may be part full.
    pub len: usize,
}

impl Topology {
    /// GPUs on one machine.
    pub fn gpus_per_node(&self) -> usize {
        self.gpus_per_node
    }

    /// The machine that holds the rank.
    pub fn node_of(&self, rank: usize) -> Node {
        let index = rank / self.gpus_per_node;
        let first = index * self.gpus_per_node;
        Node { index, first, len: self.gpus_per_node.min(self.world - first) }
    }

    /// How many machines the job takes.
    pub fn node_count(&self) -> usize {
        self.world.div_ceil(self.gpus_per_node)
    }

    /// How many machines a group of ranks touches.
    pub fn nodes_of(&self, group: &[u32]) -> usize {
        let mut nodes: Vec<usize> =
            group.iter().map(|&rank| rank as usize / self.gpus_per_node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len()
    }
}
