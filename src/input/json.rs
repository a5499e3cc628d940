//! Scenario JSON, and printed dicts of a dataloader's batch.

use super::literal::{Kind, Node, parse};
use super::python_repr::{param_statements, to_value};
use super::{Case, Format, InputError, Reading, Statement};

const GROUPS: [&str; 3] = ["params", "topology", "model"];
const SETTINGS: [&str; 6] =
    ["params", "topology", "model", "partition", "profile", "micro_batch_size"];

/// Reads an object that starts at `start`. Further objects behind it (one a line) are cases too.
pub(super) fn read(body: &str, start: usize) -> Result<Reading, InputError> {
    let mut cases = Vec::new();
    let mut notes = Vec::new();
    let mut format = Format::Json;
    let mut at = start;
    while !body[at..].trim().is_empty() {
        let (node, end) = parse(body, at)?;
        let Kind::Dict(entries) = &node.kind else {
            return Err(InputError::new(node.span, "one object was read; this is something else")
                .suggest("paste one Scenario, or one a line"));
        };
        let named = |names: &[&str]| entries.iter().any(|(key, _)| names.contains(&key_of(key)));
        if named(&SETTINGS) {
            cases.push(Case { statements: scenario_statements(entries)?, ..Case::default() });
        } else if named(&["cu_seqlens", "cu_seqlens_q", "cu_seqlens_padded", "cu_seqlens_q_padded"])
        {
            format = Format::Named;
            let fields = entries.iter().map(|(key, value)| (key_of(key), value));
            cases.push(Case {
                statements: param_statements(fields, &mut notes)?,
                ..Case::default()
            });
        } else {
            return Err(InputError::new(
                node.span.start..node.span.start + 1,
                "this object is neither a Scenario nor holds cu_seqlens_q",
            )
            .suggest("a Scenario is {\"params\": {\"cu_seqlens_q\": [0, 5, 7, 11]}}"));
        }
        at = end;
    }
    notes.dedup();
    Ok(Reading { format, cases, notes, ..Reading::default() })
}

pub(super) fn key_of(node: &Node) -> &str {
    match &node.kind {
        Kind::Str(key) | Kind::Name(key) => key,
        _ => "",
    }
}

pub(super) fn scenario_statements(entries: &[(Node, Node)]) -> Result<Vec<Statement>, InputError> {
    let mut statements = Vec::new();
    for (key, value) in entries {
        let name = key_of(key);
        match &value.kind {
            Kind::Dict(inner) if GROUPS.contains(&name) => {
                // The group itself is stated too, or an empty one would go unseen.
                for (key, value) in inner {
                    let field = format!("{name}.{}", canonical(name, key_of(key)));
                    statements.push(Statement {
                        field,
                        value: to_value(value)?,
                        span: value.span.clone(),
                    });
                }
            }
            Kind::Null if GROUPS[1..].contains(&name) => {}
            // It tells an editor which schema the file follows.
            _ if name == "$schema" => {}
            _ => statements.push(Statement {
                field: name.to_owned(),
                value: to_value(value)?,
                span: value.span.clone(),
            }),
        }
    }
    Ok(statements)
}

/// The name in the file format of a short alias. Statements are put on top of a base that already
/// has the long name, and serde refuses a field given twice.
pub(super) fn canonical<'a>(group: &str, name: &'a str) -> &'a str {
    match (group, name) {
        ("topology", "world") => "world_size",
        ("topology", "tp" | "tensor_parallel_size") => "tensor_model_parallel_size",
        ("topology", "cp") => "context_parallel_size",
        ("topology", "pp" | "pipeline_parallel_size") => "pipeline_model_parallel_size",
        ("topology", "ep" | "expert_parallel_size") => "expert_model_parallel_size",
        ("topology", "etp") => "expert_tensor_parallel_size",
        ("topology", "hcp") => "hierarchical_context_parallel_sizes",
        ("params", "cu_seqlens") => "cu_seqlens_q",
        ("params", "cu_seqlens_padded") => "cu_seqlens_q_padded",
        ("params", "max_seqlen") => "max_seqlen_q",
        ("model", "heads") => "num_attention_heads",
        ("model", "kv_heads") => "num_query_groups",
        ("model", "kv_channels") => "head_dim",
        _ => name,
    }
}

/// The settings of an exported script: `SETTINGS = {"topology": {…}, …}`; none where there are
/// none.
pub(super) fn settings(body: &str) -> Result<Vec<Statement>, InputError> {
    let Some(at) = body.find("SETTINGS = {") else { return Ok(Vec::new()) };
    let (node, _) = parse(body, at + "SETTINGS = ".len())?;
    match &node.kind {
        Kind::Dict(entries) => scenario_statements(entries),
        _ => Ok(Vec::new()),
    }
}
