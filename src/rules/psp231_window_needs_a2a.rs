//! A sliding window and the p2p ring do not go together.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP231",
    name: "window-needs-a2a",
    severity: Severity::Error,
    run: "An assertion in the context-parallel attention.",
    advice: "Use all_gather or a2a.",
    page: page!("psp231_window_needs_a2a.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let ring =
        case.model().cp_comm_type.as_deref().filter(|kind| matches!(*kind, "p2p" | "a2a+p2p"));
    let window = case.model().window_size.filter(|&window| window > 0);
    if let (Some(kind), Some(window), Some(_)) = (ring, window, case.cp()) {
        findings
            .report(
                "model.cp_comm_type",
                format!("a window of {window} tokens, and cp_comm_type is {kind}"),
            )
            .fix(Fix::new("use all_gather").set("model.cp_comm_type", "all_gather"));
    }
}
