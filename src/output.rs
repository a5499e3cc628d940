//! A scenario as text again: JSON, and params as Python prints them.

use crate::packed_seq_params::PackedSeqParams;
use crate::scenario::{Group, Model, ParallelSizes, Scenario, Tensor};
use crate::words::list;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{Result, Write};

/// Scenario JSON with one field a line; arrays of numbers stay on theirs.
///
/// ```
/// let scenario = packscope::input::read("[0, 8]").unwrap().scenario();
/// let text = packscope::output::scenario_json(&scenario);
/// assert_eq!(packscope::input::read(&text).unwrap().scenario(), scenario);
/// ```
pub fn scenario_json(scenario: &Scenario) -> String {
    written(scenario, Style::Lines { depth: 0 }) + "\n"
}

/// JSON without spaces.
pub(crate) fn json(value: &impl Serialize) -> String {
    written(value, Style::Plain)
}

fn written(value: &impl Serialize, style: Style) -> String {
    let mut out = Vec::new();
    // Writing to a vector does not fail, and a scenario has nothing that JSON cannot hold.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut out, style));
    String::from_utf8(out).unwrap_or_default()
}

/// One type for all of them, since every serializer is built for its formatter's type.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// Without spaces.
    Plain,
    /// JSON with one field a line, a tensor on its own.
    Lines {
        /// Objects that are open.
        depth: usize,
    },
    /// As Python writes it, on one line.
    Python,
}

impl Style {
    fn between(self) -> &'static [u8] {
        if self == Style::Plain { b"," } else { b", " }
    }
}

/// Begins the line that an object's key or end stands on, in the two outer objects.
fn line<W: ?Sized + Write>(out: &mut W, depth: usize) -> Result<()> {
    out.write_all(b"\n")?;
    (0..depth).try_for_each(|_| out.write_all(b"  "))
}

impl Formatter for Style {
    fn write_null<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        out.write_all(if *self == Style::Python { b"None" } else { b"null" })
    }

    fn write_bool<W: ?Sized + Write>(&mut self, out: &mut W, value: bool) -> Result<()> {
        out.write_all(match (*self == Style::Python, value) {
            (true, true) => b"True",
            (true, false) => b"False",
            (false, true) => b"true",
            (false, false) => b"false",
        })
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        if first { Ok(()) } else { out.write_all(self.between()) }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        if let Style::Lines { depth } = self {
            *depth += 1;
        }
        out.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        match *self {
            Style::Lines { depth: depth @ ..=2 } => {
                out.write_all(if first { b"" } else { b"," })?;
                line(out, depth)
            }
            _ if first => Ok(()),
            _ => out.write_all(self.between()),
        }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        out.write_all(if *self == Style::Plain { b":" } else { b": " })
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        if let Style::Lines { depth } = self {
            *depth -= 1;
            if *depth < 2 {
                line(out, *depth)?;
            }
        }
        out.write_all(b"}")
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
    push("qkv_format", params.qkv_format.as_deref().map(quoted));
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
    push("cp_scatter_cache", params.cp_scatter_cache.as_deref().map(quoted));
    format!("PackedSeqParams(\n{})\n", fields.concat())
}

/// A string that Python and the reader take alike.
fn quoted(text: &str) -> String {
    if text.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return format!("'{text}'");
    }
    written(&text, Style::Python)
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
        _ => return list(data),
    };
    format!("[{}]", parts.join(", "))
}

fn group_repr(group: &Group) -> String {
    match group {
        Group::Ranks(ranks) => nested(ranks, &[]),
        Group::Opaque(object) => quoted(object),
    }
}

/// A Python script that builds the params and asserts their contract; it runs under plain torch on
/// a CPU, and reads back as the same scenario.
///
/// ```
/// let scenario = packscope::input::read("[0, 8]").unwrap().scenario();
/// assert!(packscope::output::python_script(&scenario).contains("cu_seqlens_q=int32([0, 8])"));
/// ```
pub fn python_script(scenario: &Scenario) -> String {
    let mut params = params_repr(&scenario.params);
    for field in
        ["cu_seqlens_q", "cu_seqlens_kv", "cu_seqlens_q_padded", "cu_seqlens_kv_padded", "seq_idx"]
    {
        // A list is not a tensor yet; which dtype it was is not said, so none is put into its mouth.
        params = params.replace(&format!("    {field}=[[")[..], &format!("    {field}=int32([["));
        params = params.replace(&format!("    {field}=[")[..], &format!("    {field}=int32(["));
        // A field begins its line; inside a string a line never begins.
        params = params
            .replace(&format!("\n    {field}=tensor("), &format!("\n    {field}=torch.tensor("));
        if let Some(at) = params.find(&format!("    {field}=int32("))
            && let Some(end) = params[at..].find(",\n")
        {
            params.insert(at + end, ')');
        }
    }
    format!(
        "\"\"\"One packed microbatch, as Packscope shows it. Runs under torch on a CPU.\"\"\"\n\
         import torch\n\n\
         try:\n    from megatron.core.packed_seq_params import PackedSeqParams\n\
         except ImportError:\n    from types import SimpleNamespace as PackedSeqParams\n\n\
         # Groups are lists of global ranks here; in a job they are process groups.\n\
         SETTINGS = {}\n\n\n\
         def int32(data):\n    return torch.tensor(data, dtype=torch.int32)\n\n\n\
         params = {params}\n{CONTRACT}",
        written(&Settings::of(scenario), Style::Python)
    )
}

