//! What Python prints and what Python source says: `PackedSeqParams(…)`, tensors, arrays,
//! assignments.

use super::json::canonical;
use super::lengths::{classify, offsets_of};
use super::literal::{Kind, Node, parse};
use super::log::Unprefixed;
use super::{Case, Format, InputError, Reading, Statement, launch};
use crate::field::{PARAMS, Value};
use crate::scenario::Tensor;
use crate::words;
use std::ops::Range;

/// Reads every `PackedSeqParams(…)` of a text, or else its named values; none where it has
/// neither.
pub(super) fn read(unprefixed: &Unprefixed) -> Result<Option<Reading>, InputError> {
    let body = unprefixed.text.as_str();
    let mut notes = Vec::new();
    let mut cases = Vec::new();
    let mut rest = String::new();
    let mut at = 0;
    while let Some(found) = body[at..].find("PackedSeqParams(") {
        let start = at + found;
        rest.push_str(&body[at..start]);
        let (node, end) = parse(body, start)?;
        if let Kind::Call { arguments, .. } = &node.kind {
            let fields = arguments.iter().enumerate().map(|(i, (name, value))| {
                (name.as_deref().unwrap_or(PARAMS.get(i).copied().unwrap_or("")), value)
            });
            let statements = param_statements(fields, &mut notes)?;
            cases.push(Case { rank: unprefixed.rank_at(start), statements, ..Case::default() });
        }
        rest.push_str(&" ".repeat(end - start));
        at = end;
    }
    rest.push_str(&body[at..]);
    notes.sort();
    notes.dedup();
    if !cases.is_empty() {
        let mut shared = launch::read(&rest);
        shared.extend(super::json::settings(&rest)?);
        return Ok(Some(Reading {
            format: Format::Repr,
            cases,
            shared,
            notes,
            ..Reading::default()
        }));
    }
    let named = named_values(unprefixed)?;
    if named.is_empty() {
        return Ok(None);
    }
    let mut shared_text = body.to_owned();
    let mut cases: Vec<Case> = Vec::new();
    for (rank, name, node) in &named {
        let new_case = cases.last().is_none_or(|case| {
            case.rank != *rank
                || case.statements.iter().any(|s| s.field == format!("params.{name}"))
        });
        if new_case {
            cases.push(Case { rank: *rank, ..Case::default() });
        }
        let statements = param_statements([(*name, node)].into_iter(), &mut notes)?;
        if let Some(case) = cases.last_mut() {
            case.statements.extend(statements);
        }
        shared_text.replace_range(node.span.clone(), &" ".repeat(node.span.len()));
    }
    for case in &mut cases {
        mirror_single_offsets(&mut case.statements);
    }
    let shared = launch::read(&shared_text);
    Ok(Some(Reading { format: Format::Named, cases, shared, notes, ..Reading::default() }))
}

/// A param by name, and the rank that its log line names.
type Named = (Option<i64>, &'static str, Node);

/// `cu_seqlens_q = tensor([…])`, `max_seqlen_q: 800` and the like, line by line, with the rank of
/// the line.
fn named_values(unprefixed: &Unprefixed) -> Result<Vec<Named>, InputError> {
    let body = unprefixed.text.as_str();
    let mut values = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let line_end = body[at..].find('\n').map_or(body.len(), |end| at + end + 1);
        let line = &body[at..line_end];
        let Some((name, value_at)) = assignment(line) else {
            at = line_end;
            continue;
        };
        let (mut node, mut end) = parse(body, at + value_at)?;
        let row = at + value_at..at + line.trim_end().len();
        if matches!(node.kind, Kind::Int(_)) && name.starts_with("cu_seqlens") {
            node = Node { kind: Kind::Ints(bare_numbers(body, row.clone())?), span: row.clone() };
            end = row.end;
        }
        values.push((unprefixed.rank_at(at), name, node));
        at = body[end..].find('\n').map_or(body.len(), |next| end + next + 1).max(line_end);
    }
    Ok(values)
}

/// The param that a line assigns or prints, and where its value starts in the line.
fn assignment(line: &str) -> Option<(&'static str, usize)> {
    let end = line.find(['=', ':', ' '])?;
    let start = line.len() - line.trim_start().len();
    let end = if end <= start { start + line[start..].find(['=', ':', ' '])? } else { end };
    let name = line[start..end].rsplit('.').next()?.trim_matches(['"', '\'', '`']);
    let name = canonical("params", name);
    let known = PARAMS.iter().find(|known| **known == name)?;
    let after = line[end..].trim_start();
    let value = after.strip_prefix(['=', ':']).unwrap_or(after);
    (!value.trim().is_empty()).then_some((*known, line.len() - value.len()))
}

