//! Reading what people have: printed params, JSON, source lines, launch arguments, rows of numbers.
//! Everything becomes a [`Reading`]: what the text states, and where.

mod binary;
mod json;
mod launch;
mod lengths;
mod literal;
mod log;
mod python_repr;
pub mod url;

pub use binary::text_of_file;
pub use lengths::Row;

use crate::field::{Misfit, Value};
use crate::scenario::Scenario;
use std::ops::Range;

/// The largest text that is read, bytes.
pub const MAX_TEXT: usize = 64 << 20;

/// What is wrong with a text, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InputError {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// One sentence.
    pub message: String,
    pub suggestion: Option<String>,
}

impl InputError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        InputError { span, message: message.into(), suggestion: None }
    }

    pub(crate) fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }
}

/// One value that the text states: `params.cu_seqlens_q`, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Group and name of the field, as in the file format: `topology.world_size`.
    pub field: String,
    pub value: Value,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// What a text was read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Scenario JSON, the file format.
    #[default]
    Json,
    /// `PackedSeqParams(…)` as Python prints it.
    Repr,
    /// Named values: `cu_seqlens_q = tensor([…])`, or a printed dict of them.
    Named,
    /// One row of numbers.
    Row(Row),
    /// Launch arguments or configuration, without a pack.
    Launch,
}

impl Format {
    /// In a sentence: "Read as …".
    pub fn words(self) -> &'static str {
        match self {
            Format::Json => "a Scenario",
            Format::Repr => "a printed PackedSeqParams",
            Format::Named => "named tensors",
            Format::Row(row) => row.words(),
            Format::Launch => "launch arguments",
        }
    }
}

/// What a text states. At least one case; each is one microbatch on one rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    pub format: Format,
    pub cases: Vec<Case>,
    /// Sizes and settings stated beside the cases; they hold for each.
    pub shared: Vec<Statement>,
    /// The settings that a copied address keeps; it states every one.
    settings: Option<Box<Scenario>>,
    /// What was passed over, and why; one sentence each.
    pub notes: Vec<String>,
}

/// One microbatch of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// The rank that its log line names.
    pub rank: Option<i64>,
    pub statements: Vec<Statement>,
    scenario: Option<Box<Scenario>>,
}

impl Reading {
    /// The first case on top of upstream's defaults.
    pub fn scenario(&self) -> Scenario {
        self.scenario_of(0)
    }

    /// Case `index` on top of upstream's defaults; the last where there are fewer.
    ///
    /// ```
    /// let text = "[rank0]: PackedSeqParams(cu_seqlens_q=[0, 8])\n[rank1]: PackedSeqParams(cu_seqlens_q=[0, 4])";
    /// let reading = packscope::input::read(text).unwrap();
    /// assert_eq!(reading.scenario_of(1).params.cu_seqlens_q.unwrap().data, [0, 4]);
    /// ```
    pub fn scenario_of(&self, index: usize) -> Scenario {
        let case = &self.cases[index.min(self.cases.len() - 1)];
        case.scenario.as_deref().cloned().unwrap_or_default()
    }

    /// Case `index` on top of the settings of `base`: what the text does not state stays.
    ///
    /// ```
    /// use packscope::{Scenario, input};
    /// let mut base = Scenario::default();
    /// base.topology.context_parallel_size = 4;
    /// let reading = input::read("[0, 8]").unwrap();
    /// assert_eq!(reading.onto(0, &base).topology.context_parallel_size, 4);
    /// ```
    pub fn onto(&self, index: usize, base: &Scenario) -> Scenario {
        let case = &self.cases[index.min(self.cases.len() - 1)];
        if self.settings.is_some() {
            return self.scenario_of(index);
        }
        // `read` has built the same statements once, so they fit.
        build(&self.shared, case, base.without_params()).unwrap_or_else(|_| self.scenario_of(index))
    }