/// What upstream expects of the params, as assertions.
const CONTRACT: &str = r#"
names = ["cu_seqlens_q", "cu_seqlens_kv", "cu_seqlens_q_padded", "cu_seqlens_kv_padded"]
given = {name: getattr(params, name) for name in names if getattr(params, name, None) is not None}
for name, offsets in given.items():
    assert offsets.dtype == torch.int32, f"{name} is {offsets.dtype}, not int32"
    assert offsets.dim() == 1 and len(offsets) >= 2, f"{name} has shape {tuple(offsets.shape)}"
    assert offsets[0] == 0, f"{name} starts at {offsets[0]}"
    assert (offsets.diff() >= 0).all(), f"{name} decreases"
    assert len(offsets) == len(next(iter(given.values()))), f"{name} counts other sequences"
for side in ("q", "kv"):
    valid, padded = given.get(f"cu_seqlens_{side}"), given.get(f"cu_seqlens_{side}_padded")
    if valid is not None and padded is not None:
        assert (padded.diff() >= valid.diff()).all(), f"a slot of {side} is shorter than its sequence"
physical = given.get("cu_seqlens_q_padded", given.get("cu_seqlens_q"))
total = getattr(params, "total_tokens", None)
assert physical is None or total is None or total >= physical[-1], "total_tokens lies before the last offset"
cp = getattr(params, "local_cp_size", None) or SETTINGS["topology"]["context_parallel_size"]
if cp > 1 and physical is not None and SETTINGS["partition"] == "per_document":
    assert (physical.diff() % (2 * cp) == 0).all(), f"a slot is not a multiple of 2*cp = {2 * cp}"
print("the contract holds")
"#;

/// A Scenario without its params.
#[derive(Serialize)]
struct Settings<'a> {
    topology: &'a ParallelSizes,
    partition: &'static str,
    sequence_parallel: bool,
    profile: &'static str,
    rank: i64,
    micro_batch_size: i64,
    #[serde(skip_serializing_if = "Model::is_empty")]
    model: &'a Model,
}

impl<'a> Settings<'a> {
    fn of(scenario: &'a Scenario) -> Self {
        Settings {
            topology: &scenario.topology,
            partition: scenario.partition.name(),
            sequence_parallel: scenario.sequence_parallel,
            profile: scenario.profile.name(),
            rank: scenario.rank,
            micro_batch_size: scenario.micro_batch_size,
            model: &scenario.model,
        }
    }
}

/// An issue report: what it is, what is wrong, a picture in text, and the scenario, which reads
/// back from it.
///
/// ```
/// let scenario = packscope::input::read("[0, 8]").unwrap().scenario();
/// let report = packscope::output::markdown(&packscope::analyze(&scenario), &[]);
/// assert!(report.contains("|00000000| 8 tokens"));
/// ```
pub fn markdown(
    analysis: &crate::analysis::Analysis,
    findings: &[crate::rules::Finding],
) -> String {
    let mut out = format!("### Packed sequences: {}\n\n", crate::words::caption(analysis));
    for finding in findings {
        out.push_str(&format!(
            "- **{} {}** ({}, `{}`): {}. {}\n",
            finding.code,
            finding.name,
            finding.severity.word(),
            finding.field,
            finding.message,
            finding.run
        ));
    }
    if findings.is_empty() {
        out.push_str("The rules find no fault.\n");
    }
    if let Some(picture) = text_picture(analysis) {
        out.push_str(&format!("\n```text\n{picture}```\n"));
    }
    let te = analysis.scenario.model.te_version.as_deref().unwrap_or("not said");
    out.push_str(&format!(
        "\n```json\n{}```\n\nPackscope {}, Transformer Engine {te}.\n",
        scenario_json(&analysis.scenario),
        crate::VERSION,
    ));
    out
}

/// The stream in 64 letters: the last digit of the sequence, `.` for padding, `~` for the tail.
fn text_picture(analysis: &crate::analysis::Analysis) -> Option<String> {
    const COLUMNS: i64 = 64;
    let slots = analysis.usable_slots()?;
    let total = analysis.total_tokens.max(slots.last()?.end());
    if total < 1 {
        return None;
    }
    let columns = COLUMNS.min(total);
    let picture: String = (0..columns)
        .map(|column| {
            // Neither factor is above 2^53 and 64.
            let token = column * total / columns;
            let at = slots.partition_point(|slot| slot.end() <= token);
            match slots.get(at) {
                Some(slot) if token - slot.start < slot.valid => {
                    char::from_digit(slot.index as u32 % 10, 10).unwrap_or('?')
                }
                Some(_) => '.',
                None => '~',
            }
        })
        .collect();
    let runs = analysis.seq_idx.as_ref().map_or("not derived".to_owned(), crate::words::seq_idx);
    Some(format!("|{picture}| {total} tokens; . padding, ~ tail\nseq_idx {runs}\n"))
}

/// Appends each microbatch's params and group ranks to a `.jsonl` inside a training loop.
pub const DUMP_SNIPPET: &str = include_str!("dump_snippet.py");
