//! The hybrid context-parallel schedule: which samples run on which ranks of a pool, together.
//!
//! Source: Megatron-Core main d98e8a64, `pipeline_parallel.hybrid_cp_schedule`.

/// Ranks that a sample needs: the smallest power of two that brings it under the limit per rank.
/// Units: tokens in, ranks out.
///
/// ```
/// assert_eq!(packscope::schedule::gpus_needed(8192, 2048), 4);
/// assert_eq!(packscope::schedule::gpus_needed(100, 2048), 1);
/// ```
pub fn gpus_needed(length: i64, max_seqlen_per_rank: i64) -> i64 {
    let mut ranks: i64 = 1;
    while ranks < 1 << 40 && max_seqlen_per_rank.max(1).saturating_mul(ranks) < length {
        ranks *= 2;
    }
    ranks
}

/// Why a schedule does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    #[error("sample {sample} of {length} tokens needs {needed} ranks; the pool has {pool}")]
    TooLong { sample: usize, length: i64, needed: i64, pool: usize },
    #[error("no rank is free to fill the empty ones: upstream asserts here")]
    NoRoomToFill,
    #[error("the pool has no ranks")]
    EmptyPool,
}

/// One set of assignments that runs without a barrier: sample ids by rank, in order of placement.
pub type RankSamples = Vec<Vec<usize>>;

#[derive(Clone, Copy, Debug)]
struct Sample {
    id: usize,
    length: i64,
}

fn work(length: i64, ranks: i64) -> f64 {
    (length as f64) * (length as f64) / ranks as f64
}

/// A rank's samples and their times, and the group it belongs to.
#[derive(Clone, Debug, Default)]
struct Rank {
    samples: Vec<usize>,
    time: f64,
    group: Option<usize>,
}

/// The whole schedule of `lengths` over a pool: group by group, sample ids by rank.
///
/// # Errors
/// A sample that no group of the pool can hold, or upstream's assertion while filling.
///
/// ```
/// let groups = packscope::schedule::hybrid_schedule(&[8192, 1024, 1024, 2048], 2048, 8).unwrap();
/// assert_eq!(groups[0], [[0], [0], [0], [0], [3], [3], [1], [2]]);
/// ```
pub fn hybrid_schedule(
    lengths: &[i64],
    max_seqlen_per_rank: i64,
    pool: usize,
) -> Result<Vec<RankSamples>, ScheduleError> {
    if pool == 0 {
        return Err(ScheduleError::EmptyPool);
    }
    let needed = |sample: &Sample| gpus_needed(sample.length, max_seqlen_per_rank);
    for (sample, &length) in lengths.iter().enumerate() {
        let needed = gpus_needed(length, max_seqlen_per_rank);
        if needed > pool as i64 {
            return Err(ScheduleError::TooLong { sample, length, needed, pool });
        }
    }
    let mut left: Vec<Sample> =
        lengths.iter().enumerate().map(|(id, &length)| Sample { id, length }).collect();
    left.sort_by_key(|sample| std::cmp::Reverse(sample.length));
    let mut groups = Vec::new();
    while !left.is_empty() {
        let (ranks, leftovers) = next_group(&left, &needed, lengths, pool)?;
        groups.push(ranks);
        left = leftovers;
    }
    Ok(groups)
}

/// Steps 1 to 5 of SEMANTICS §6 for the samples that are left.
fn next_group(
    left: &[Sample],
    needed: &dyn Fn(&Sample) -> i64,
    lengths: &[i64],
    pool: usize,
) -> Result<(RankSamples, Vec<Sample>), ScheduleError> {
    let mut buckets = make_buckets(left, needed);
    let mut ranks = vec![Rank::default(); pool];
    // Members of each group by position; sizes by group.
    let mut members: Vec<Vec<usize>> = Vec::new();
    place(&mut buckets, needed, &mut ranks, &mut members);
    let mut leftovers: Vec<Sample> = buckets.into_iter().flatten().collect();
    trim(&mut ranks, &members, lengths, &mut leftovers, needed);
    fill(&mut ranks, &mut members, lengths)?;
    Ok((ranks.into_iter().map(|rank| rank.samples).collect(), leftovers))
}

fn make_buckets(
    left: &[Sample],
    needed: &dyn Fn(&Sample) -> i64,
) -> Vec<std::collections::VecDeque<Sample>> {
    let mut sizes: Vec<i64> = left.iter().map(needed).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let cost = |sample: &Sample| work(sample.length, needed(sample));
    let target = left.iter().map(cost).sum::<f64>() / sizes.len() as f64;
    let mut buckets = Vec::new();
    let mut current = std::collections::VecDeque::new();
    let (mut filled, mut remaining) = (0.0, sizes.len() as i64);
    for (i, sample) in left.iter().enumerate() {
        let samples_left = (left.len() - i) as i64;
        let full = filled + cost(sample) > target * 1.1;
        let scarce = samples_left <= remaining - buckets.len() as i64;
        if !current.is_empty() && (full || scarce) {
            buckets.push(std::mem::take(&mut current));
            filled = 0.0;
            remaining -= 1;
        }
        current.push_back(*sample);
        filled += cost(sample);
    }
    if !current.is_empty() {
        buckets.push(current);
    }
    buckets
}