/// One row of numbers, with or without brackets or a word in front.
pub(super) fn read_row(body: &str, span: Range<usize>) -> Result<Reading, InputError> {
    let text = &body[span.clone()];
    let lowered = text.to_ascii_lowercase();
    let label = [
        "lengths",
        "seqlens",
        "seq_lens",
        "sequence lengths",
        "position_ids",
        "position ids",
        "seq_idx",
        "attention_mask",
        "cu_seqlens",
    ]
    .into_iter()
    .find(|label| {
        lowered.strip_prefix(label).is_some_and(|rest| rest.trim_start().starts_with([':', '=']))
    });
    let value_at = match label {
        Some(label) => {
            let rest = &text[label.len()..];
            span.start + label.len() + rest.find([':', '=']).map_or(0, |at| at + 1)
        }
        None => span.start,
    };
    let value = body[value_at..span.end].trim_start();
    let value_at = span.end - value.len();
    let brackets =
        value.starts_with(['[', '(']) || value.starts_with(|c: char| c.is_ascii_alphabetic());
    let (row, span) = if brackets {
        let (node, end) = parse(body, value_at)?;
        if let Some(more) = body[end..span.end].find(|c: char| !c.is_whitespace() && c != ',') {
            let more = end + more;
            return Err(InputError::new(
                more..span.end,
                "a list was read, and there is something behind it",
            )
            .suggest("name each tensor: cu_seqlens_q = [...]"));
        }
        let tensor = tensor(&node)?.ok_or_else(|| unreadable(&node))?;
        (tensor, node.span)
    } else {
        (Tensor::of(bare_numbers(body, value_at..span.end)?), value_at..span.end)
    };
    let kind = match label {
        Some("lengths" | "seqlens" | "seq_lens" | "sequence lengths") => super::Row::Lengths,
        Some("position_ids" | "position ids") => super::Row::PositionIds,
        Some("seq_idx") => super::Row::SeqIdx,
        Some("attention_mask") => super::Row::SequenceNumbers,
        Some(_) => super::Row::Offsets,
        None => classify(&row.data, brackets),
    };
    let (offsets, total) = offsets_of(&row.data, kind);
    let longest = offsets.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max();
    let given = if kind == super::Row::Offsets { row } else { Tensor::of(offsets) };
    let mut statements = vec![
        statement("params.qkv_format", "thd", 0..0),
        statement("params.cu_seqlens_q", given.clone(), span.clone()),
        statement("params.cu_seqlens_kv", given, span.clone()),
    ];
    if let Some(longest) = longest.filter(|&longest| longest >= 0) {
        statements.push(statement("params.max_seqlen_q", longest, 0..0));
        statements.push(statement("params.max_seqlen_kv", longest, 0..0));
    }
    if let Some(total) = total {
        statements.push(statement("params.total_tokens", total, span));
    }
    let case = Case { statements, ..Case::default() };
    Ok(Reading { format: Format::Row(kind), cases: vec![case], ..Reading::default() })
}

fn statement(field: &str, value: impl Into<Value>, span: Range<usize>) -> Statement {
    Statement { field: field.to_owned(), value: value.into(), span }
}

/// Numbers parted by blanks, commas or newlines.
fn bare_numbers(body: &str, span: Range<usize>) -> Result<Vec<i64>, InputError> {
    let mut row = Vec::new();
    let mut at = span.start;
    while at < span.end {
        let rest = &body[at..span.end];
        let skipped = rest.len()
            - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ';').len();
        at += skipped;
        if at == span.end {
            break;
        }
        let end = body[at..span.end]
            .find(|c: char| c.is_whitespace() || c == ',' || c == ';')
            .map_or(span.end, |end| at + end);
        let word = &body[at..end];
        let Ok(number) = word.parse::<i64>() else {
            let shown: String = word.chars().take(24).collect();
            let short = at..at + shown.len();
            return Err(InputError::new(short, format!("{} is not something Packscope reads", words::quoted(&shown)))
                .suggest("paste a printed PackedSeqParams, offsets like [0, 5, 7, 11], lengths like 5 2 4, or a Scenario as JSON"));
        };
        if number.unsigned_abs() > 1 << 53 {
            return Err(InputError::new(
                at..end,
                format!("{word} is too large: numbers go up to 2^53"),
            )
            .suggest("offsets are int32, so at most 2147483647"));
        }
        row.push(number);
        at = end;
    }
    Ok(row)
}

