//! A sequence in the middle has no tokens: two neighbouring offsets are the same.

use super::case::Case;
use super::case::count as count_of;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP007",
    name: "empty-sequence",
    severity: Severity::Info,
    run: "Legal. Variable-length kernels called with max_seqlen 1 have failed on it.",
    advice: "Drop it, unless something counts on the number of sequences.",
    page: page!("psp007_empty_sequence.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(slots) = case.sound_slots() else { return };
    let real = slots.iter().rposition(|slot| slot.length > 0).map_or(0, |last| last + 1);
    let empty: Vec<usize> =
        slots[..real].iter().filter(|s| s.length == 0 && s.valid == 0).map(|s| s.index).collect();
    if empty.is_empty() {
        return;
    }
    let count = slots.len() + 1;
    let alike = case.given().iter().all(|given| given.tensor.data.len() == count);
    let fix = alike.then(|| {
        case.given().iter().fold(Fix::new("drop the empty sequences"), |fix, given| {
            let data = &given.tensor.data;
            let kept: Vec<i64> = data
                .iter()
                .enumerate()
                .filter(|(i, _)| *i == 0 || !empty.contains(&(i - 1)))
                .map(|(_, &n)| n)
                .collect();
            let droppable = empty.iter().all(|&i| data[i] == data[i + 1]);
            given.fields.iter().fold(fix, |fix, field| {
                if droppable { fix.set(field, kept.as_slice()) } else { fix }
            })
        })
    });
    let field = case.physical_field();
    let data = case.params().physical_offsets().map(|t| t.data.as_slice()).unwrap_or_default();
    findings
        .report(
            field,
            format!(
                "{} without tokens before the last real one",
                count_of(empty.len(), "sequence")
            ),
        )
        .entries(empty.iter().map(|&i| (i + 1, data[i + 1])))
        .slots(empty.iter().copied())
        .fix(fix);
}
