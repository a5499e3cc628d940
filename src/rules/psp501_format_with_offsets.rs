//! Padded offsets are given, and the format is not `thd`.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "PSP501",
    name: "format-with-offsets",
    severity: Severity::Warning,
    run: "The offsets are ignored as boundaries: sequences attend to each other.",
    advice: "Set qkv_format to thd.",
    page: page!("psp501_format_with_offsets.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let params = case.params();
    if let Some(format) = params.qkv_format.as_deref().filter(|format| *format != "thd")
        && (params.cu_seqlens_q_padded.is_some() || params.cu_seqlens_kv_padded.is_some())
    {
        findings
            .report(
                "params.qkv_format",
                format!("qkv_format is {format}, and padded offsets are given"),
            )
            .fix(Fix::new("set qkv_format to thd").set("params.qkv_format", "thd"));
    }
}
