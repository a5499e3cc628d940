//! Ranks and groups: which ranks a job puts together, as upstream's `initialize_model_parallel`
//! does it.
//!
//! Source: Megatron-Core main d98e8a64, `parallel_state`.

mod generator;
mod groups;
mod nodes;
mod order;
mod runtime;

pub use generator::{AxisSize, Generator};
pub use groups::{GroupKind, create_hierarchical_groups};
pub use nodes::Node;
pub use order::{Axis, parse_order};
pub use runtime::{dynamic_sizes, hybrid_sizes, pool_slices, runtime_sizes};

use crate::scenario::ParallelSizes;
use crate::words::{list, quoted};

/// The largest world Packscope lays out, ranks.
pub const MAX_WORLD: i64 = 1 << 20;

/// Why upstream refuses these sizes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    #[error("{name} is {value}: a size is at least 1")]
    NotPositive { name: &'static str, value: i64 },
    #[error("world_size {0} is more ranks than Packscope lays out (1048576)")]
    TooLarge(i64),
    #[error("world_size ({world}) is not divisible by {model_size}")]
    WorldNotDivisible { world: i64, model_size: i64 },
    #[error(
        "world_size ({world}) is not divisible by expert_tensor_model_pipeline_parallel size ({model_size})"
    )]
    ExpertNotDivisible { world: i64, model_size: i64 },
    #[error("the order names an axis {} that does not exist", quoted(.0))]
    UnknownAxis(String),
    #[error("the order names {} twice", .0.name())]
    RepeatedAxis(Axis),
    #[error("The size of ({}) is ({size}), but the order ({order}) does not have it", axis.name())]
    AxisMissing { axis: Axis, size: usize, order: String },
    #[error(
        "When not using pp-last rank ordering, the data parallel size of the attention and moe layers must be the same: dp is {dp}, expert dp is {expert_dp}"
    )]
    PpNotLast { dp: usize, expert_dp: usize },
    #[error(
        "Pipeline parallel groups are expected to be the same for Non-Expert and Expert part, but the first that differ are {} and {}",
        list(dense),
        list(expert)
    )]
    PipelinesDiffer { dense: Vec<u32>, expert: Vec<u32> },
    #[error(
        "Data parallel size should be divisible by partial DistOpt shard factor: dp × cp is {size}, num_distributed_optimizer_instances is {instances}"
    )]
    OptimizerInstances { size: usize, instances: i64 },
    #[error(
        "Expert data parallel size should be divisible by partial DistOpt shard factor: expert dp is {size}, num_distributed_optimizer_instances is {instances}"
    )]
    ExpertOptimizerInstances { size: usize, instances: i64 },
    #[error("gtp_remat and several distributed optimizer instances do not go together")]
    RematWithInstances,
    #[error(
        "hierarchical_context_parallel_sizes {} multiply to {product}, context_parallel_size is {cp}",
        list(sizes)
    )]
    HierarchyProduct { sizes: Vec<i64>, product: i64, cp: i64 },
    #[error("Hybrid context parallel requires an even number of ranks: the pool dp × cp is {0}")]
    OddPool(usize),
}

/// A job's ranks, laid out. Every size is at least 1 and everything divides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    world: usize,
    dense: Generator,
    expert: Generator,
    instances: usize,
    hierarchy: Option<Vec<usize>>,
    hybrid: bool,
    dynamic: bool,
    min_runtime: usize,
    gpus_per_node: usize,
}

