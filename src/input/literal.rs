//! One tolerant reader of literals: JSON and what Python prints, with the place of every value.

use super::InputError;
use std::ops::Range;

/// A value and where it stands in the text, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub span: Range<usize>,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Int(i64),
    /// A number with a point or an exponent, as it was written, and the whole number that it is.
    Float(String, Option<i64>),
    Str(String),
    /// A list of whole numbers, which is most of what is pasted; entries are found by
    /// [`entry_span`].
    Ints(Vec<i64>),
    List(Vec<Node>),
    Dict(Vec<(Node, Node)>),
    /// `name(arguments)`, keywords by name.
    Call {
        name: String,
        arguments: Vec<(Option<String>, Node)>,
    },
    /// A bare name: `torch.int32`.
    Name(String),
    /// `<object at 0x…>`.
    Object(String),
    /// `...`: something was left out.
    Ellipsis,
}

/// Larger whole numbers are refused: JavaScript cannot hold them, and no offset is that long.
const LARGEST: i64 = 1 << 53;
const DEEPEST: usize = 64;

/// Reads the value that starts at `at` (after blanks); gives it and where it ends.
pub(super) fn parse(text: &str, at: usize) -> Result<(Node, usize), InputError> {
    let mut parser = Parser { text, at, depth: 0 };
    let node = parser.value()?;
    Ok((node, parser.at))
}

