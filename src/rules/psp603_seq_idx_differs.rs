//! The preset `seq_idx` changes at other places than the physical offsets say.

use super::case::Case;
use super::psp601_seq_idx_length::SEQ_IDX;
use super::{Findings, Fix, Rule, Severity};
use crate::field::Value;
use crate::packed_seq_params::{PackedSeqParams, Runs};

pub(super) const RULE: Rule = Rule {
    code: "PSP603",
    name: "seq-idx-differs",
    severity: Severity::Error,
    run: "State leaks across a boundary, or is cut inside a sequence.",
    advice: "Leave seq_idx out: it is derived.",
    page: page!("psp603_seq_idx_differs.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some((preset, derived)) = differing(case) else { return };
    if from_valid(case).is_some_and(|valid| valid == preset) {
        return;
    }
    let token = first_difference(&preset, &derived);
    findings
        .report(
            SEQ_IDX,
            format!(
                "seq_idx is {} at token {token}, the offsets say {}",
                at(&preset, token),
                at(&derived, token)
            ),
        )
        .entries([(token as usize, at(&preset, token))])
        .fix(Fix::new("derive seq_idx").set(SEQ_IDX, Value::Null));
}

/// The preset runs and the derived ones, where both exist, are as long and differ.
pub(super) fn differing(case: &Case) -> Option<(Runs, Runs)> {
    case.physical()?;
    let preset = Runs::of_tokens(&case.params().seq_idx.as_ref()?.data);
    let derived = case.seq_idx.clone()?;
    (preset != derived && preset.length() == derived.length()).then_some((preset, derived))
}

/// What the valid offsets would give, where there is padding.
pub(super) fn from_valid(case: &Case) -> Option<Runs> {
    if !case.has_padding() {
        return None;
    }
    PackedSeqParams { cu_seqlens_q_padded: None, ..case.params().clone() }.seq_idx_clamped()
}

pub(super) fn first_difference(a: &Runs, b: &Runs) -> i64 {
    let ends = |runs: &Runs| -> Vec<i64> {
        runs.as_slice()
            .iter()
            .scan(0, |end, run| {
                *end += run.1;
                Some(*end)
            })
            .collect()
    };
    let mut starts: Vec<i64> = [0].into_iter().chain(ends(a)).chain(ends(b)).collect();
    starts.sort_unstable();
    starts.into_iter().find(|&token| at(a, token) != at(b, token)).unwrap_or(0)
}

pub(super) fn at(runs: &Runs, token: i64) -> i64 {
    let mut end = 0;
    let run = runs.as_slice().iter().find(|run| {
        end += run.1;
        token < end
    });
    run.map_or(-1, |run| i64::from(run.0))
}