    /// The other cases that name another rank than case `index`: one job's ranks in one text. At
    /// most 1,024.
    ///
    /// ```
    /// let text = "[rank0]: PackedSeqParams(cu_seqlens_q=[0, 8])\n[rank1]: PackedSeqParams(cu_seqlens_q=[0, 4])";
    /// assert_eq!(packscope::input::read(text).unwrap().peers(0)[0].rank, 1);
    /// ```
    pub fn peers(&self, index: usize) -> Vec<Scenario> {
        let named = |case: &Case| {
            case.rank.is_some() || case.statements.iter().any(|statement| statement.field == "rank")
        };
        let rank = self.scenario_of(index).rank;
        if self.cases.len() < 2 || !self.cases.get(index).is_some_and(named) {
            return Vec::new();
        }
        self.cases
            .iter()
            .filter(|case| named(case))
            .filter_map(|case| case.scenario.as_deref())
            .filter(|scenario| scenario.rank != rank)
            .take(1024)
            .cloned()
            .collect()
    }

    /// Whether the text states this setting.
    ///
    /// ```
    /// let reading = packscope::input::read("[0, 8]\n--context-parallel-size 2").unwrap();
    /// assert!(reading.states("topology.context_parallel_size"));
    /// ```
    pub fn states(&self, field: &str) -> bool {
        self.settings.is_some()
            || self.shared.iter().chain(&self.cases[0].statements).any(|s| s.field == field)
    }

    /// Where a field stands in the text, or one entry of it, for case `index`. Bytes.
    ///
    /// ```
    /// let text = "[0, 500]";
    /// let reading = packscope::input::read(text).unwrap();
    /// let span = reading.span(text, 0, "params.cu_seqlens_q", Some(1)).unwrap();
    /// assert_eq!(&text[span], "500");
    /// ```
    pub fn span(
        &self,
        text: &str,
        index: usize,
        field: &str,
        entry: Option<usize>,
    ) -> Option<Range<usize>> {
        let case = self.cases.get(index)?;
        // A field copied from another (kv from q) points at the same place; a row has one place.
        let all = || case.statements.iter().chain(&self.shared);
        let span = all().rev().find(|statement| statement.field == field)?.span.clone();
        if span.is_empty() {
            return None;
        }
        let offsets_in_row = matches!(self.format, Format::Row(row) if row != Row::Offsets);
        Some(match entry {
            Some(entry) if !offsets_in_row => literal::entry_span(text, &span, entry),
            _ => span,
        })
    }
}

/// Reads a text, told apart by content.
///
/// # Errors
/// The first place that cannot be read, with one sentence and mostly a suggestion.
///
/// ```
/// let reading = packscope::input::read("lengths: 5 2 4").unwrap();
/// let offsets = reading.scenario().params.cu_seqlens_q.unwrap();
/// assert_eq!(offsets.data, [0, 5, 7, 11]);
/// ```
pub fn read(text: &str) -> Result<Reading, InputError> {
    if text.len() > MAX_TEXT {
        return Err(InputError::new(
            0..0,
            format!("the text has {} MB; 64 MB are read", text.len() >> 20),
        )
        .suggest("paste one microbatch, or save the tensor as .npy"));
    }
    if let Some(reading) = read_link(text) {
        return reading;
    }
    let fenced = outside_fence_blanked(text);
    let unprefixed = log::blank_prefixes(fenced.as_deref().unwrap_or(text));
    let body = unprefixed.text.as_str();
    let start = body.len() - body.trim_start().len();
    if start == body.len() {
        return Err(InputError::new(0..text.len(), "there is nothing here to read")
            .suggest("paste a printed PackedSeqParams, offsets like [0, 5, 7, 11], or lengths"));
    }
    let mut reading = if body[start..].starts_with('{') {
        json::read(body, start)?
    } else if let Some(reading) = python_repr::read(&unprefixed)? {
        reading
    } else {
        read_rows_or_launch(body, start)?
    };
    for case in &mut reading.cases {
        if let Some(rank) = case.rank {
            case.statements.push(Statement {
                field: "rank".into(),
                value: rank.into(),
                span: 0..0,
            });
        }
        let scenario = build(&reading.shared, case, Scenario::default())
            .map_err(|error| at_its_key(body, error))?;
        case.scenario = Some(Box::new(scenario));
    }
    Ok(reading)
}