/// Where entry `index` of a list of whole numbers stands, given the list's own span.
pub(super) fn entry_span(text: &str, list: &Range<usize>, index: usize) -> Range<usize> {
    let bytes = &text.as_bytes()[list.clone()];
    let mut seen = 0;
    let mut at = 0;
    while at < bytes.len() {
        let number = |b: u8| b.is_ascii_digit() || b == b'-' || b == b'+';
        if !number(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && number(bytes[at]) {
            at += 1;
        }
        if seen == index {
            return list.start + start..list.start + at;
        }
        seen += 1;
    }
    list.clone()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        loop {
            while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
                self.at += 1;
            }
            if self.peek() != Some(b'#') {
                return;
            }
            while self.peek().is_some_and(|b| b != b'\n') {
                self.at += 1;
            }
        }
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, InputError> {
        let end = self.text[self.at..].chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        Err(InputError::new(self.at..end, message))
    }

    fn value(&mut self) -> Result<Node, InputError> {
        self.blanks();
        let start = self.at;
        if self.depth > DEEPEST {
            return self.fail("this is nested deeper than any tensor");
        }
        self.depth += 1;
        let kind = match self.peek() {
            Some(b'[') => self.list(b']')?,
            Some(b'(') => self.list(b')')?,
            Some(b'{') => self.dict()?,
            Some(b'"' | b'\'') => Kind::Str(self.string()?),
            Some(b'<') => self.object()?,
            Some(b'.') if self.text[self.at..].starts_with("...") => {
                self.at += 3;
                Kind::Ellipsis
            }
            Some(b'-' | b'+' | b'0'..=b'9' | b'.') => self.number()?,
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => self.named()?,
            Some(_) => return self.fail("a value was expected here"),
            None => return self.fail("the text ends where a value was expected"),
        };
        self.depth -= 1;
        Ok(Node { span: start..self.at, kind })
    }

    fn list(&mut self, close: u8) -> Result<Kind, InputError> {
        let open = self.at;
        self.at += 1;
        if let Some(ints) = self.plain_ints(close) {
            return Ok(Kind::Ints(ints));
        }
        self.at = open + 1;
        let mut nodes = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some(close) {
                self.at += 1;
                break;
            }
            if self.peek().is_none() {
                return Err(self.unclosed(open));
            }
            nodes.push(self.value()?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b) if b == close => {}
                None => return Err(self.unclosed(open)),
                Some(_) => {
                    return self.fail(format!("a comma or {} was expected here", close as char));
                }
            }
        }
        let int = |node: &Node| match node.kind {
            Kind::Int(value) => Some(value),
            _ => None,
        };
        Ok(nodes.iter().map(int).collect::<Option<_>>().map_or(Kind::List(nodes), Kind::Ints))
    }

    /// The rest of a list of whole numbers in plain digits; none where it is anything else.
    fn plain_ints(&mut self, close: u8) -> Option<Vec<i64>> {
        let mut ints = Vec::new();
        loop {
            self.blanks();
            if self.peek()? == close {
                self.at += 1;
                return Some(ints);
            }
            let negative = self.peek()? == b'-';
            self.at += usize::from(negative);
            let start = self.at;
            let mut value = 0;
            while let Some(digit @ b'0'..=b'9') = self.peek() {
                value = value * 10 + i64::from(digit - b'0');
                self.at += 1;
                if value > LARGEST {
                    return None;
                }
            }
            if self.at == start {
                return None;
            }
            ints.push(if negative { -value } else { value });
            self.blanks();
            match self.peek()? {
                b',' => self.at += 1,
                b if b == close => {}
                _ => return None,
            }
        }
    }

    fn unclosed(&self, open: usize) -> InputError {
        InputError::new(open..open + 1, "this bracket is never closed")
            .suggest("paste the rest of it")
    }

    fn dict(&mut self) -> Result<Kind, InputError> {
        let open = self.at;
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Kind::Dict(entries));
                }
                None => return Err(self.unclosed(open)),
                _ => {}
            }
            let key = self.value()?;
            self.blanks();
            if self.peek() != Some(b':') {
                return self.fail("a colon was expected after the key");
            }
            self.at += 1;
            entries.push((key, self.value()?));
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {}
                None => return Err(self.unclosed(open)),
                Some(_) => return self.fail("a comma or } was expected here"),
            }
        }
    }

    fn string(&mut self) -> Result<String, InputError> {
        let start = self.at;
        let quote = self.text.as_bytes()[start];
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.text[self.at..].chars().next() else {
                return Err(InputError::new(start..start + 1, "this quote is never closed"));
            };
            self.at += c.len_utf8();
            match c {
                c if c as u32 == u32::from(quote) => return Ok(out),
                '\\' => {
                    let Some(escaped) = self.text[self.at..].chars().next() else {
                        return Err(InputError::new(
                            start..start + 1,
                            "this quote is never closed",
                        ));
                    };
                    self.at += escaped.len_utf8();
                    match escaped {
                        'n' => out.push('\n'),
                        't' => out.push('\t'),
                        'r' => out.push('\r'),
                        'b' => out.push('\u{8}'),
                        'f' => out.push('\u{c}'),
                        'u' => out.push(self.unicode_escape()?),
                        other => out.push(other),
                    }
                }
                c => out.push(c),
            }
        }
    }

    fn unicode_escape(&mut self) -> Result<char, InputError> {
        let unit = self.four_hex_digits()?;
        if (0xd800..0xdc00).contains(&unit) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let low = self.four_hex_digits()?;
            let pair = 0x10000 + ((unit - 0xd800) << 10) + low.wrapping_sub(0xdc00) % 0x400;
            return Ok(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_hex_digits(&mut self) -> Result<u32, InputError> {
        let digits = self.text.get(self.at..self.at + 4);
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(unit) => {
                self.at += 4;
                Ok(unit)
            }
            None => self.fail("four hexadecimal digits were expected after \\u"),
        }
    }

    /// `<torch.distributed.… object at 0x…>`.
    fn object(&mut self) -> Result<Kind, InputError> {
        let start = self.at;
        match self.text[start..].find('>') {
            Some(end) if !self.text[start..start + end].contains('\n') => {
                self.at = start + end + 1;
                Ok(Kind::Object(self.text[start..self.at].to_owned()))
            }
            _ => self.fail("this < is never closed"),
        }
    }

    fn number(&mut self) -> Result<Kind, InputError> {
        let start = self.at;
        let numeric = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_');
        self.at += 1;
        while let Some(b) = self.peek() {
            let exponent_sign = matches!(b, b'-' | b'+')
                && matches!(self.text.as_bytes()[self.at - 1], b'e' | b'E')
                && !self.text[start..].starts_with("0x");
            if !numeric(b) && !exponent_sign {
                break;
            }
            // `1, ...` prints as `1,  ...`; a dot that begins an ellipsis is not the number's.
            if self.text[self.at..].starts_with("...") {
                break;
            }
            self.at += 1;
        }
        let written = &self.text[start..self.at];
        let digits = written.replace('_', "");
        if let Ok(value) = digits.parse::<i64>()
            && value.abs() <= LARGEST
        {
            return Ok(Kind::Int(value));
        }
        let whole = digits.trim_start_matches(['-', '+']).bytes().all(|b| b.is_ascii_digit());
        if whole && digits.len() > 1 {
            return Err(InputError::new(
                start..self.at,
                format!("{written} is too large: numbers go up to 2^53"),
            )
            .suggest("offsets are int32, so at most 2147483647"));
        }
        match decimal(&digits) {
            Some(whole) => Ok(Kind::Float(digits, whole)),
            None => Err(InputError::new(start..self.at, format!("{written} is not a number"))),
        }
    }

    /// A name, a call, and methods behind it: `torch.tensor([…]).to(torch.int32).cuda()`.
    fn named(&mut self) -> Result<Kind, InputError> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')) {
            self.at += 1;
        }
        let name = self.text[start..self.at].to_owned();
        match name.as_str() {
            "None" | "null" => return Ok(Kind::Null),
            "True" | "true" => return Ok(Kind::Bool(true)),
            "False" | "false" => return Ok(Kind::Bool(false)),
            _ => {}
        }
        if self.peek() != Some(b'(') {
            return Ok(Kind::Name(name));
        }
        let mut arguments = self.arguments()?;
        while self.peek() == Some(b'.') {
            let method = self.at + 1;
            self.at = method;
            while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
                self.at += 1;
            }
            let method = self.text[method..self.at].to_owned();
            let span = self.at..self.at;
            let extra = if self.peek() == Some(b'(') { self.arguments()? } else { Vec::new() };
            // A method that computes something is code; one that moves or casts changes no entry.
            if !matches!(
                method.as_str(),
                "int"
                    | "long"
                    | "to"
                    | "type"
                    | "cuda"
                    | "cpu"
                    | "clone"
                    | "contiguous"
                    | "detach"
                    | "numpy"
                    | "astype"
            ) {
                let name = self.text[start..span.start].to_owned();
                return Ok(Kind::Call { name, arguments: Vec::new() });
            }
            let dtype = match method.as_str() {
                "int" => Some("int32".to_owned()),
                "long" => Some("int64".to_owned()),
                "to" | "type" | "astype" => extra.iter().find_map(|(_, node)| match &node.kind {
                    Kind::Name(name) if name.contains("int") => Some(name.clone()),
                    _ => None,
                }),
                _ => None,
            };
            if let Some(dtype) = dtype {
                arguments.push((Some("dtype".to_owned()), Node { span, kind: Kind::Name(dtype) }));
            }
        }
        Ok(Kind::Call { name, arguments })
    }

    fn arguments(&mut self) -> Result<Vec<(Option<String>, Node)>, InputError> {
        let open = self.at;
        self.at += 1;
        let mut arguments = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    return Ok(arguments);
                }
                None => return Err(self.unclosed(open)),
                _ => {}
            }
            let keyword = self.keyword();
            arguments.push((keyword, self.value()?));
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b')') => {}
                None => return Err(self.unclosed(open)),
                Some(_) => return self.fail("a comma or ) was expected here"),
            }
        }
    }

    /// `name=` in front of an argument.
    fn keyword(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let name: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let after = rest[name.len()..].trim_start();
        if name.is_empty() || !after.starts_with('=') || after.starts_with("==") {
            return None;
        }
        self.at += rest.len() - after.len() + 1;
        Some(name)
    }
}

