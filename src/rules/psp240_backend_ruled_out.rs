//! The attention backend that was chosen cannot run this pack: FlashAttention 2 and 4 and the
//! unfused one do not take padding between sequences, and the unfused one does not take context
//! parallelism.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP240",
    name: "backend-ruled-out",
    severity: Severity::Error,
    run: "No attention backend is available.",
    advice: "Choose fused or flash3.",
    page: page!("psp240_backend_ruled_out.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(backend) = case.model().attention_backend.as_deref() else { return };
    let flag = case.params().pad_between_seqs;
    let padding = flag == Some(true) || flag.is_none() && case.has_padding();
    let reason = match backend {
        "unfused" if case.cp().is_some() => "does not run under context parallelism",
        "flash2" | "flash4" | "unfused" if padding => "does not take padding between sequences",
        _ => return,
    };
    findings
        .report("model.attention_backend", format!("{backend} {reason}"))
        .fix(Fix::new("use fused").set("model.attention_backend", "fused"));
}
