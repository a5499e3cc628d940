//! Sizes and settings as launch scripts, configuration files and schedulers say them.

use super::Statement;
use super::literal::{Kind, parse};
use crate::field::Value;

/// What a name sets, and how its value is read.
enum Setting {
    Int(&'static str),
    Flag(&'static str),
    Word(&'static str),
    Ints(&'static str),
    Nodes,
    /// Ranks on a node; `torchrun` means one node where it does not say how many.
    PerNode {
        alone: bool,
    },
}

fn setting(name: &str) -> Option<Setting> {
    use Setting::*;
    Some(match name {
        "tensor_model_parallel_size" | "tensor_parallel_size" | "tp_size" => {
            Int("topology.tensor_model_parallel_size")
        }
        "context_parallel_size" | "cp_size" => Int("topology.context_parallel_size"),
        "pipeline_model_parallel_size" | "pipeline_parallel_size" | "pp_size" => {
            Int("topology.pipeline_model_parallel_size")
        }
        "expert_model_parallel_size" | "expert_parallel_size" | "ep_size" => {
            Int("topology.expert_model_parallel_size")
        }
        "expert_tensor_parallel_size" | "etp_size" => Int("topology.expert_tensor_parallel_size"),
        "num_distributed_optimizer_instances" => {
            Int("topology.num_distributed_optimizer_instances")
        }
        "min_dynamic_context_parallel_size" => Int("topology.min_dynamic_context_parallel_size"),
        "max_seqlen_per_dp_cp_rank" => Int("topology.max_seqlen_per_dp_cp_rank"),
        "world_size" | "WORLD_SIZE" => Int("topology.world_size"),
        "hierarchical_context_parallel_sizes" => {
            Ints("topology.hierarchical_context_parallel_sizes")
        }
        "hybrid_context_parallel" => Flag("topology.hybrid_context_parallel"),
        "dynamic_context_parallel" => Flag("topology.dynamic_context_parallel"),
        "use_tp_pp_dp_mapping" => Flag("topology.order"),
        "sequence_parallel" => Flag("sequence_parallel"),
        "micro_batch_size" => Int("micro_batch_size"),
        "num_attention_heads" => Int("model.num_attention_heads"),
        "num_query_groups" => Int("model.num_query_groups"),
        "kv_channels" | "head_dim" => Int("model.head_dim"),
        "mtp_num_layers" => Int("model.mtp_num_layers"),
        "cp_comm_type" => Word("model.cp_comm_type"),
        "fp8_recipe" => Word("model.fp8"),
        "nnodes" | "num_nodes" | "nodes" => Nodes,
        "nproc_per_node" => PerNode { alone: true },
        "ntasks_per_node" | "gpus_per_node" | "num_gpus_per_node" | "n_gpus_per_node" => {
            PerNode { alone: false }
        }
        _ => return None,
    })
}

/// Everything a text states in these ways; the last of two wins, as it does for argparse.
pub(super) fn read(body: &str) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    let (mut nodes, mut per_node) = (None, None);
    for (name, value, span) in assignments(body) {
        let plain = name.trim_start_matches('-').replace('-', "_");
        let last = plain.rsplit('.').next().unwrap_or(&plain);
        let Some(setting) = setting(last) else { continue };
        let first = value.split_whitespace().next().unwrap_or_default();
        let int = first.trim_matches(['"', '\'']).parse::<i64>();
        let (field, value): (&str, Value) = match setting {
            Setting::Nodes => {
                nodes = int.ok().map(|n| (n, span));
                continue;
            }
            Setting::PerNode { alone } => {
                per_node = int.ok().map(|n| (n, alone, span)).or(per_node);
                continue;
            }
            Setting::Int(field) => match int {
                Ok(n) if n.unsigned_abs() <= 1 << 53 => (field, n.into()),
                _ => continue,
            },
            Setting::Word(field) => {
                (field, value.trim().trim_matches(['"', '\'', '[', ']']).into())
            }
            Setting::Flag(field) => {
                let on = !matches!(
                    value.trim().to_ascii_lowercase().as_str(),
                    "false" | "no" | "0" | "null" | "none"
                );
                match (field, on) {
                    ("topology.order", true) => (field, "tp-cp-ep-pp-dp".into()),
                    ("topology.order", false) => continue,
                    _ => (field, on.into()),
                }
            }
            Setting::Ints(field) => match ints(value) {
                Some(sizes) => (field, sizes.into()),
                None => continue,
            },
        };
        statements.retain(|statement| statement.field != field);
        statements.push(Statement { field: field.to_owned(), value, span });
    }
    if let Some((per_node, alone, span)) = per_node {
        let gpus = Statement {
            field: "topology.gpus_per_node".into(),
            value: per_node.into(),
            span: span.clone(),
        };
        statements.push(gpus);
        if let Some(nodes) = nodes.map(|(nodes, _)| nodes).or(alone.then_some(1))
            && let Some(world) = nodes.checked_mul(per_node)
            && statements.iter().all(|s| s.field != "topology.world_size")
        {
            statements.push(Statement {
                field: "topology.world_size".into(),
                value: world.into(),
                span,
            });
        }
    }
    statements
}

fn ints(value: &str) -> Option<Vec<i64>> {
    if value.trim_start().starts_with('[') {
        return match parse(value, 0).ok()?.0.kind {
            Kind::Ints(sizes) => Some(sizes),
            _ => None,
        };
    }
    value.split_whitespace().map(|word| word.parse().ok()).collect()
}

/// `--name value`, `--name=value`, `--flag`, `name=value`, `name: value` and `NAME=value`, with
/// where they stand.
fn assignments(body: &str) -> Vec<(&str, &str, std::ops::Range<usize>)> {
    let mut found = Vec::new();
    let mut line_start = 0;
    for line in body.split_inclusive('\n') {
        let content = line.split(" #").next().unwrap_or(line).trim_end();
        let yaml = content.trim_start().trim_start_matches("- ").split_once(':');
        if let Some((name, value)) = yaml
            && !name.contains([' ', '=', '[', '(', '"'])
            && !value.starts_with("//")
        {
            let start = line_start + content.len() - value.len();
            found.push((name.trim(), value, start..line_start + content.len()));
        } else {
            words(content, line_start, &mut found);
        }
        line_start += line.len();
    }
    found
}

fn words<'a>(
    line: &'a str,
    line_start: usize,
    found: &mut Vec<(&'a str, &'a str, std::ops::Range<usize>)>,
) {
    let spans: Vec<(usize, &str)> = line
        .split([' ', '\t'])
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .filter(|(_, word)| !word.is_empty() && *word != "\\")
        .collect();
    for (i, &(start, word)) in spans.iter().enumerate() {
        let end = line_start + start + word.len();
        if let Some((name, value)) = word.split_once('=') {
            found.push((name, value.trim_end_matches([',', ';', '\\']), end - value.len()..end));
        } else if word.starts_with("--") {
            let values = spans[i + 1..].iter().take_while(|(_, next)| !next.starts_with('-'));
            let last = values.last().map_or(start + word.len(), |(at, next)| at + next.len());
            let value_at = spans.get(i + 1).map_or(last, |(at, _)| (*at).min(last));
            found.push((
                word,
                &line[value_at.min(last)..last],
                line_start + start..line_start + last,
            ));
        }
    }
}