impl Topology {
    /// Lays the ranks out.
    ///
    /// # Errors
    /// The first check of upstream's that these sizes fail, in upstream's order.
    ///
    /// ```
    /// use packscope::{ParallelSizes, Topology};
    /// let sizes = ParallelSizes { world_size: Some(12), tensor_model_parallel_size: 8, ..Default::default() };
    /// assert_eq!(Topology::new(&sizes).unwrap_err().to_string(), "world_size (12) is not divisible by 8");
    /// ```
    pub fn new(sizes: &ParallelSizes) -> Result<Self, TopologyError> {
        let expert_tp = sizes.expert_tp();
        for (name, value) in [
            ("tensor_model_parallel_size", sizes.tensor_model_parallel_size),
            ("context_parallel_size", sizes.context_parallel_size),
            ("pipeline_model_parallel_size", sizes.pipeline_model_parallel_size),
            ("expert_model_parallel_size", sizes.expert_model_parallel_size),
            ("expert_tensor_parallel_size", expert_tp),
            ("gtp_remat_size", sizes.gtp_remat_size),
            ("expert_gtp_remat_size", sizes.expert_gtp_remat_size),
            ("num_distributed_optimizer_instances", sizes.num_distributed_optimizer_instances),
            ("gpus_per_node", sizes.gpus_per_node),
            ("world_size", sizes.world_size.unwrap_or(1)),
        ] {
            if value < 1 {
                return Err(TopologyError::NotPositive { name, value });
            }
        }
        let world = sizes.world();
        let (model_size, expert_size) = (sizes.dense_model_size(), sizes.expert_model_size());
        if world % model_size != 0 {
            return Err(TopologyError::WorldNotDivisible { world, model_size });
        }
        if world > MAX_WORLD {
            return Err(TopologyError::TooLarge(world));
        }
        let order = parse_order(&sizes.order)?;
        let dense = Generator::new(&order::with_gtp_remat(&order, Axis::Tp), |axis| match axis {
            Axis::Tp => sizes.tensor_model_parallel_size as usize,
            Axis::Cp => sizes.context_parallel_size as usize,
            Axis::Pp => sizes.pipeline_model_parallel_size as usize,
            Axis::GtpRemat => sizes.gtp_remat_size as usize,
            Axis::Dp => (world / model_size) as usize,
            Axis::Ep => 1,
        })?;
        if world % expert_size != 0 {
            return Err(TopologyError::ExpertNotDivisible { world, model_size: expert_size });
        }
        let expert = Generator::new(&order::with_gtp_remat(&order, Axis::Ep), |axis| match axis {
            Axis::Tp => expert_tp as usize,
            Axis::Ep => sizes.expert_model_parallel_size as usize,
            Axis::Pp => sizes.pipeline_model_parallel_size as usize,
            Axis::GtpRemat => sizes.expert_gtp_remat_size as usize,
            Axis::Dp => (world / expert_size) as usize,
            Axis::Cp => 1,
        })?;
        let (dp, expert_dp) = (dense.size(Axis::Dp), expert.size(Axis::Dp));
        if order.last() != Some(&Axis::Pp) && dense.size(Axis::Pp) > 1 && dp != expert_dp {
            return Err(TopologyError::PpNotLast { dp, expert_dp });
        }
        if let Some((dense, expert)) = first_difference(&dense, &expert) {
            return Err(TopologyError::PipelinesDiffer { dense, expert });
        }
        let instances = sizes.num_distributed_optimizer_instances;
        if instances > 1 && (sizes.gtp_remat_size > 1 || sizes.expert_gtp_remat_size > 1) {
            return Err(TopologyError::RematWithInstances);
        }
        let pool = dense.group_size(&[Axis::Dp, Axis::Cp]);
        if pool as i64 % instances != 0 {
            return Err(TopologyError::OptimizerInstances { size: pool, instances });
        }
        if (sizes.hybrid_context_parallel || sizes.dynamic_context_parallel)
            && pool % 2 != 0
            && !(sizes.dynamic_context_parallel
                && sizes.min_dynamic_context_parallel_size == Some(pool as i64))
        {
            return Err(TopologyError::OddPool(pool));
        }
        if let Some(levels) = &sizes.hierarchical_context_parallel_sizes {
            let product = levels.iter().fold(1i64, |product, &size| product.saturating_mul(size));
            let cp = sizes.context_parallel_size;
            if product != cp || levels.iter().any(|&size| size < 1) {
                return Err(TopologyError::HierarchyProduct { sizes: levels.clone(), product, cp });
            }
        }
        if expert_dp as i64 % instances != 0 {
            return Err(TopologyError::ExpertOptimizerInstances { size: expert_dp, instances });
        }
        Ok(Topology {
            world: world as usize,
            dense,
            expert,
            instances: instances as usize,
            hierarchy: sizes
                .hierarchical_context_parallel_sizes
                .as_ref()
                .map(|levels| levels.iter().map(|&size| size as usize).collect()),
            hybrid: sizes.hybrid_context_parallel,
            dynamic: sizes.dynamic_context_parallel,
            min_runtime: sizes.min_dynamic_context_parallel_size.unwrap_or(1).max(1) as usize,
            gpus_per_node: sizes.gpus_per_node as usize,
        })
    }