/// A copied address: the text it keeps, under the settings it keeps.
fn read_link(text: &str) -> Option<Result<Reading, InputError>> {
    let (address, kept) = text.trim().split_once('#')?;
    if !address.starts_with("http") || text.trim().contains(char::is_whitespace) {
        return None;
    }
    let kept = url::Kept::unfold(kept.split('.').next()?)?;
    let mut reading = match read(&kept.text) {
        Ok(reading) => reading,
        Err(error) => return Some(Err(InputError { span: 0..text.len(), ..error })),
    };
    // Places are those of the text that was kept, not of the address.
    for statement in reading
        .shared
        .iter_mut()
        .chain(reading.cases.iter_mut().flat_map(|case| &mut case.statements))
    {
        statement.span = 0..0;
    }
    for scenario in reading.cases.iter_mut().filter_map(|case| case.scenario.as_deref_mut()) {
        let params = std::mem::take(&mut scenario.params);
        *scenario = Scenario { params, ..kept.settings.clone() };
    }
    reading.settings = Some(Box::new(kept.settings));
    Some(Ok(reading))
}

/// A Markdown report with the Scenario in a fence: everything but the fence's inside blanked, byte
/// for byte. None where there is no such fence.
fn outside_fence_blanked(text: &str) -> Option<String> {
    let start = text.find("```json\n")? + "```json\n".len();
    let end = start + text[start..].find("```")?;
    let blank =
        |part: &str| part.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect::<String>();
    Some(format!("{}{}{}", blank(&text[..start]), &text[start..end], blank(&text[end..])))
}

fn read_rows_or_launch(body: &str, start: usize) -> Result<Reading, InputError> {
    let shared = launch::read(body);
    let row = body[start..].trim_end();
    if shared.is_empty() {
        return python_repr::read_row(body, start..start + row.len());
    }
    if let Some(reading) = bare_list(body) {
        return Ok(Reading { shared, ..reading? });
    }
    Ok(Reading {
        format: Format::Launch,
        cases: vec![Case::default()],
        shared,
        settings: None,
        notes: vec!["These are sizes without a pack: add a printed PackedSeqParams, or offsets like [0, 5, 7, 11].".into()],
    })
}

/// A line that begins with a list or a tensor, among lines of arguments.
fn bare_list(body: &str) -> Option<Result<Reading, InputError>> {
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        if ["[", "tensor(", "array("].iter().any(|head| body[start..].starts_with(head)) {
            return Some(
                literal::parse(body, start)
                    .and_then(|(_, end)| python_repr::read_row(body, start..end)),
            );
        }
        at += line.len();
    }
    None
}

/// Puts the statements on top of a base.
fn build(
    shared: &[Statement],
    case: &Case,
    mut scenario: Scenario,
) -> Result<Scenario, InputError> {
    for statement in shared.iter().chain(&case.statements) {
        scenario
            .set(&statement.field, statement.value.clone())
            .map_err(|misfit| refused(statement, &misfit))?;
    }
    Ok(scenario)
}

fn refused(statement: &Statement, misfit: &Misfit) -> InputError {
    let error = InputError::new(statement.span.clone(), misfit.to_string());
    match misfit {
        Misfit::Unknown { nearest: Some(near), .. } => {
            error.suggest(format!("the nearest is {near}"))
        }
        _ => error,
    }
}

/// An unknown field is pointed at by its key, where the text has one in quotes before the value.
fn at_its_key(body: &str, error: InputError) -> InputError {
    let Some((name, _)) = error.message.split_once(" is not a field of ") else { return error };
    let quoted = [format!("\"{name}\""), format!("'{name}'")];
    let before = body.get(..error.span.start).unwrap_or_default();
    let key = quoted.iter().filter_map(|key| {
        before.match_indices(key.as_str()).last().map(|(at, _)| at..at + key.len())
    });
    match key.max_by_key(|key| key.start) {
        Some(span) => InputError { span, ..error },
        None => error,
    }
}
