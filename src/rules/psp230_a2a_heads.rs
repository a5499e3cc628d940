//! All-to-all context parallelism deals out heads: every rank takes heads / (tp·cp) of them, and
//! as many of the key heads.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP230",
    name: "a2a-heads",
    severity: Severity::Error,
    run: "An assertion in the all-to-all.",
    advice: "Use p2p, or a smaller cp.",
    page: page!("psp230_a2a_heads.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(cp) = case.cp().filter(|_| case.model().cp_comm_type.as_deref() == Some("a2a")) else {
        return;
    };
    let shares = case.tp().max(1).saturating_mul(cp);
    for (field, heads) in [
        ("model.num_attention_heads", case.model().num_attention_heads),
        ("model.num_query_groups", case.model().num_query_groups),
    ] {
        if let Some(heads) = heads.filter(|heads| heads % shares != 0) {
            findings
                .report(field, format!("{heads} heads are not a multiple of tp·cp = {shares}"))
                .fix(Fix::new("use p2p").set("model.cp_comm_type", "p2p"));
        }
    }
}
