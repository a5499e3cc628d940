//! Every group that upstream creates, by its own name and in its creation order.

use super::{Axis, Topology, hybrid_sizes, pool_slices, runtime::dynamic_sizes};
use Axis::{Cp, Dp, Ep, GtpRemat, Pp, Tp};

const POOL: &[Axis] = &[Dp, Cp];

/// One kind of group. The index of a group is its place in creation order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Groups of the dense generator that vary over these axes.
    Dense(&'static str, &'static [Axis]),
    /// Groups of the expert generator that vary over these axes.
    Expert(&'static str, &'static [Axis]),
    /// Slices of each dp-cp group, one per optimizer instance.
    IntraPartialDpCp,
    /// Hybrid DP×CP groups of this size.
    Hybrid(usize),
    /// Dynamic DP×CP groups of this size.
    Dynamic(usize),
    /// A level of hierarchical context parallelism.
    HierarchicalCp(usize),
    /// First and last rank of each pipeline.
    Embedding,
    /// First rank of each pipeline.
    PositionEmbedding,
    /// A level of the expert dp groups under several optimizer instances.
    HierarchicalExpertDp(usize),
    /// The ranks of one optimizer instance.
    OptimizerInstance,
}

impl GroupKind {
    /// Attention's data-parallel groups with context parallelism: the runtime CP pool.
    pub const DP_CP: GroupKind = GroupKind::Dense("DATA_PARALLEL_GROUP_WITH_CP", POOL);
    pub const DP: GroupKind = GroupKind::Dense("DATA_PARALLEL_GROUP", &[Dp]);
    pub const CP: GroupKind = GroupKind::Dense("CONTEXT_PARALLEL_GROUP", &[Cp]);
    pub const TP: GroupKind = GroupKind::Dense("TENSOR_MODEL_PARALLEL_GROUP", &[Tp]);
    pub const PP: GroupKind = GroupKind::Dense("PIPELINE_MODEL_PARALLEL_GROUP", &[Pp]);
    pub const TP_CP: GroupKind = GroupKind::Dense("TENSOR_AND_CONTEXT_PARALLEL_GROUP", &[Tp, Cp]);
    pub const EP: GroupKind = GroupKind::Expert("EXPERT_MODEL_PARALLEL_GROUP", &[Ep]);

    /// Upstream's name (`group_desc`).
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(GroupKind::CP.name(), "CONTEXT_PARALLEL_GROUP");
    /// ```
    pub fn name(self) -> String {
        match self {
            GroupKind::Dense(name, _) | GroupKind::Expert(name, _) => name.to_owned(),
            GroupKind::IntraPartialDpCp => "INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP".to_owned(),
            GroupKind::Hybrid(size) => format!("HYBRID_DP_CP_GROUP_{size}"),
            GroupKind::Dynamic(size) => format!("DYNAMIC_DP_CP_GROUP_{size}"),
            GroupKind::HierarchicalCp(level) => {
                format!("HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L{level}")
            }
            GroupKind::Embedding => "EMBEDDING_GROUP".to_owned(),
            GroupKind::PositionEmbedding => "POSITION_EMBEDDING_GROUP".to_owned(),
            GroupKind::HierarchicalExpertDp(level) => {
                format!("HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L{level}")
            }
            GroupKind::OptimizerInstance => "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP".to_owned(),
        }
    }
}

/// Cuts a group into the groups of one level: reshape it to (outer, size, inner), where inner is
/// the product of the earlier sizes.
///
/// Source: Megatron-Core `parallel_state.create_hierarchical_groups`.
///
/// ```
/// use packscope::topology::create_hierarchical_groups;
/// let ranks = [0, 1, 2, 3, 4, 5, 6, 7];
/// assert_eq!(create_hierarchical_groups(&ranks, &[2, 4], 1), [[0, 2, 4, 6], [1, 3, 5, 7]]);
/// ```
pub fn create_hierarchical_groups(ranks: &[u32], sizes: &[usize], level: usize) -> Vec<Vec<u32>> {
    let size = sizes[level];
    let inner: usize = sizes[..level].iter().product();
    let outer = ranks.len() / (size * inner).max(1);
    (0..outer)
        .flat_map(|o| (0..inner).map(move |i| (o, i)))
        .map(|(o, i)| (0..size).map(|m| ranks[(o * size + m) * inner + i]).collect())
        .collect()
}