/// The tensor that a list, `tensor(…)` or `array(…)` holds; none for anything else.
pub(super) fn tensor(node: &Node) -> Result<Option<Tensor>, InputError> {
    match &node.kind {
        Kind::Ints(data) => Ok(Some(Tensor::of(data.as_slice()))),
        Kind::List(_) => {
            let (mut data, mut shape) = (Vec::new(), Vec::new());
            flatten(node, 0, &mut data, &mut shape)?;
            let shape = (shape.len() > 1).then_some(shape);
            shaped(node, data, None, shape).map(Some)
        }
        Kind::Call { name, arguments } => {
            let last = name.rsplit('.').next().unwrap_or(name);
            if !matches!(
                last,
                "tensor"
                    | "int32"
                    | "array"
                    | "asarray"
                    | "Tensor"
                    | "IntTensor"
                    | "LongTensor"
                    | "Parameter"
                    | "as_tensor"
            ) {
                return Ok(None);
            }
            let Some((None, inner)) = arguments.first() else { return Ok(None) };
            let Some(mut tensor) = tensor(inner)? else { return Ok(None) };
            for (name, value) in arguments {
                if let (Some("dtype"), Kind::Name(dtype) | Kind::Str(dtype)) =
                    (name.as_deref(), &value.kind)
                {
                    tensor.dtype = Some(dtype.rsplit('.').next().unwrap_or(dtype).to_owned());
                }
            }
            match last {
                "IntTensor" => tensor.dtype = Some("int32".into()),
                "LongTensor" => tensor.dtype = Some("int64".into()),
                _ => {}
            }
            Ok(Some(tensor))
        }
        _ => Ok(None),
    }
}