    /// All ranks of the job.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.world(), 16);
    /// ```
    pub fn world(&self) -> usize {
        self.world
    }

    /// The generator of attention and dense layers: tp, gtp_remat, cp, dp, pp.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().size(Axis::Ep), 1);
    /// ```
    pub fn dense(&self) -> &Generator {
        &self.dense
    }

    /// The generator of expert layers: expert tp, ep, gtp_remat, dp, pp.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.expert().size(Axis::Cp), 1);
    /// ```
    pub fn expert(&self) -> &Generator {
        &self.expert
    }
}

/// The first pipeline group in which the generators differ. Bases of groups ascend, so the axis's
/// stride and size decide every group; only where they differ are groups walked.
fn first_difference(dense: &Generator, expert: &Generator) -> Option<(Vec<u32>, Vec<u32>)> {
    let stride = |generator: &Generator| {
        generator
            .axes()
            .iter()
            .find(|here| here.axis == Axis::Pp && here.size > 1)
            .map(|pp| pp.stride)
    };
    if stride(dense) == stride(expert) {
        return None;
    }
    dense.groups(&[Axis::Pp]).zip(expert.groups(&[Axis::Pp])).find(|(a, b)| a != b)
}

impl ParallelSizes {
    /// Expert tensor parallelism as it takes effect, ranks.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(sizes.expert_tp(), 2);
    /// ```
    pub fn expert_tp(&self) -> i64 {
        self.expert_tensor_parallel_size.unwrap_or(self.tensor_model_parallel_size)
    }

    /// tp · pp · cp · gtp_remat: what the world must be a multiple of.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(sizes.dense_model_size(), 8);
    /// ```
    pub fn dense_model_size(&self) -> i64 {
        [self.pipeline_model_parallel_size, self.context_parallel_size, self.gtp_remat_size]
            .into_iter()
            .fold(self.tensor_model_parallel_size, i64::saturating_mul)
    }

    /// expert tp · ep · pp · expert gtp_remat: what the world must be a multiple of, too.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(sizes.expert_model_size(), 4);
    /// ```
    pub fn expert_model_size(&self) -> i64 {
        [
            self.expert_model_parallel_size,
            self.pipeline_model_parallel_size,
            self.expert_gtp_remat_size,
        ]
        .into_iter()
        .fold(self.expert_tp(), i64::saturating_mul)
    }

    /// The world size as given, or the smallest world both model sizes divide.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// let sizes = ParallelSizes { world_size: None, ..sizes };
    /// assert_eq!(sizes.world(), 8);
    /// ```
    pub fn world(&self) -> i64 {
        self.world_size.unwrap_or_else(|| {
            let (a, b) = (self.dense_model_size(), self.expert_model_size());
            if a < 1 || b < 1 { 1 } else { (a / gcd(a, b)).saturating_mul(b) }
        })
    }
}

/// The greatest common divisor of two positive numbers.
///
/// ```
/// assert_eq!(packscope::topology::gcd(12, 18), 6);
/// ```
pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
