//! Files of arrays: `.npy`, `.npz`, `.safetensors`. Each becomes the text that says the same, so
//! that what follows is one way for all.
//!
//! The headers are literals that [`super::literal`] reads already, which is why no reader of these
//! formats is pulled into the WebAssembly.

use super::lengths::{Row, classify, offsets_of};
use super::literal::{Kind, Node, parse};
use super::{InputError, json};
use crate::field::PARAMS;
use std::fmt::Write;

/// One array of a file.
struct Array {
    name: String,
    dtype: &'static str,
    shape: Vec<i64>,
    data: Vec<i64>,
}

/// The text that a file holds or means: text as it is, arrays as named values.
///
/// # Errors
/// What is wrong with the file; its places are in the file, not in a text.
///
/// ```
/// assert_eq!(packscope::input::text_of_file(b"[0, 5, 7]").unwrap(), "[0, 5, 7]");
/// ```
pub fn text_of_file(bytes: &[u8]) -> Result<String, InputError> {
    let arrays = if bytes.starts_with(b"\x93NUMPY") {
        vec![npy("array", bytes)?]
    } else if bytes.starts_with(b"PK\x03\x04") {
        npz(bytes)?
    } else if looks_like_safetensors(bytes) {
        safetensors(bytes)?
    } else {
        return String::from_utf8(bytes.to_vec()).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            fault(format!("byte {at} is not text, and the file is no .npy, .npz or .safetensors"))
        });
    };
    text_of(arrays)
}

fn fault(message: impl Into<String>) -> InputError {
    InputError::new(0..0, message)
        .suggest("save cu_seqlens with numpy.save, numpy.savez or safetensors.torch.save_file")
}

/// Named values, one a line. A lone array of any name is told apart as a pasted row is; rows of
/// one number a token become offsets.
fn text_of(arrays: Vec<Array>) -> Result<String, InputError> {
    let known = |name: &str| {
        let last = name.rsplit(['.', '/']).next().unwrap_or(name);
        let name = json::canonical("params", last);
        PARAMS.iter().copied().find(|param| *param == name)
    };
    let mut text = String::new();
    let named = arrays.iter().filter(|array| known(&array.name).is_some()).count();
    for array in &arrays {
        let name = match known(&array.name) {
            Some(name) => name,
            None if named == 0 && (arrays.len() == 1 || array.name.contains("position_ids")) => {
                "cu_seqlens_q"
            }
            None => continue,
        };
        if array.shape.is_empty() {
            let _ = writeln!(text, "{name} = {}", array.data.first().unwrap_or(&0));
            continue;
        }
        if named == 0 {
            return Ok(lone(array));
        }
        let tensor = crate::scenario::Tensor {
            data: array.data.clone(),
            dtype: Some(array.dtype.to_owned()),
            shape: (array.shape.len() > 1).then(|| array.shape.clone()),
        };
        let _ = writeln!(text, "{name} = {}", crate::output::tensor_repr(&tensor));
    }
    if text.is_empty() {
        let names: Vec<&str> = arrays.iter().take(6).map(|array| array.name.as_str()).collect();
        return Err(fault(format!(
            "none of the arrays is a field of PackedSeqParams: {}",
            names.join(", ")
        )));
    }
    Ok(text)
}

fn lone(array: &Array) -> String {
    let kind = classify(&array.data, true);
    if matches!(kind, Row::Offsets | Row::Lengths) {
        let tensor = crate::scenario::Tensor {
            data: offsets_of(&array.data, kind).0,
            dtype: (kind == Row::Offsets).then(|| array.dtype.to_owned()),
            shape: (array.shape.len() > 1 && kind == Row::Offsets).then(|| array.shape.clone()),
        };
        return format!("cu_seqlens_q = {}\n", crate::output::tensor_repr(&tensor));
    }
    let (offsets, total) = offsets_of(&array.data, kind);
    let mut text = format!(
        "# read as {}\ncu_seqlens_q = {}\n",
        kind.words(),
        crate::output::tensor_repr(&offsets.into())
    );
    if let Some(total) = total {
        let _ = writeln!(text, "total_tokens = {total}");
    }
    text
}

/// The bytes `[from, from + length)`.
fn part(bytes: &[u8], from: usize, length: usize) -> Result<&[u8], InputError> {
    from.checked_add(length)
        .and_then(|end| bytes.get(from..end))
        .ok_or_else(|| fault("the file ends before what its header says"))
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn header_node(text: &[u8]) -> Result<Node, InputError> {
    let text = std::str::from_utf8(text).map_err(|_| fault("the header is not text"))?;
    parse(text, 0)
        .map(|(node, _)| node)
        .map_err(|error| fault(format!("the header cannot be read: {}", error.message)))
}

fn entry<'a>(node: &'a Node, name: &str) -> Option<&'a Kind> {
    let Kind::Dict(entries) = &node.kind else { return None };
    entries.iter().find(|(key, _)| json::key_of(key) == name).map(|(_, value)| &value.kind)
}