fn flatten(
    node: &Node,
    depth: usize,
    data: &mut Vec<i64>,
    shape: &mut Vec<i64>,
) -> Result<(), InputError> {
    let size = match &node.kind {
        Kind::Ints(values) => values.len(),
        Kind::List(nodes) => nodes.len(),
        Kind::Int(value) => {
            data.push(*value);
            return Ok(());
        }
        Kind::Ellipsis => {
            return Err(InputError::new(
                node.span.clone(),
                "the tensor was shortened when it was printed, and what is missing is not guessed",
            )
            .suggest("print it whole: print(cu_seqlens.tolist())"));
        }
        Kind::Float(..) => {
            return Err(InputError::new(node.span.clone(), "offsets are whole numbers")
                .suggest("print the int32 tensor, not a float one"));
        }
        _ => return Err(unreadable(node)),
    };
    if shape.len() == depth {
        shape.push(size as i64);
    } else if shape[depth] != size as i64
        && !matches!(&node.kind, Kind::List(nodes) if nodes.iter().any(|n| n.kind == Kind::Ellipsis))
    {
        return Err(InputError::new(
            node.span.clone(),
            format!("this row has {size} entries, the one before it {}", shape[depth]),
        )
        .suggest("rows of a tensor have one length; pad the shorter with its last offset"));
    }
    match &node.kind {
        Kind::Ints(values) => data.extend(values),
        Kind::List(nodes) => {
            for node in nodes {
                flatten(node, depth + 1, data, shape)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn unreadable(node: &Node) -> InputError {
    match &node.kind {
        Kind::Call { name, .. } => {
            let short = node.span.start..node.span.start + name.len();
            InputError::new(
                short,
                format!("{name}(...) is code that has not run, and Packscope does not run code"),
            )
            .suggest("run it and paste what it prints: print(cu_seqlens.tolist())")
        }
        Kind::Name(name) => {
            let shown: String = name.chars().take(24).collect();
            InputError::new(node.span.start..node.span.start + shown.len(), format!("{} is not something Packscope reads", words::quoted(&shown)))
                .suggest("paste a printed PackedSeqParams, offsets like [0, 5, 7, 11], lengths like 5 2 4, or a Scenario as JSON")
        }
        _ => InputError::new(node.span.clone(), "a list of whole numbers was expected here"),
    }
}

/// A node as a field may hold it.
pub(super) fn to_value(node: &Node) -> Result<Value, InputError> {
    Ok(match &node.kind {
        Kind::Null => Value::Null,
        Kind::Bool(value) => Value::Flag(*value),
        Kind::Int(value) => Value::Whole(*value),
        Kind::Float(_, Some(value)) => Value::Whole(*value),
        Kind::Float(written, None) => Value::Other(format!("the number {written}")),
        Kind::Str(value) | Kind::Object(value) | Kind::Name(value) => value.as_str().into(),
        Kind::Dict(entries) => object(node, entries)?,
        Kind::Call { name, arguments } => match arguments.first() {
            Some((None, Node { kind: Kind::Int(value), .. })) if name.ends_with("tensor") => {
                Value::Whole(*value)
            }
            _ => tensor(node)?.ok_or_else(|| unreadable(node))?.into(),
        },
        Kind::Ints(_) | Kind::List(_) => tensor(node)?.ok_or_else(|| unreadable(node))?.into(),
        Kind::Ellipsis => {
            return Err(InputError::new(
                node.span.clone(),
                "something was left out here when it was printed",
            )
            .suggest("print it whole: print(cu_seqlens.tolist())"));
        }
    })
}

/// `{"data": […], "dtype": "int64", "shape": […]}` is a tensor; no field holds another object.
fn object(node: &Node, entries: &[(Node, Node)]) -> Result<Value, InputError> {
    let (mut data, mut dtype, mut shape) = (None, None, None);
    for (key, value) in entries {
        match (super::json::key_of(key), &value.kind) {
            ("data", Kind::Ints(given)) => data = Some(given.clone()),
            ("dtype", Kind::Str(given)) => dtype = Some(given.as_str()),
            ("shape", Kind::Ints(given)) => shape = Some(given.clone()),
            ("dtype" | "shape", Kind::Null) => {}
            _ => return Ok(Value::Other("an object".to_owned())),
        }
    }
    let Some(data) = data else { return Ok(Value::Other("an object".to_owned())) };
    Ok(shaped(node, data, dtype, shape)?.into())
}

fn shaped(
    node: &Node,
    data: Vec<i64>,
    dtype: Option<&str>,
    shape: Option<Vec<i64>>,
) -> Result<Tensor, InputError> {
    Tensor::shaped(data, dtype, shape).map_err(|error| InputError::new(node.span.clone(), error))
}

/// The params among these fields; what is none of them is noted and passed over.
pub(super) fn param_statements<'a>(
    fields: impl Iterator<Item = (&'a str, &'a Node)>,
    notes: &mut Vec<String>,
) -> Result<Vec<Statement>, InputError> {
    let mut statements = Vec::new();
    for (name, node) in fields {
        let name = canonical("params", name);
        if !PARAMS.contains(&name) {
            notes.push(format!("{name} is not a field that Packscope reads; it was passed over."));
            continue;
        }
        if matches!(name, "cp_group" | "tp_cp_group") && matches!(node.kind, Kind::Object(_)) {
            notes.push(format!(
                "{name} is a process group whose ranks are not printed; print(torch.distributed.get_process_group_ranks({name})) says them."
            ));
        }
        let value = match (&node.kind, name) {
            (Kind::Null, _) => continue,
            (Kind::Object(_) | Kind::Call { .. } | Kind::Dict(_), "cp_scatter_cache") => {
                "opaque".into()
            }
            _ => to_value(node)?,
        };
        statements.push(Statement {
            field: format!("params.{name}"),
            value,
            span: node.span.clone(),
        });
    }
    Ok(statements)
}

/// Named offsets without a kv side are self-attention's: kv is q.
fn mirror_single_offsets(statements: &mut Vec<Statement>) {
    for (from, to) in [
        ("cu_seqlens_q", "cu_seqlens_kv"),
        ("cu_seqlens_q_padded", "cu_seqlens_kv_padded"),
        ("max_seqlen_q", "max_seqlen_kv"),
    ] {
        let find = |name: &str| statements.iter().find(|s| s.field == format!("params.{name}"));
        if let (Some(source), None) = (find(from), find(to)) {
            let copy = Statement { field: format!("params.{to}"), ..source.clone() };
            statements.push(copy);
        }
    }
}
