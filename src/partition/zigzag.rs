//! What is left of the offsets on one CP rank of a zigzag.

/// One rank's valid offsets. Units: local tokens, n + 1 entries each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankOffsets {
    pub both: Vec<i64>,
    pub first_half: Vec<i64>,
    pub second_half: Vec<i64>,
}

/// The rank-local padded offsets, and a rank's valid offsets over both of its chunks and over
/// each. `padded` are the global physical offsets; entries beyond the shorter array are left out.
///
/// Source: Transformer Engine `context_parallel.get_cu_seqlens_on_cp_rank`, padded offsets divided
/// by `cp`, rounded down.
///
/// ```
/// use packscope::partition::cu_seqlens_on_cp_rank;
/// let (padded, rank0) = cu_seqlens_on_cp_rank(&[0, 7], &[0, 8], 2, 0);
/// assert_eq!((padded, rank0.both), (vec![0, 4], vec![0, 3]));
/// ```
pub fn cu_seqlens_on_cp_rank(
    valid: &[i64],
    padded: &[i64],
    cp: i64,
    rank: i64,
) -> (Vec<i64>, RankOffsets) {
    let cp = cp.max(1);
    let local: Vec<i64> = padded.iter().map(|offset| offset.div_euclid(cp)).collect();
    let share = |chunk: i64| -> Vec<i64> {
        valid
            .windows(2)
            .zip(local.windows(2))
            .map(|(valid, local)| {
                let half = (local[1] - local[0]).div_euclid(2);
                (valid[1] - valid[0] - chunk * half).min(half).max(0)
            })
            .collect()
    };
    let (first, second) = (share(rank), share(2 * cp - 1 - rank));
    let both: Vec<i64> = first.iter().zip(&second).map(|(a, b)| a + b).collect();
    let offsets = RankOffsets {
        both: crate::offsets::offsets_of_lengths(&both),
        first_half: crate::offsets::offsets_of_lengths(&first),
        second_half: crate::offsets::offsets_of_lengths(&second),
    };
    (local, offsets)
}
