//! Who holds which tokens: the cut of a packed stream over context-parallel ranks.

mod padding;
mod route;
mod sequence_parallel;
mod zigzag;

pub(crate) use padding::padded_offsets;
pub use padding::{
    Multiple, PaddedPack, merge_micro_batch, pad_to_multiple, padding_multiple, position_ids, unpad,
};
pub use route::{Route, RouteError, build_thd_cp_partition_route};
pub use sequence_parallel::{Window, windows};
pub use zigzag::{RankOffsets, cu_seqlens_on_cp_rank};

use crate::offsets::Slot;
use crate::scenario::PartitionMode;
use crate::topology::MAX_WORLD;

/// A run of the stream: `[start, start + length)`. Units: tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub start: i64,
    pub length: i64,
}

/// Why a stream cannot be cut.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    #[error("there are no usable offsets")]
    NoOffsets,
    #[error("slot {index} has {length} tokens, which 2 × cp = {chunks} does not divide")]
    SlotNotDivisible { index: usize, length: i64, chunks: i64 },
    #[error("{total} tokens are not divisible by {divisor}")]
    TotalNotDivisible { total: i64, divisor: i64 },
    #[error("there are no tokens to cut")]
    NoTokens,
    #[error("context-parallel size {0} is not one Packscope cuts for")]
    CpSize(i64),
}

/// Slots × ranks up to which a cut is worked out; beyond it no run is real, and a page would freeze.
const MAX_SHARES: i64 = 1 << 27;

/// A stream cut over `cp` ranks. It holds slots, never tokens; everything divides.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    slots: Vec<Slot>,
    mode: PartitionMode,
    cp: i64,
    total: i64,
}

/// Where one token lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    pub cp_rank: i64,
    /// Which chunk of its slot (or of the stream) it lies in, and of how many.
    pub chunk: i64,
    pub chunks: i64,
    /// Its place among the rank's local tokens.
    pub local_index: i64,
}

/// What one CP rank holds. Units: tokens, and (query, key) pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    pub tokens: i64,
    pub valid_tokens: i64,
    pub attention_pairs: u64,
}