fn npy(name: &str, bytes: &[u8]) -> Result<Array, InputError> {
    let version = *part(bytes, 6, 1)?.first().unwrap_or(&1);
    let size = if version == 1 { 2 } else { 4 };
    let header = little_endian(part(bytes, 8, size)?) as usize;
    let node = header_node(part(bytes, 8 + size, header)?)?;
    let descr = match entry(&node, "descr") {
        Some(Kind::Str(descr)) => descr.as_str(),
        _ => return Err(fault("the header names no dtype")),
    };
    let shape = match entry(&node, "shape") {
        Some(Kind::Ints(shape)) => shape.clone(),
        // `(5,)` and `5` print alike to some writers.
        Some(Kind::Int(size)) => vec![*size],
        _ => return Err(fault("the header names no shape")),
    };
    if entry(&node, "fortran_order") == Some(&Kind::Bool(true)) && shape.len() > 1 {
        return Err(fault("the array is in Fortran order: save numpy.ascontiguousarray(it)"));
    }
    let dtype = match descr.trim_start_matches(['<', '>', '|', '=']) {
        "i1" => "int8",
        "u1" => "uint8",
        "i2" => "int16",
        "u2" => "uint16",
        "i4" => "int32",
        "u4" => "uint32",
        "i8" => "int64",
        "u8" => "uint64",
        other => return Err(fault(format!("{name} has dtype {other}; offsets are whole numbers"))),
    };
    let body = bytes.get(8 + size + header..).unwrap_or_default();
    array(name.trim_end_matches(".npy"), dtype, shape, body, descr.starts_with('>'))
}

fn array(
    name: &str,
    dtype: &'static str,
    shape: Vec<i64>,
    body: &[u8],
    big_endian: bool,
) -> Result<Array, InputError> {
    let signed = dtype.starts_with('i');
    let width = match dtype.trim_start_matches(|c: char| c.is_ascii_alphabetic()) {
        "8" => 1,
        "16" => 2,
        "32" => 4,
        _ => 8,
    };
    let count = shape.iter().try_fold(1i64, |product, &n| product.checked_mul(n.max(0)));
    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    let body = part(body, 0, count.saturating_mul(width))?;
    let mut data = Vec::with_capacity(count);
    for number in body.chunks_exact(width) {
        let raw = if big_endian {
            number.iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
        } else {
            little_endian(number)
        };
        let shift = 64 - 8 * width as u32;
        let value = if signed {
            ((raw << shift) as i64) >> shift
        } else {
            i64::try_from(raw).unwrap_or(i64::MAX)
        };
        if value.unsigned_abs() > 1 << 53 {
            return Err(fault(format!("{name} holds {value}: numbers go up to 2^53")));
        }
        data.push(value);
    }
    Ok(Array { name: name.to_owned(), dtype, shape, data })
}

/// The arrays of a zip, stored or deflated, by its central directory.
fn npz(bytes: &[u8]) -> Result<Vec<Array>, InputError> {
    let end = bytes
        .windows(4)
        .rposition(|window| window == b"PK\x05\x06")
        .ok_or_else(|| fault("the zip has no end: the file was cut off"))?;
    let count = little_endian(part(bytes, end + 10, 2)?) as usize;
    let mut at = little_endian(part(bytes, end + 16, 4)?) as usize;
    let mut arrays = Vec::new();
    for _ in 0..count {
        let head = part(bytes, at, 46)?;
        if !head.starts_with(b"PK\x01\x02") {
            return Err(fault("the zip's directory is damaged"));
        }
        let field = |from: usize, size: usize| little_endian(&head[from..from + size]) as usize;
        let (method, packed, plain) = (field(10, 2), field(20, 4), field(24, 4));
        let (name, extra, comment) = (field(28, 2), field(30, 2), field(32, 2));
        let local = field(42, 4);
        let file = String::from_utf8_lossy(part(bytes, at + 46, name)?).into_owned();
        at += 46 + name + extra + comment;
        if !file.ends_with(".npy") {
            continue;
        }
        let local_head = part(bytes, local, 30)?;
        let skip = 30
            + little_endian(&local_head[26..28]) as usize
            + little_endian(&local_head[28..30]) as usize;
        let body = part(bytes, local.saturating_add(skip), packed)?;
        arrays.push(match method {
            0 => npy(&file, body)?,
            8 => {
                let plain =
                    miniz_oxide::inflate::decompress_to_vec_with_limit(body, plain.min(1 << 30))
                        .map_err(|_| fault(format!("{file} cannot be unpacked")))?;
                npy(&file, &plain)?
            }
            _ => return Err(fault(format!("{file} is packed in a way that numpy does not use"))),
        });
    }
    Ok(arrays)
}

fn looks_like_safetensors(bytes: &[u8]) -> bool {
    let header = bytes.get(..8).map_or(0, little_endian);
    bytes.get(8) == Some(&b'{') && header > 1 && header <= bytes.len() as u64 - 8
}

fn safetensors(bytes: &[u8]) -> Result<Vec<Array>, InputError> {
    let header = little_endian(part(bytes, 0, 8)?) as usize;
    let node = header_node(part(bytes, 8, header)?)?;
    let Kind::Dict(entries) = &node.kind else { return Err(fault("the header is no object")) };
    let body = bytes.get(8 + header..).unwrap_or_default();
    let mut arrays = Vec::new();
    for (key, value) in entries {
        let name = json::key_of(key);
        let (Some(Kind::Str(dtype)), Some(Kind::Ints(shape)), Some(Kind::Ints(offsets))) =
            (entry(value, "dtype"), entry(value, "shape"), entry(value, "data_offsets"))
        else {
            continue;
        };
        let dtype = match dtype.as_str() {
            "I8" => "int8",
            "U8" | "BOOL" => "uint8",
            "I16" => "int16",
            "I32" => "int32",
            "I64" => "int64",
            _ => continue,
        };
        let [from, to] = offsets[..] else {
            return Err(fault(format!("{name} has no place in the file")));
        };
        let (from, to) =
            (usize::try_from(from).unwrap_or(usize::MAX), usize::try_from(to).unwrap_or(0));
        let own = part(body, from, to.saturating_sub(from))?;
        arrays.push(array(name, dtype, shape.clone(), own, false)?);
    }
    Ok(arrays)
}