impl Topology {
    /// The kinds of group this job has, in creation order.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert!(topology.kinds().contains(&GroupKind::TP_CP));
    /// ```
    pub fn kinds(&self) -> Vec<GroupKind> {
        use GroupKind::{Dense, Expert};
        let pool = self.dense.group_size(POOL);
        let mut kinds = vec![Dense("GTP_WEIGHT_REMAT_GROUP", &[GtpRemat]), GroupKind::DP_CP];
        if self.instances > 1 {
            kinds.push(GroupKind::IntraPartialDpCp);
        }
        if self.hybrid {
            kinds.extend(hybrid_sizes(pool).map(GroupKind::Hybrid));
        }
        if self.dynamic {
            kinds.extend(dynamic_sizes(pool, self.min_runtime).map(GroupKind::Dynamic));
        }
        kinds.push(GroupKind::DP);
        if self.dense.size(GtpRemat) > 1 {
            kinds.extend([
                Dense("DATA_PARALLEL_GROUP_WITH_GTP_REMAT", &[GtpRemat, Dp]),
                Dense("DATA_PARALLEL_GROUP_WITH_CP_WITH_GTP_REMAT", &[GtpRemat, Dp, Cp]),
            ]);
        }
        kinds.push(GroupKind::CP);
        kinds.extend(
            (0..self.hierarchy.as_ref().map_or(0, Vec::len)).map(GroupKind::HierarchicalCp),
        );
        kinds.extend([
            Dense("MODEL_PARALLEL_GROUP", &[Tp, GtpRemat, Pp]),
            GroupKind::TP,
            GroupKind::PP,
            GroupKind::Embedding,
            GroupKind::PositionEmbedding,
            Dense("TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP", &[Tp, GtpRemat, Dp, Cp]),
            Dense("TENSOR_AND_DATA_PARALLEL_GROUP", &[Tp, GtpRemat, Dp]),
            GroupKind::TP_CP,
            Expert("EXPERT_GTP_WEIGHT_REMAT_GROUP", &[GtpRemat]),
            GroupKind::EP,
            Expert("EXPERT_TENSOR_PARALLEL_GROUP", &[Tp]),
            Expert("EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", &[Tp, Ep]),
            Expert("EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", TP_EP_PP),
            Expert(
                "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP_WITH_EGTP",
                &[Tp, Ep, GtpRemat, Pp],
            ),
            Expert("EXPERT_DATA_PARALLEL_GROUP", &[Dp]),
        ]);
        if self.instances > 1 {
            kinds.extend([0, 1].map(GroupKind::HierarchicalExpertDp));
        }
        kinds.push(GroupKind::OptimizerInstance);
        kinds
    }

