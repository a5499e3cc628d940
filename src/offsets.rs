//! Cumulative offsets as given, and checked views of them. Units: tokens.

/// Why offsets have no checked view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OffsetsError {
    #[error("fewer than two offsets: there is no sequence")]
    TooFew,
    #[error("the first offset is {0}, not 0")]
    FirstNotZero(i64),
    #[error("offset {index} is {value}, below the one before it")]
    Decreasing { index: usize, value: i64 },
}

/// Cumulative offsets that start at 0, never decrease and hold at least one sequence.
#[derive(Clone, Copy, Debug)]
pub struct CheckedOffsets<'a>(&'a [i64]);

/// One sequence's place in the stream. Units: tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Which sequence.
    pub index: usize,
    /// Where the slot starts in the stream.
    pub start: i64,
    /// Its physical length, padding included.
    pub length: i64,
    /// Its real tokens, at the front of the slot.
    pub valid: i64,
}

impl Slot {
    /// One past the last token of the slot.
    ///
    /// ```
    /// # use packscope::CheckedOffsets;
    /// # let offsets = CheckedOffsets::new(&[0, 5, 7, 7]).unwrap();
    /// assert_eq!(offsets.slots().nth(1).unwrap().end(), 7);
    /// ```
    pub fn end(&self) -> i64 {
        self.start + self.length
    }

    /// Padding tokens at the end of the slot.
    ///
    /// ```
    /// use packscope::Slot;
    /// let slot = Slot { index: 0, start: 0, length: 8, valid: 6 };
    /// assert_eq!(slot.padding(), 2);
    /// ```
    pub fn padding(&self) -> i64 {
        (self.length - self.valid).max(0)
    }
}

impl<'a> CheckedOffsets<'a> {
    /// Checks the offsets.
    ///
    /// # Errors
    /// The first thing wrong with them.
    ///
    /// ```
    /// use packscope::CheckedOffsets;
    /// assert!(CheckedOffsets::new(&[0, 5, 7]).is_ok());
    /// assert!(CheckedOffsets::new(&[0, 7, 5]).is_err());
    /// ```
    pub fn new(offsets: &'a [i64]) -> Result<Self, OffsetsError> {
        if offsets.len() < 2 {
            return Err(OffsetsError::TooFew);
        }
        if offsets[0] != 0 {
            return Err(OffsetsError::FirstNotZero(offsets[0]));
        }
        match offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(i) => Err(OffsetsError::Decreasing { index: i + 1, value: offsets[i + 1] }),
            None => Ok(CheckedOffsets(offsets)),
        }
    }

    /// The offsets themselves.
    ///
    /// ```
    /// # use packscope::CheckedOffsets;
    /// # let offsets = CheckedOffsets::new(&[0, 5, 7, 7]).unwrap();
    /// assert_eq!(offsets.as_slice(), [0, 5, 7, 7]);
    /// ```
    pub fn as_slice(self) -> &'a [i64] {
        self.0
    }

    /// How many sequences, placeholders included.
    ///
    /// ```
    /// # use packscope::CheckedOffsets;
    /// # let offsets = CheckedOffsets::new(&[0, 5, 7, 7]).unwrap();
    /// assert_eq!(offsets.count(), 3);
    /// ```
    pub fn count(self) -> usize {
        self.0.len() - 1
    }

    /// One past the last token that a sequence holds.
    ///
    /// ```
    /// # use packscope::CheckedOffsets;
    /// # let offsets = CheckedOffsets::new(&[0, 5, 7, 7]).unwrap();
    /// assert_eq!(offsets.end(), 7);
    /// ```
    pub fn end(self) -> i64 {
        self.0[self.0.len() - 1]
    }

    /// The sequences' lengths, placeholders included.
    ///
    /// ```
    /// # use packscope::CheckedOffsets;
    /// # let offsets = CheckedOffsets::new(&[0, 5, 7, 7]).unwrap();
    /// assert_eq!(offsets.lengths().collect::<Vec<_>>(), [5, 2, 0]);
    /// ```
    pub fn lengths(self) -> impl Iterator<Item = i64> + 'a {
        self.0.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// Every sequence's slot, all of it real tokens.
    ///
    /// ```
    /// # use packscope::CheckedOffsets;
    /// # let offsets = CheckedOffsets::new(&[0, 5, 7, 7]).unwrap();
    /// assert_eq!(offsets.slots().last().unwrap().start, 7);
    /// ```
    pub fn slots(self) -> impl Iterator<Item = Slot> + 'a {
        self.0.windows(2).enumerate().map(|(index, pair)| {
            let length = pair[1] - pair[0];
            Slot { index, start: pair[0], length, valid: length }
        })
    }

    /// How many of the last sequences are placeholders: repeats of the last offset.
    ///
    /// ```
    /// # use packscope::CheckedOffsets;
    /// # let offsets = CheckedOffsets::new(&[0, 5, 7, 7]).unwrap();
    /// assert_eq!(offsets.placeholder_tail(), 1);
    /// ```
    pub fn placeholder_tail(self) -> usize {
        self.0.windows(2).rev().take_while(|pair| pair[0] == pair[1]).count()
    }
}

/// The slot that holds a token, of slots in the order of the stream; none in the tail.
///
/// ```
/// # use packscope::{CheckedOffsets, offsets::slot_at};
/// let slots: Vec<_> = CheckedOffsets::new(&[0, 5, 5, 7]).unwrap().slots().collect();
/// assert_eq!(slot_at(&slots, 5).unwrap().index, 2);
/// assert!(slot_at(&slots, 7).is_none());
/// ```
pub fn slot_at(slots: &[Slot], token: i64) -> Option<&Slot> {
    let after = slots.partition_point(|slot| slot.start <= token);
    slots[..after].iter().rev().find(|slot| slot.length > 0).filter(|slot| token < slot.end())
}

/// Offsets that give these lengths: `[5, 2, 4]` → `[0, 5, 7, 11]`. Sums stop at `i64::MAX`.
///
/// ```
/// assert_eq!(packscope::offsets::offsets_of_lengths(&[5, 2, 4]), [0, 5, 7, 11]);
/// ```
pub fn offsets_of_lengths(lengths: &[i64]) -> Vec<i64> {
    std::iter::once(0)
        .chain(lengths.iter().scan(0i64, |sum, &length| {
            *sum = sum.saturating_add(length);
            Some(*sum)
        }))
        .collect()
}
