//! Offsets are int32.

use super::case::Case;
use super::{Findings, Fix, Rule, Severity};
use crate::scenario::Tensor;

pub(super) const RULE: Rule = Rule {
    code: "PSP003",
    name: "offsets-dtype",
    severity: Severity::Error,
    run: "Transformer Engine's dtype check fails; kernels that do not check read every second half as an offset.",
    advice: "Cast to int32: cumsum(..., dtype=torch.int32).",
    page: page!("psp003_offsets_dtype.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    for given in case.given() {
        let Some(dtype) = given.tensor.dtype.as_deref().filter(|dtype| *dtype != "int32") else {
            continue;
        };
        let cast = Tensor { dtype: Some("int32".to_owned()), ..given.tensor.clone() };
        let fix = given
            .fields
            .iter()
            .fold(Fix::new("cast to int32"), |fix, field| fix.set(field, cast.clone()));
        findings
            .report(given.field, format!("{} is {dtype}, and kernels read int32", given.name()))
            .fix(fix);
    }
}
