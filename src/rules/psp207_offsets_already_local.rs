//! The last offset times cp is exactly `total_tokens`: the offsets were divided by cp before the
//! call.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP207",
    name: "offsets-already-local",
    severity: Severity::Error,
    run: "Transformer Engine divides again: a part of the tokens is used, the rest is ignored.",
    advice: "Multiply the offsets by cp, or stop dividing them.",
    page: page!("psp207_offsets_already_local.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (true, Some(cp), Some(offsets)) = (case.already_local(), case.cp(), case.physical()) else {
        return;
    };
    let fix = case.given().iter().fold(
        Fix::new(format!("multiply the offsets by cp = {cp}")),
        |fix, given| {
            let global: Vec<i64> =
                given.tensor.data.iter().map(|&n| n.saturating_mul(cp)).collect();
            given.fields.iter().fold(fix, |fix, field| fix.set(field, global.as_slice()))
        },
    );
    let max = [
        ("params.max_seqlen_q", case.params().max_seqlen_q),
        ("params.max_seqlen_kv", case.params().max_seqlen_kv),
    ];
    let longest = offsets.lengths().max().unwrap_or(0).saturating_mul(cp);
    let fix = max.iter().fold(fix, |fix, (field, max)| match max {
        Some(max) if *max < longest => fix.set(field, longest),
        _ => fix,
    });
    findings
        .report(
            case.physical_field(),
            format!(
                "the last offset {} × cp {cp} is total_tokens: these offsets are one rank's",
                offsets.end()
            ),
        )
        .entries([(offsets.count(), offsets.end())])
        .fix(fix);
}
