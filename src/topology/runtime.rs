//! Runtime context parallelism: groups chosen per microbatch out of the DP×CP pool.
//!
//! Source: Megatron-Core `create_hybrid_dp_cp_groups` (main) and `create_dynamic_dp_cp_groups`
//! (dev 2026-08-21).

use super::{Axis, Topology};

/// Sizes below the whole pool that hybrid CP builds: 2, 4, … Units: ranks.
///
/// ```
/// assert_eq!(packscope::topology::hybrid_sizes(16).collect::<Vec<_>>(), [2, 4, 8]);
/// ```
pub fn hybrid_sizes(pool: usize) -> impl Iterator<Item = usize> {
    (1..pool.max(1).ilog2()).map(|power| 1 << power)
}

/// Sizes below the whole pool that dynamic CP builds: 1, 2, 4, … from a minimum. Units: ranks.
///
/// ```
/// assert_eq!(packscope::topology::dynamic_sizes(8, 2).collect::<Vec<_>>(), [2, 4]);
/// ```
pub fn dynamic_sizes(pool: usize, minimum: usize) -> impl Iterator<Item = usize> {
    (0..pool.max(1).ilog2()).map(|power| 1 << power).filter(move |&size| size >= minimum)
}

/// Sizes that a runtime group can have under the documented contract: the powers of two that
/// divide the pool, from a minimum, and the whole pool. Units: ranks.
///
/// ```
/// assert_eq!(packscope::topology::runtime_sizes(12, 1), [1, 2, 4, 12]);
/// ```
pub fn runtime_sizes(pool: usize, minimum: usize) -> Vec<usize> {
    let powers = (0..=pool.max(1).ilog2()).map(|power| 1 << power);
    let mut sizes: Vec<usize> =
        powers.filter(|size| pool.is_multiple_of(*size) && *size >= minimum).collect();
    if sizes.last() != Some(&pool) {
        sizes.push(pool);
    }
    sizes
}

/// A pool cut into runs of `size`, the last one shorter where it does not divide.
///
/// ```
/// let slices = packscope::topology::pool_slices(&[0, 2, 4, 6], 2);
/// assert_eq!(slices, [[0, 2], [4, 6]]);
/// ```
pub fn pool_slices(pool: &[u32], size: usize) -> Vec<Vec<u32>> {
    pool.chunks(size.max(1)).map(<[u32]>::to_vec).collect()
}

impl Topology {
    /// The DP×CP pool that runtime groups of this job are cut from, ranks.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.pool_size(), 4);
    /// ```
    pub fn pool_size(&self) -> usize {
        self.dense.group_size(&[Axis::Dp, Axis::Cp])
    }

    /// The sizes a runtime group of this job can have.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.runtime_sizes(), [1, 2, 4]);
    /// ```
    pub fn runtime_sizes(&self) -> Vec<usize> {
        runtime_sizes(self.pool_size(), self.min_runtime)
    }

    /// The runtime CP group of `size` ranks that holds the rank: the aligned slice of its dp-cp
    /// group. None where no group of this size holds it.
    ///
    /// ```
    /// use packscope::{ParallelSizes, Topology};
    /// let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, ..Default::default() };
    /// let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.runtime_cp_group(7, 2), Some(vec![5, 7]));
    /// assert_eq!(topology.runtime_tp_cp_group(7, 2), Some(vec![4, 5, 6, 7]));
    /// assert_eq!(topology.runtime_cp_group(7, 3), None);
    /// ```
    pub fn runtime_cp_group(&self, rank: usize, size: usize) -> Option<Vec<u32>> {
        if !self.runtime_sizes().contains(&size) {
            return None;
        }
        self.pool_slice_of(rank, size)
    }

    /// The TP×CP partner of that group: the union over the rank's tp group, `tp × size` ranks in
    /// ascending order.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.runtime_tp_cp_group(0, 1), Some(vec![0, 1]));
    /// ```
    pub fn runtime_tp_cp_group(&self, rank: usize, size: usize) -> Option<Vec<u32>> {
        if rank >= self.world {
            return None;
        }
        let mut ranks = Vec::new();
        for peer in self.dense.group_of(rank, &[Axis::Tp]) {
            ranks.extend(self.runtime_cp_group(peer as usize, size)?);
        }
        ranks.sort_unstable();
        Some(ranks)
    }

    /// The aligned run of `size` ranks of the rank's dp-cp group that holds it.
    pub(super) fn pool_slice_of(&self, rank: usize, size: usize) -> Option<Vec<u32>> {
        if rank >= self.world {
            return None;
        }
        let mask = [Axis::Dp, Axis::Cp];
        let place = self.dense.place_in_group(rank, &mask);
        let pool = self.dense.group_of(rank, &mask);
        pool.chunks(size.max(1)).nth(place / size.max(1)).map(<[u32]>::to_vec)
    }
}
