//! A bare row of whole numbers: offsets, lengths, position ids, a mask of sequence numbers or a
//! flat `seq_idx`, told apart by what only one of them can be.

use crate::offsets::offsets_of_lengths;

/// What a row of numbers is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Offsets,
    Lengths,
    PositionIds,
    SequenceNumbers,
    SeqIdx,
}

impl Row {
    /// In a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Row::Offsets => "cumulative offsets",
            Row::Lengths => "sequence lengths",
            Row::PositionIds => "position ids that restart with each sequence",
            Row::SequenceNumbers => "a mask row of sequence numbers, 0 for padding",
            Row::SeqIdx => "a flat seq_idx",
        }
    }
}

/// Tells what a row is. A row in brackets is offsets wherever it can be.
pub(super) fn classify(row: &[i64], bracketed: bool) -> Row {
    let steps = || row.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
    let rises = steps().all(|step| step >= 0);
    let by_one = steps().all(|step| step <= 1);
    let Some(&first) = row.first() else { return Row::Offsets };
    if first == 0 && rises {
        return match (by_one, steps().all(|step| step == 1)) {
            (true, true) if !bracketed && row.len() > 2 => Row::PositionIds,
            (true, false) if row.len() > 2 => Row::SeqIdx,
            _ => Row::Offsets,
        };
    }
    let restarts = row.windows(2).all(|pair| pair[1] == 0 || pair[1] == pair[0] + 1);
    if first == 0 && restarts && row.len() > 2 {
        return Row::PositionIds;
    }
    let numbers = row.split(|&n| n == 0).next().unwrap_or_default();
    let tail_is_zero = row[numbers.len()..].iter().all(|&n| n == 0);
    let consecutive = numbers.windows(2).all(|p| p[1] == p[0] || p[1] == p[0] + 1);
    let repeats = numbers.windows(2).any(|pair| pair[0] == pair[1]);
    if first == 1 && tail_is_zero && consecutive && (repeats || numbers.len() < row.len()) {
        return Row::SequenceNumbers;
    }
    match (bracketed, rises || first <= 0) {
        (true, true) => Row::Offsets,
        _ => Row::Lengths,
    }
}

/// The offsets that a row means, and the stream's length where the row says it. Units: tokens.
pub(super) fn offsets_of(row: &[i64], kind: Row) -> (Vec<i64>, Option<i64>) {
    let whole = Some(row.len() as i64);
    match kind {
        Row::Offsets => (row.to_vec(), None),
        Row::Lengths => (offsets_of_lengths(row), None),
        Row::PositionIds => {
            let lengths: Vec<i64> =
                row.chunk_by(|_, next| *next != 0).map(|run| run.len() as i64).collect();
            (offsets_of_lengths(&lengths), whole)
        }
        Row::SeqIdx | Row::SequenceNumbers => {
            let runs = row.chunk_by(|a, b| a == b);
            let lengths: Vec<i64> = runs
                .filter(|run| kind == Row::SeqIdx || run[0] != 0)
                .map(|run| run.len() as i64)
                .collect();
            (offsets_of_lengths(&lengths), whole)
        }
    }
}
