//! One generator of rank groups: rank = Σ coordinate × stride.
//!
//! Source: Megatron-Core `parallel_state.RankGenerator` and
//! `generate_masked_orthogonal_rank_groups`.

use super::{Axis, TopologyError};

/// One axis of a generator. Units: ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisSize {
    pub axis: Axis,
    pub size: usize,
    /// Ranks between neighbours on this axis.
    pub stride: usize,
}

/// Axes over one world, fastest first; the sizes multiply to the world size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator(Vec<AxisSize>);

impl Generator {
    /// A generator over `order`; an axis of size 1 missing from it is appended.
    ///
    /// # Errors
    /// An axis of another size missing from the order.
    pub(super) fn new(
        order: &[Axis],
        size_of: impl Fn(Axis) -> usize,
    ) -> Result<Self, TopologyError> {
        let mut axes = order.to_vec();
        for axis in [Axis::Tp, Axis::Pp, Axis::Dp, Axis::Ep, Axis::Cp, Axis::GtpRemat] {
            if axes.contains(&axis) {
                continue;
            }
            if size_of(axis) != 1 {
                let order = order.iter().map(|axis| axis.name()).collect::<Vec<_>>().join("-");
                return Err(TopologyError::AxisMissing { axis, size: size_of(axis), order });
            }
            axes.push(axis);
        }
        let mut stride = 1;
        Ok(Generator(
            axes.into_iter()
                .map(|axis| {
                    let here = AxisSize { axis, size: size_of(axis), stride };
                    stride *= here.size;
                    here
                })
                .collect(),
        ))
    }

    /// The axes, fastest first.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// let names: Vec<&str> = topology.dense().axes().iter().map(|here| here.axis.name()).collect();
    /// assert_eq!(names, ["tp", "gtp_remat", "cp", "ep", "dp", "pp"]);
    /// ```
    pub fn axes(&self) -> &[AxisSize] {
        &self.0
    }

    /// The size of an axis, ranks.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().size(Axis::Dp), 2);
    /// ```
    pub fn size(&self, axis: Axis) -> usize {
        self.0.iter().find(|here| here.axis == axis).map_or(1, |here| here.size)
    }

    /// The rank's coordinate on an axis.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().coordinate(6, Axis::Cp), 1);
    /// ```
    pub fn coordinate(&self, rank: usize, axis: Axis) -> usize {
        self.0
            .iter()
            .find(|here| here.axis == axis)
            .map_or(0, |here| rank / here.stride % here.size)
    }

    /// Ranks in a group that varies over `mask`.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().group_size(&[Axis::Dp, Axis::Cp]), 4);
    /// ```
    pub fn group_size(&self, mask: &[Axis]) -> usize {
        self.inside(mask, true).map(|here| here.size).product()
    }

    /// How many groups vary over `mask`.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().group_count(&[Axis::Cp]), 8);
    /// ```
    pub fn group_count(&self, mask: &[Axis]) -> usize {
        self.inside(mask, false).map(|here| here.size).product()
    }

    /// Members of group `index`, shape `[group_size(mask)]`.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().group(&[Axis::Cp], 2), [4, 6]);
    /// ```
    pub fn group(&self, mask: &[Axis], index: usize) -> Vec<u32> {
        let base = spread(self.inside(mask, false), index);
        (0..self.group_size(mask))
            .map(|member| (base + spread(self.inside(mask, true), member)) as u32)
            .collect()
    }

    /// Which group of `mask` holds the rank.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().group_index(6, &[Axis::Cp]), 2);
    /// ```
    pub fn group_index(&self, rank: usize, mask: &[Axis]) -> usize {
        gather(self.inside(mask, false), rank)
    }

    /// The rank's place in its group of `mask`.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().place_in_group(6, &[Axis::Cp]), 1);
    /// ```
    pub fn place_in_group(&self, rank: usize, mask: &[Axis]) -> usize {
        gather(self.inside(mask, true), rank)
    }

    /// Members of the group of `mask` that holds the rank; no other group is built.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().group_of(6, &[Axis::Pp]), [6, 14]);
    /// ```
    pub fn group_of(&self, rank: usize, mask: &[Axis]) -> Vec<u32> {
        self.group(mask, self.group_index(rank, mask))
    }

    /// What the generator's axes are worth at one rank: `(axis, coordinate)`, fastest first.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// let sum: usize = topology.dense().coordinates(11).map(|(here, at)| at * here.stride).sum();
    /// assert_eq!(sum, 11);
    /// ```
    pub fn coordinates(&self, rank: usize) -> impl Iterator<Item = (AxisSize, usize)> {
        self.axes().iter().map(move |&here| (here, rank / here.stride % here.size))
    }

    /// Every group of `mask`, in upstream's creation order.
    ///
    /// ```
    /// # use packscope::{Axis, GroupKind, ParallelSizes, Topology};
    /// # let sizes = ParallelSizes { world_size: Some(16), tensor_model_parallel_size: 2, context_parallel_size: 2, pipeline_model_parallel_size: 2, ..Default::default() };
    /// # let topology = Topology::new(&sizes).unwrap();
    /// assert_eq!(topology.dense().groups(&[Axis::Tp]).nth(1).unwrap(), [2, 3]);
    /// ```
    pub fn groups(&self, mask: &[Axis]) -> impl Iterator<Item = Vec<u32>> {
        (0..self.group_count(mask)).map(move |index| self.group(mask, index))
    }

    fn inside<'a>(
        &'a self,
        mask: &'a [Axis],
        inside: bool,
    ) -> impl Iterator<Item = &'a AxisSize> + Clone {
        self.0.iter().filter(move |here| mask.contains(&here.axis) == inside)
    }
}

/// Mixed-radix digits of `number` over the axes, put at their strides.
fn spread<'a>(axes: impl Iterator<Item = &'a AxisSize>, mut number: usize) -> usize {
    axes.map(|here| {
        let digit = number % here.size;
        number /= here.size;
        digit * here.stride
    })
    .sum()
}

/// The number whose mixed-radix digits over the axes are the rank's coordinates.
fn gather<'a>(axes: impl Iterator<Item = &'a AxisSize>, rank: usize) -> usize {
    let mut weight = 1;
    axes.map(|here| {
        let digit = rank / here.stride % here.size * weight;
        weight *= here.size;
        digit
    })
    .sum()
}
