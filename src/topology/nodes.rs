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
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.gpus_per_node(), 8);
    /// ```
    pub fn gpus_per_node(&self) -> usize {
        self.gpus_per_node
    }

    /// The machine that holds the rank.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.node_of(11).index, 1);
    /// ```
    pub fn node_of(&self, rank: usize) -> Node {
        let index = rank / self.gpus_per_node;
        let first = index * self.gpus_per_node;
        Node { index, first, len: self.gpus_per_node.min(self.world - first) }
    }

    /// How many machines the job takes.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.node_count(), 2);
    /// ```
    pub fn node_count(&self) -> usize {
        self.world.div_ceil(self.gpus_per_node)
    }

    /// How many machines a group of ranks touches.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.nodes_of(&[0, 8]), 2);
    /// ```
    pub fn nodes_of(&self, group: &[u32]) -> usize {
        let mut nodes: Vec<usize> =
            group.iter().map(|&rank| rank as usize / self.gpus_per_node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len()
    }
}