    /// How many ranks each group of this kind has. (Embedding groups of one stage have one.)
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.group_size(GroupKind::TP_CP), 4);
    /// ```
    pub fn group_size(&self, kind: GroupKind) -> usize {
        match kind {
            GroupKind::Dense(_, mask) => self.dense.group_size(mask),
            GroupKind::Expert(_, mask) => self.expert.group_size(mask),
            GroupKind::IntraPartialDpCp => self.dense.group_size(POOL) / self.instances,
            GroupKind::Hybrid(size) | GroupKind::Dynamic(size) => size,
            GroupKind::HierarchicalCp(level) => self.hierarchy.as_ref().map_or(1, |h| h[level]),
            GroupKind::Embedding => self.dense.size(Pp).min(2),
            GroupKind::PositionEmbedding => 1,
            GroupKind::HierarchicalExpertDp(level) => self.expert_dp_levels()[level],
            GroupKind::OptimizerInstance => self.instance_size(),
        }
    }

    /// Every group of this kind, in creation order.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.groups(GroupKind::TP_CP)[0], [0, 1, 2, 3]);
    /// ```
    pub fn groups(&self, kind: GroupKind) -> Vec<Vec<u32>> {
        let cut = |base: Vec<Vec<u32>>, parts: &dyn Fn(&[u32]) -> Vec<Vec<u32>>| {
            base.iter().flat_map(|group| parts(group)).collect()
        };
        let pools = || self.dense.groups(POOL).collect();
        match kind {
            GroupKind::Dense(_, mask) => self.dense.groups(mask).collect(),
            GroupKind::Expert(_, mask) => self.expert.groups(mask).collect(),
            GroupKind::IntraPartialDpCp | GroupKind::Hybrid(_) | GroupKind::Dynamic(_) => {
                cut(pools(), &|pool| pool_slices(pool, self.group_size(kind)))
            }
            GroupKind::HierarchicalCp(level) => {
                let sizes = self.hierarchy.as_deref().unwrap_or_default();
                cut(self.groups(GroupKind::CP), &|g| create_hierarchical_groups(g, sizes, level))
            }
            GroupKind::Embedding => cut(self.groups(GroupKind::PP), &|g| vec![first_and_last(g)]),
            GroupKind::PositionEmbedding => cut(self.groups(GroupKind::PP), &|g| vec![vec![g[0]]]),
            GroupKind::HierarchicalExpertDp(level) => {
                let base = self.expert.groups(&[Dp]).collect();
                cut(base, &|g| create_hierarchical_groups(g, &self.expert_dp_levels(), level))
            }
            GroupKind::OptimizerInstance if self.under_remat() => {
                vec![(0..self.world as u32).collect()]
            }
            GroupKind::OptimizerInstance => {
                let run = self.instance_run();
                let whole: Vec<_> = self.expert.groups(TP_EP_PP).collect();
                whole.chunks(run).map(|part| part.concat()).collect()
            }
        }
    }

    /// The group of this kind that holds the rank; none where no group of the kind does (the
    /// middle stages have no embedding group) or where the rank is not in the world.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.group_of(6, GroupKind::CP), Some(vec![4, 6]));
    /// assert_eq!(topology.group_of(99, GroupKind::CP), None);
    /// ```
    pub fn group_of(&self, rank: usize, kind: GroupKind) -> Option<Vec<u32>> {
        if rank >= self.world {
            return None;
        }
        let holding =
            |groups: Vec<Vec<u32>>| groups.into_iter().find(|group| group.contains(&(rank as u32)));
        match kind {
            GroupKind::Dense(_, mask) => Some(self.dense.group_of(rank, mask)),
            GroupKind::Expert(_, mask) => Some(self.expert.group_of(rank, mask)),
            GroupKind::IntraPartialDpCp | GroupKind::Hybrid(_) | GroupKind::Dynamic(_) => {
                self.pool_slice_of(rank, self.group_size(kind))
            }
            GroupKind::HierarchicalCp(level) => {
                let sizes = self.hierarchy.as_deref()?;
                holding(create_hierarchical_groups(&self.dense.group_of(rank, &[Cp]), sizes, level))
            }
            GroupKind::Embedding => {
                holding(vec![first_and_last(&self.dense.group_of(rank, &[Pp]))])
            }
            GroupKind::PositionEmbedding => {
                holding(vec![vec![self.dense.group_of(rank, &[Pp])[0]]])
            }
            GroupKind::HierarchicalExpertDp(level) => {
                let base = self.expert.group_of(rank, &[Dp]);
                holding(create_hierarchical_groups(&base, &self.expert_dp_levels(), level))
            }
            GroupKind::OptimizerInstance if self.under_remat() => {
                Some((0..self.world as u32).collect())
            }
            GroupKind::OptimizerInstance => {
                let run = self.instance_run();
                let first = self.expert.group_index(rank, TP_EP_PP) / run * run;
                Some((first..first + run).flat_map(|i| self.expert.group(TP_EP_PP, i)).collect())
            }
        }
    }

    /// Every group that holds the rank, in creation order, without building any other.
    ///
    /// ```
    /// use packscope::{GroupKind, ParallelSizes, Topology};
    /// let sizes = ParallelSizes {
    ///     world_size: Some(8), tensor_model_parallel_size: 2, context_parallel_size: 2, ..Default::default()
    /// };
    /// let groups = Topology::new(&sizes).unwrap().groups_of(5);
    /// let cp = groups.iter().find(|(kind, _)| *kind == GroupKind::CP).unwrap();
    /// assert_eq!(cp.1, [5, 7]);
    /// ```
    pub fn groups_of(&self, rank: usize) -> Vec<(GroupKind, Vec<u32>)> {
        self.kinds()
            .into_iter()
            .filter_map(|kind| Some((kind, self.group_of(rank, kind)?)))
            .collect()
    }

    fn under_remat(&self) -> bool {
        self.dense.size(GtpRemat) > 1 || self.expert.size(GtpRemat) > 1
    }

    fn instance_size(&self) -> usize {
        if self.under_remat() {
            self.world
        } else {
            self.instance_run() * self.expert.group_size(TP_EP_PP)
        }
    }

    /// How many tp-ep-pp groups make one optimizer instance.
    fn instance_run(&self) -> usize {
        self.expert.size(Dp) / self.instances
    }

    fn expert_dp_levels(&self) -> [usize; 2] {
        [self.instance_run(), self.instances]
    }
}

const TP_EP_PP: &[Axis] = &[Tp, Ep, Pp];

fn first_and_last(pipeline: &[u32]) -> Vec<u32> {
    match pipeline {
        [first, .., last] => vec![*first, *last],
        one => one.to_vec(),
    }
}