fn place(
    buckets: &mut Vec<std::collections::VecDeque<Sample>>,
    needed: &dyn Fn(&Sample) -> i64,
    ranks: &mut [Rank],
    members: &mut Vec<Vec<usize>>,
) {
    let mut first_needed: Option<i64> = None;
    let mut balance = false;
    loop {
        let free = || ranks.iter().filter(|rank| rank.group.is_none()).count() as i64;
        let choice = buckets.iter().position(|bucket| {
            bucket.front().is_some_and(|sample| {
                let size = needed(sample);
                members.iter().any(|group| group.len() as i64 == size) || free() >= size
            })
        });
        let Some(bucket) = choice else { return };
        let Some(sample) = buckets[bucket].front().copied() else { return };
        let size = needed(&sample);
        let first = *first_needed.get_or_insert(size);
        balance |= size < first;
        let load = |group: &[usize]| group.iter().map(|&r| ranks[r].time).fold(0.0, f64::max);
        let existing = (0..members.len())
            .filter(|&g| members[g].len() as i64 == size)
            .min_by(|&a, &b| load(&members[a]).total_cmp(&load(&members[b])));
        let mut idle: Vec<usize> = (0..ranks.len()).filter(|&r| ranks[r].group.is_none()).collect();
        idle.sort_by(|&a, &b| ranks[a].time.total_cmp(&ranks[b].time));
        let fresh = (idle.len() as i64 >= size).then(|| idle[..size as usize].to_vec());
        let group = match (existing, fresh) {
            (Some(group), None) => group,
            (Some(group), Some(fresh))
                if ranks[fresh[fresh.len() - 1]].time >= load(&members[group]) =>
            {
                group
            }
            (_, Some(fresh)) => {
                for &r in &fresh {
                    ranks[r].group = Some(members.len());
                }
                members.push(fresh);
                members.len() - 1
            }
            (None, None) => return,
        };
        for &r in &members[group] {
            ranks[r].samples.push(sample.id);
            ranks[r].time += work(sample.length, size);
        }
        buckets[bucket].pop_front();
        while buckets.first().is_some_and(std::collections::VecDeque::is_empty) {
            buckets.remove(0);
        }
        if balance && !buckets.is_empty() {
            let (least, most) = extremes(ranks);
            if most - least <= 0.05 * most {
                return;
            }
        }
    }
}

fn extremes(ranks: &[Rank]) -> (f64, f64) {
    ranks.iter().fold((f64::INFINITY, 0.0), |(least, most), rank| {
        (f64::min(least, rank.time), f64::max(most, rank.time))
    })
}

fn trim(
    ranks: &mut [Rank],
    members: &[Vec<usize>],
    lengths: &[i64],
    leftovers: &mut Vec<Sample>,
    needed: &dyn Fn(&Sample) -> i64,
) {
    loop {
        let (least, most) = extremes(ranks);
        if most - least <= 0.05 * most || least <= 0.0 {
            return;
        }
        let Some(busiest) = ranks.iter().position(|rank| rank.time == most) else { return };
        let (Some(group), Some(&id)) = (ranks[busiest].group, ranks[busiest].samples.last()) else {
            return;
        };
        if ranks[busiest].samples.len() < 2 {
            return;
        }
        let sample = Sample { id, length: lengths[id] };
        let cost = work(sample.length, needed(&sample));
        let mut without = ranks.to_vec();
        for &r in &members[group] {
            without[r].time -= cost;
            without[r].samples.pop();
        }
        let (less, more) = extremes(&without);
        if more - less >= most - least {
            return;
        }
        ranks.clone_from_slice(&without);
        leftovers.push(sample);
    }
}

/// Grows groups of the smallest size until no rank is empty.
fn fill(
    ranks: &mut [Rank],
    members: &mut [Vec<usize>],
    lengths: &[i64],
) -> Result<(), ScheduleError> {
    let pool = ranks.len();
    while let Some(empty) = ranks.iter().position(|rank| rank.samples.is_empty()) {
        let Some(smallest) = members.iter().map(Vec::len).min() else { return Ok(()) };
        let Some(group) = members.iter().position(|group| group.len() == smallest) else {
            return Ok(());
        };
        let grown = (2 * smallest).min(pool);
        let n = grown - smallest;
        if n == 0
            || empty + n > pool
            || ranks[empty..empty + n].iter().all(|r| !r.samples.is_empty())
        {
            return Err(ScheduleError::NoRoomToFill);
        }
        let start = members[group][0];
        let after = members[group][smallest - 1] + 1;
        for r in (after..empty).rev() {
            ranks[r + n] = ranks[r].clone();
        }
        let samples = ranks[start].samples.clone();
        let time = samples.first().map_or(0.0, |&id| work(lengths[id], grown as i64));
        for rank in &mut ranks[start..start + grown] {
            *rank = Rank {
                samples: samples.clone(),
                time: time * samples.len() as f64,
                group: Some(group),
            };
        }
        members[group] = (start..start + grown).collect();
        for (other, group_members) in members.iter_mut().enumerate() {
            if other != group && group_members[0] >= after && group_members[0] < empty {
                for r in group_members {
                    *r += n;
                }
            }
        }
    }
    Ok(())
}
