//! `seq_idx` is int32 of shape `[1, T]`.

use super::case::Case;
use super::psp601_seq_idx_length::SEQ_IDX;
use super::{Findings, Fix, Rule, Severity};
use crate::scenario::Tensor;
use crate::words;

pub(super) const RULE: Rule = Rule {
    code: "PSP602",
    name: "seq-idx-dtype",
    severity: Severity::Error,
    run: "causal_conv1d rejects it.",
    advice: "Cast to int32 and keep the first axis.",
    page: page!("psp602_seq_idx_dtype.md"),
    check,
};

fn check(case: &Case, findings: &mut Findings) {
    let Some(preset) = &case.params().seq_idx else { return };
    let dtype = preset.dtype.as_deref().filter(|dtype| *dtype != "int32");
    let shape = preset.shape.as_ref().filter(|shape| shape.len() != 2 || shape[0] != 1);
    let what = match (dtype, shape) {
        (Some(dtype), _) => format!("seq_idx is {dtype}, and kernels read int32"),
        (None, Some(shape)) => {
            format!("seq_idx has shape {}, not [1, {}]", words::list(shape), preset.data.len())
        }
        (None, None) => return,
    };
    let shape = Some(vec![1, preset.data.len() as i64]);
    let cast = Tensor { data: preset.data.clone(), dtype: Some("int32".to_owned()), shape };
    findings.report(SEQ_IDX, what).fix(Fix::new("cast to int32 [1, T]").set(SEQ_IDX, cast));
}
