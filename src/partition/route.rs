//! The route between zigzag and contiguous layouts.
//!
//! Source: mcore-dev (2026-08-21) `context_parallel_layout.routes.build_thd_cp_partition_route`.

use super::{Cut, Segment};
use crate::offsets::{CheckedOffsets, OffsetsError};
use crate::scenario::PartitionMode;
use crate::words::list;

/// One CP rank's side of the all-to-all, in both directions. Units: local tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Row order of the zigzag layout, shape `[T / cp]`; none where it is the identity.
    pub zigzag_index: Option<Vec<i64>>,
    /// Zigzag rows that go to each peer, shape `[cp]`.
    pub zigzag_split_sizes: Vec<i64>,
    /// Row order of the contiguous layout; none where it is the identity.
    pub contiguous_index: Option<Vec<i64>>,
    /// Contiguous rows that go to each peer, shape `[cp]`.
    pub contiguous_split_sizes: Vec<i64>,
}

/// Why there is no route.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    #[error("cu_seqlens must start at 0, got {0}")]
    FirstNotZero(i64),
    #[error("cu_seqlens must be nondecreasing, got {value} at entry {index}")]
    Decreasing { index: usize, value: i64 },
    #[error("cu_seqlens must hold a sequence")]
    Empty,
    #[error(
        "All packed sequence lengths must be divisible by 2 * cp_size ({chunks}) for zigzag CP layout conversion, got {}",
        list(lengths)
    )]
    NotDivisible { chunks: i64, lengths: Vec<i64> },
}

/// The route of every CP rank, shape `[cp]`. Zero-length placeholders are dropped.
///
/// # Errors
/// Offsets that do not start at 0 or decrease; lengths that 2·cp does not divide, all named.
///
/// ```
/// use packscope::partition::build_thd_cp_partition_route;
/// let routes = build_thd_cp_partition_route(&[0, 8, 24], 2).unwrap();
/// assert_eq!(routes[0].zigzag_split_sizes, [8, 4]);
/// ```
pub fn build_thd_cp_partition_route(offsets: &[i64], cp: i64) -> Result<Vec<Route>, RouteError> {
    let checked = CheckedOffsets::new(offsets).map_err(|error| match error {
        OffsetsError::TooFew => RouteError::Empty,
        OffsetsError::FirstNotZero(first) => RouteError::FirstNotZero(first),
        OffsetsError::Decreasing { index, value } => RouteError::Decreasing { index, value },
    })?;
    let cp = cp.max(1);
    let chunks = if cp == 1 { 1 } else { 2 * cp };
    let lengths: Vec<i64> = checked.lengths().filter(|length| length % chunks != 0).collect();
    if !lengths.is_empty() {
        return Err(RouteError::NotDivisible { chunks, lengths });
    }
    if checked.end() == 0 {
        return Err(RouteError::Empty);
    }
    let cut = |mode| Cut::new(checked.slots().collect(), checked.end(), mode, cp);
    let (Ok(zigzag), Ok(contiguous)) =
        (cut(PartitionMode::PerDocument), cut(PartitionMode::Contiguous))
    else {
        return Err(RouteError::NotDivisible { chunks, lengths });
    };
    Ok((0..cp)
        .map(|rank| {
            let (zigzag_index, zigzag_split_sizes) = one_side(&zigzag, &contiguous, rank);
            let (contiguous_index, contiguous_split_sizes) = one_side(&contiguous, &zigzag, rank);
            Route { zigzag_index, zigzag_split_sizes, contiguous_index, contiguous_split_sizes }
        })
        .collect())
}

/// The rank's rows under `here`, peer by peer in the order in which the peer holds them under
/// `there`, both by position in the stream.
fn one_side(here: &Cut, there: &Cut, rank: i64) -> (Option<Vec<i64>>, Vec<i64>) {
    let own = with_local_starts(here, rank);
    let mut rows = Vec::with_capacity(here.local_tokens() as usize);
    let mut sizes = Vec::with_capacity(here.cp() as usize);
    for peer in 0..here.cp() {
        let before = rows.len();
        let mut shared: Vec<(i64, i64, i64)> = Vec::new();
        for (theirs, _) in with_local_starts(there, peer) {
            for &(mine, local) in &own {
                let start = mine.start.max(theirs.start);
                let end = (mine.start + mine.length).min(theirs.start + theirs.length);
                if start < end {
                    shared.push((start, end, local + start - mine.start));
                }
            }
        }
        shared.sort_unstable();
        rows.extend(shared.iter().flat_map(|&(start, end, local)| local..local + end - start));
        sizes.push((rows.len() - before) as i64);
    }
    let identity = rows.iter().enumerate().all(|(i, &row)| row == i as i64);
    ((!identity).then_some(rows), sizes)
}

fn with_local_starts(cut: &Cut, rank: i64) -> Vec<(Segment, i64)> {
    let mut local = 0;
    cut.segments(rank)
        .map(|segment| {
            let start = local;
            local += segment.length;
            (segment, start)
        })
        .collect()
}