/// What a decimal number is, where it is a whole one; none where this is no number.
fn decimal(written: &str) -> Option<Option<i64>> {
    let (mantissa, exponent) = written.split_once(['e', 'E']).unwrap_or((written, "0"));
    let unsigned = mantissa.trim_start_matches(['-', '+']);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = [whole, fraction].concat();
    let sign = mantissa.len() - unsigned.len();
    if sign > 1 || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let plain = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let negative = mantissa.starts_with('-');
    let places = || whole.len().checked_add_signed(exponent.parse::<isize>().ok()?);
    let value = || {
        let places = places().filter(|&places| places <= 16)?;
        let after = digits.get(places..).unwrap_or_default();
        let before = digits.get(..places).unwrap_or(&digits);
        let zeros = "0".repeat(places.saturating_sub(digits.len()));
        let value: i64 = ["0", before, &zeros].concat().parse().ok()?;
        let is_whole = after.bytes().all(|b| b == b'0') && value <= LARGEST;
        is_whole.then_some(if negative { -value } else { value })
    };
    Some(value())
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn decimals_are_whole_or_not() {
        for (written, value) in [
            ("5.", Some(5)),
            ("-12.50e1", Some(-125)),
            ("1e3", Some(1000)),
            ("2.5E+2", Some(250)),
            ("0.0", Some(0)),
            ("9007199254740992e0", Some(9007199254740992)),
            ("9007199254740993e0", None),
            ("1.5", None),
            ("5e-1", None),
            ("1e99999999999999999999", None),
        ] {
            assert_eq!(decimal(written), Some(value), "{written}");
        }
        for written in ["", ".", "1.2.3", "0x10", "1e", "1e+", "--1.0", "5f"] {
            assert_eq!(decimal(written), None, "{written}");
        }
    }
}
