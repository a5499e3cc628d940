//! More than a quarter of the stream is padding.

use super::case::Case;
use super::{Findings, Rule, Severity};
use crate::words::decimal;

pub(super) const RULE: Rule = Rule {
    code: "PSP108",
    name: "padding-waste",
    severity: Severity::Warning,
    run: "Every layer pays for the padding and learns nothing from it.",
    advice: "Pad to a smaller multiple, or pack other sequences together.",
    page: page!("psp108_padding_waste.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let (Some(_), Some(end)) = (case.sound_slots(), case.physical()) else { return };
    let total = case.total_tokens.max(end.end());
    let padding = total - case.valid_tokens();
    if total == 0 || padding.saturating_mul(4) <= total || case.already_local() {
        return;
    }
    let share = 100.0 * padding as f64 / total as f64;
    let better = case.repad("pad to the smallest multiple").filter(|fix| {
        let fixed = fix.apply(case.scenario());
        let end = fixed.params.physical_offsets().and_then(|t| t.data.last().copied()).unwrap_or(0);
        (end - case.valid_tokens()).saturating_mul(4) <= end
    });
    findings
        .report(
            case.physical_field(),
            format!("{padding} of {total} tokens are padding: {} %", decimal(share, 0)),
        )
        .fix(better);
}