impl Cut {
    /// Cuts a stream. `slots` lie end to end from 0; `total` is the physical length of the stream.
    /// Per-document cuts go by the slots, and take a stream of at least one token that 2·cp divides
    /// too, as Transformer Engine checks; the others go by `total`.
    ///
    /// One rank keeps everything, whatever the lengths.
    ///
    /// Source: Transformer Engine `thd_get_partitioned_indices`; Megatron-Core
    /// `_get_batch_on_this_cp_rank_per_sequence_balancing`; mcore-dev `context_parallel_layout`.
    ///
    /// # Errors
    /// What does not divide: a slot or the stream.
    ///
    /// ```
    /// use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.indices(0).collect::<Vec<_>>(), [0, 1, 6, 7, 8, 9, 14, 15]);
    /// ```
    pub fn new(
        slots: Vec<Slot>,
        total: i64,
        mode: PartitionMode,
        cp: i64,
    ) -> Result<Self, CutError> {
        let shares = (slots.len() as i64).saturating_mul(cp);
        if !(1..=MAX_WORLD).contains(&cp) || shares > MAX_SHARES {
            return Err(CutError::CpSize(cp));
        }
        let divisor = match mode {
            PartitionMode::Contiguous => cp,
            _ if cp == 1 => 1,
            _ => 2 * cp,
        };
        if mode == PartitionMode::PerDocument {
            if let Some(slot) = slots.iter().find(|slot| slot.length % divisor != 0) {
                let (index, length) = (slot.index, slot.length);
                return Err(CutError::SlotNotDivisible { index, length, chunks: divisor });
            }
            if cp > 1 && total < 1 {
                return Err(CutError::NoTokens);
            }
        }
        if total % divisor != 0 {
            return Err(CutError::TotalNotDivisible { total, divisor });
        }
        let total = match mode {
            PartitionMode::PerDocument => slots.last().map_or(0, Slot::end),
            _ => total,
        };
        Ok(Cut { slots, mode, cp, total })
    }

    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.mode(), PartitionMode::PerDocument);
    /// ```
    pub fn mode(&self) -> PartitionMode {
        self.mode
    }

    /// Context-parallel ranks.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.cp(), 2);
    /// ```
    pub fn cp(&self) -> i64 {
        self.cp
    }

    /// The slots it was made of.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.slots().len(), 2);
    /// ```
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Tokens that the cut covers: `[0, total())` of the stream.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.total(), 16);
    /// ```
    pub fn total(&self) -> i64 {
        self.total
    }

    /// Tokens that each rank holds.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.local_tokens(), 8);
    /// ```
    pub fn local_tokens(&self) -> i64 {
        self.total / self.cp
    }

    /// Chunks per slot (or per stream): 2·cp for the zigzags, cp for contiguous, 1 for one rank.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.chunks(), 4);
    /// ```
    pub fn chunks(&self) -> i64 {
        match self.mode {
            _ if self.cp == 1 => 1,
            PartitionMode::Contiguous => self.cp,
            _ => 2 * self.cp,
        }
    }

    /// The chunks that a rank keeps, in local order.
    pub(crate) fn kept(&self, rank: i64) -> impl Iterator<Item = i64> + Clone + use<> {
        let second = (self.chunks() == 2 * self.cp).then_some(2 * self.cp - 1 - rank);
        std::iter::once(rank).chain(second)
    }

    /// The pieces that are cut into chunks: every slot, or the stream as a whole.
    fn pieces(&self) -> impl Iterator<Item = (i64, i64)> {
        let by_slot = self.mode == PartitionMode::PerDocument;
        let stream = (!by_slot).then_some((0, self.total));
        let slots = self.slots.iter().filter(move |_| by_slot);
        slots.map(|slot| (slot.start, slot.length)).chain(stream)
    }

    /// The chunks that a CP rank holds, in local order, empty ones left out.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// let starts: Vec<i64> = cut.segments(1).map(|segment| segment.start).collect();
    /// assert_eq!(starts, [2, 4, 10, 12]);
    /// ```
    pub fn segments(&self, rank: i64) -> impl Iterator<Item = Segment> {
        let chunks = self.chunks();
        self.pieces()
            .flat_map(move |(start, length)| {
                let chunk = length / chunks;
                self.kept(rank).map(move |k| Segment { start: start + k * chunk, length: chunk })
            })
            .filter(|segment| segment.length > 0)
    }

    /// Every token that a CP rank holds, in local order.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.indices(1).take(4).collect::<Vec<_>>(), [2, 3, 4, 5]);
    /// ```
    pub fn indices(&self, rank: i64) -> impl Iterator<Item = i64> {
        self.segments(rank).flat_map(|segment| segment.start..segment.start + segment.length)
    }

    /// Every token that a CP rank holds, into the caller's buffer, shape `[local_tokens()]`.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// let mut buffer = Vec::new();
    /// cut.indices_into(1, &mut buffer);
    /// assert_eq!(buffer, [2, 3, 4, 5, 10, 11, 12, 13]);
    /// ```
    pub fn indices_into(&self, rank: i64, buffer: &mut Vec<i32>) {
        buffer.clear();
        buffer.reserve(self.local_tokens() as usize);
        for segment in self.segments(rank) {
            buffer.extend(segment.start as i32..(segment.start + segment.length) as i32);
        }
    }

    /// The slot that holds a token; none in the tail.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.slot_at(9).unwrap().index, 1);
    /// assert!(cut.slot_at(16).is_none());
    /// ```
    pub fn slot_at(&self, token: i64) -> Option<&Slot> {
        crate::offsets::slot_at(&self.slots, token)
    }

    /// Where a token of the stream lands; none outside `[0, total())`.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// let place = cut.locate(14).unwrap();
    /// assert_eq!((place.chunk, place.cp_rank, place.local_index), (3, 0, 6));
    /// ```
    pub fn locate(&self, token: i64) -> Option<Placement> {
        if !(0..self.total).contains(&token) {
            return None;
        }
        let (start, length) = match self.mode {
            PartitionMode::PerDocument => {
                let slot = self.slot_at(token)?;
                (slot.start, slot.length)
            }
            _ => (0, self.total),
        };
        let (chunks, within) = (self.chunks(), token - start);
        let size = length / chunks;
        let chunk = within / size;
        let mirrored = chunks == 2 * self.cp && chunk >= self.cp;
        let cp_rank = if mirrored { chunks - 1 - chunk } else { chunk };
        let before = start / self.cp + if mirrored { size } else { 0 };
        Some(Placement { cp_rank, chunk, chunks, local_index: before + within % size })
    }

    /// The token of the stream at a rank's local index; none past its end.
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// assert_eq!(cut.token_at(0, 6), Some(14));
    /// ```
    pub fn token_at(&self, rank: i64, local_index: i64) -> Option<i64> {
        if !(0..self.local_tokens()).contains(&local_index) {
            return None;
        }
        let (start, length) = match self.mode {
            PartitionMode::PerDocument => {
                let slot = self.slot_at(local_index * self.cp)?;
                (slot.start, slot.length)
            }
            _ => (0, self.total),
        };
        let size = length / self.chunks();
        let within = local_index - start / self.cp;
        let chunk = self.kept(rank).nth((within / size) as usize)?;
        Some(start + chunk * size + within % size)
    }

    /// Tokens, real tokens and causal attention pairs of every CP rank.
    ///
    /// A valid query of a sequence sees the valid keys up to itself of that sequence only; padding
    /// sees and is seen by none (Transformer Engine `context_parallel`, padding_causal).
    ///
    /// ```
    /// # use packscope::{CheckedOffsets, PartitionMode, partition::Cut};
    /// # let slots = CheckedOffsets::new(&[0, 8, 16]).unwrap().slots().collect();
    /// # let cut = Cut::new(slots, 16, PartitionMode::PerDocument, 2).unwrap();
    /// let loads = cut.loads();
    /// assert_eq!(loads[0].tokens, 8);
    /// assert_eq!(loads[0].attention_pairs, loads[1].attention_pairs);
    /// ```
    pub fn loads(&self) -> Vec<Load> {
        let chunks = self.chunks();
        let mut of_chunk = vec![Load::default(); chunks as usize];
        if self.mode == PartitionMode::PerDocument {
            self.add_slots(&mut of_chunk);
        } else {
            let size = self.total / chunks;
            for (chunk, load) in (0..).zip(&mut of_chunk) {
                self.add_run(chunk * size, (chunk + 1) * size, load);
            }
        }
        let of_rank = |rank| {
            let mut load = Load { tokens: self.local_tokens(), ..Load::default() };
            for chunk in self.kept(rank) {
                load.put(of_chunk[chunk as usize]);
            }
            load
        };
        (0..self.cp).map(of_rank).collect()
    }

    /// Adds to each chunk what it holds of every slot, in time that grows with slots + chunks.
    fn add_slots(&self, of_chunk: &mut [Load]) {
        let chunks = of_chunk.len();
        // The chunks in front of a slot's padding are full: chunk k of n tokens has k·n² + n(n+1)/2
        // pairs. Of the slots with so many full chunks: the sums of n, n² and n(n+1)/2.
        let mut full = vec![[0u64; 3]; chunks + 1];
        for slot in self.slots.iter().filter(|slot| slot.length > 0) {
            let size = slot.length / chunks as i64;
            let valid = slot.valid.clamp(0, slot.length);
            let count = (valid / size) as usize;
            if let Some(load) = of_chunk.get_mut(count) {
                load.add(count as i64 * size, valid, valid);
            }
            let mut triangle = Load::default();
            triangle.add(0, size, size);
            let n = size as u64;
            add_each(&mut full[count], [n, n.saturating_mul(n), triangle.attention_pairs]);
        }
        let mut sums = [0; 3];
        for (chunk, load) in of_chunk.iter_mut().enumerate().rev() {
            add_each(&mut sums, full[chunk + 1]);
            let [tokens, squares, triangles] = sums;
            load.put(Load {
                valid_tokens: tokens as i64,
                attention_pairs: squares.saturating_mul(chunk as u64).saturating_add(triangles),
                ..Load::default()
            });
        }
    }

    /// Adds what the run `[from, to)` of the stream holds: its part of every slot it touches.
    fn add_run(&self, from: i64, to: i64, load: &mut Load) {
        let first = self.slots.partition_point(|slot| slot.end() <= from);
        for slot in self.slots[first..].iter().take_while(|slot| slot.start < to) {
            let seen = |token: i64| (token - slot.start).clamp(0, slot.length);
            load.add(seen(from), seen(to), slot.valid);
        }
    }
}

fn add_each(sums: &mut [u64; 3], terms: [u64; 3]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum = sum.saturating_add(term);
    }
}

impl Load {
    /// Adds what another one holds.
    fn put(&mut self, more: Load) {
        self.valid_tokens += more.valid_tokens;
        self.attention_pairs = self.attention_pairs.saturating_add(more.attention_pairs);
    }

    /// Adds the positions `[from, to)` of a sequence with `valid` real tokens.
    fn add(&mut self, from: i64, to: i64, valid: i64) {
        let (a, b) = (from.min(valid.max(0)), to.min(valid.max(0)));
        self.valid_tokens += b - a;
        // Query q sees q + 1 keys: the sum of a + 1 to b.
        // One of the two factors is even.
        let (n, sum) = ((b - a) as u64, (a + b + 1) as u64);
        let (n, sum) = if n.is_multiple_of(2) { (n / 2, sum) } else { (n, sum / 2) };
        // Below 2^32 each, as they are but for absurd lengths, their product needs no check.
        let pairs = if (n | sum) >> 32 == 0 { n * sum } else { n.saturating_mul(sum) };
        self.attention_pairs = self.attention_pairs.saturating_add(pairs);
    }
}
