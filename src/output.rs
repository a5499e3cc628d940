//! A scenario as text again: JSON, and params as Python prints them.

use crate::packed_seq_params::PackedSeqParams;
use crate::scenario::{Group, Scenario, Tensor};

/// Scenario JSON with one field a line; arrays of numbers stay on theirs.
pub fn scenario_json(scenario: &Scenario) -> String {
    let mut out = String::new();
    write_value(&mut out, &scenario.to_json(), 0);
    out.push('\n');
    out
}

fn write_value(out: &mut String, value: &serde_json::Value, depth: usize) {
    match value {
        serde_json::Value::Object(fields) if depth < 2 => {
            out.push_str("{\n");
            for (i, (name, value)) in fields.iter().enumerate() {
                let comma = if i + 1 < fields.len() { "," } else { "" };
                out.push_str(&"  ".repeat(depth + 1));
                out.push_str(&format!("\"{name}\": "));
                write_value(out, value, depth + 1);
                out.push_str(comma);
                out.push('\n');
            }
            out.push_str(&"  ".repeat(depth));
            out.push('}');
        }
        serde_json::Value::Array(entries) => {
            let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
            out.push_str(&format!("[{}]", entries.join(", ")));
        }
        other => out.push_str(&other.to_string()),
    }
}

/// `PackedSeqParams(…)` as Python prints it; fields that are none are left out.
///
/// ```
/// let scenario = packscope::input::read("[0, 5, 7]").unwrap().scenario();
/// let text = packscope::output::params_repr(&scenario.params);
/// assert_eq!(packscope::input::read(&text).unwrap().scenario().params, scenario.params);
/// ```
pub fn params_repr(params: &PackedSeqParams) -> String {
    let mut fields = Vec::new();
    let mut push = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            fields.push(format!("    {name}={value},\n"));
        }
    };
    let tensor = |tensor: &Option<Tensor>| tensor.as_ref().map(tensor_repr);
    let int = |value: Option<i64>| value.map(|value| value.to_string());
    push(
        "qkv_format",
        params.qkv_format.as_ref().map(|format| format!("{format:?}").replace('"', "'")),
    );
    push("cu_seqlens_q", tensor(&params.cu_seqlens_q));
    push("cu_seqlens_kv", tensor(&params.cu_seqlens_kv));
    push("cu_seqlens_q_padded", tensor(&params.cu_seqlens_q_padded));
    push("cu_seqlens_kv_padded", tensor(&params.cu_seqlens_kv_padded));
    push("max_seqlen_q", int(params.max_seqlen_q));
    push("max_seqlen_kv", int(params.max_seqlen_kv));
    push("local_cp_size", int(params.local_cp_size));
    push("cp_group", params.cp_group.as_ref().map(group_repr));
    push("tp_cp_group", params.tp_cp_group.as_ref().map(group_repr));
    push("total_tokens", int(params.total_tokens));
    push("seq_idx", tensor(&params.seq_idx));
    push("tokens_per_sample", int(params.tokens_per_sample));
    push(
        "pad_between_seqs",
        params.pad_between_seqs.map(|flag| if flag { "True" } else { "False" }.to_owned()),
    );
    push("cp_scatter_cache", params.cp_scatter_cache.as_ref().map(|cache| format!("{cache:?}")));
    format!("PackedSeqParams(\n{})\n", fields.concat())
}

/// A tensor as torch prints it; its shape by nesting.
pub(crate) fn tensor_repr(tensor: &Tensor) -> String {
    let body = nested(&tensor.data, tensor.shape.as_deref().unwrap_or(&[]));
    match &tensor.dtype {
        Some(dtype) => format!("tensor({body}, dtype=torch.{dtype})"),
        None => body,
    }
}

fn nested(data: &[i64], shape: &[i64]) -> String {
    let parts: Vec<String> = match shape {
        [_, rest @ ..] if !rest.is_empty() => {
            let size: i64 = rest.iter().product();
            data.chunks(size.max(1) as usize).map(|part| nested(part, rest)).collect()
        }
        _ => data.iter().map(i64::to_string).collect(),
    };
    format!("[{}]", parts.join(", "))
}

fn group_repr(group: &Group) -> String {
    match group {
        Group::Ranks(ranks) => nested(ranks, &[]),
        Group::Opaque(object) => object.clone(),
    }
}
