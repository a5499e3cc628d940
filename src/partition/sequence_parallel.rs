//! Sequence parallelism: a CP rank's local tokens in equal windows, one per TP rank.

/// One TP rank's window of a CP rank's local tokens: `[start, start + length)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub tp_rank: i64,
    pub start: i64,
    pub length: i64,
}

/// The windows of `local_tokens`; none where `tp` does not divide them.
///
/// ```
/// let windows: Vec<_> = packscope::partition::windows(20, 2).unwrap().collect();
/// assert_eq!((windows[1].start, windows[1].length), (10, 10));
/// assert!(packscope::partition::windows(7, 2).is_none());
/// ```
pub fn windows(local_tokens: i64, tp: i64) -> Option<impl Iterator<Item = Window>> {
    if tp < 1 || local_tokens % tp != 0 {
        return None;
    }
    let length = local_tokens / tp;
    Some((0..tp).map(move |tp_rank| Window { tp_rank, start: tp_rank * length, length }))
}
