//! Findings as text, with the input's own lines underlined, and as GitHub annotations.

use super::{Source, on_terminal};
use crate::input::{InputError, Reading};
use crate::rules::{Finding, Severity};
use annotate_snippets::{Level, Renderer, Snippet};
use std::io::IsTerminal;
use std::ops::Range;

fn renderer(colour: bool) -> Renderer {
    if colour { Renderer::styled() } else { Renderer::plain() }
}

/// What cannot be read, on standard error.
pub fn unreadable(source: &Source, error: &InputError) {
    let span = within(&source.text, error.span.clone());
    let snippet = Snippet::source(&source.text)
        .origin(&source.name)
        .fold(true)
        .annotation(Level::Error.span(span).label("here"));
    let title = Level::Error.title(&error.message).snippet(snippet);
    let help = error.suggestion.as_deref().unwrap_or_default();
    let message = if help.is_empty() { title } else { title.footer(Level::Help.title(help)) };
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    eprintln!("{}", renderer(colour).render(message));
}

/// Where the finding's field, or its first entry, stands in the text.
pub fn place(
    text: &str,
    reading: &Reading,
    case: usize,
    finding: &Finding,
) -> Option<Range<usize>> {
    let entry = finding.entries.first().map(|entry| entry.index);
    let span = reading.span(text, case, &finding.field, entry)?;
    Some(within(text, span))
}

/// A span that the text has, on character boundaries.
fn within(text: &str, span: Range<usize>) -> Range<usize> {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    floor(span.start)..floor(span.end.max(span.start))
}

/// One finding as text.
pub fn text(source: &Source, reading: &Reading, case: usize, finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Info => Level::Info,
    };
    let title = format!("{}: {}", finding.name, finding.message);
    let spans: Vec<Range<usize>> = match place(&source.text, reading, case, finding) {
        None => Vec::new(),
        Some(first) => {
            let rest = finding.entries.iter().skip(1).filter_map(|entry| {
                reading.span(&source.text, case, &finding.field, Some(entry.index))
            });
            std::iter::once(first).chain(rest.map(|span| within(&source.text, span))).collect()
        }
    };
    let advice = match &finding.fix {
        Some(fix) => format!("{} (--fix: {})", finding.advice, fix.title),
        None => finding.advice.to_owned(),
    };
    let mut message = level.title(&title).id(finding.code);
    if !spans.is_empty() {
        let mut snippet = Snippet::source(&source.text).origin(&source.name).fold(true);
        for (i, span) in spans.into_iter().enumerate() {
            let annotation = level.span(span);
            snippet = snippet.annotation(if i == 0 {
                annotation.label(&finding.field)
            } else {
                annotation
            });
        }
        message = message.snippet(snippet);
    }
    message = message.footer(Level::Note.title(finding.run)).footer(Level::Help.title(&advice));
    format!("{}\n\n", renderer(on_terminal()).render(message))
}

/// One finding as a GitHub annotation.
pub fn github(
    source: &Source,
    first_line: usize,
    reading: &Reading,
    case: usize,
    finding: &Finding,
) -> String {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let at = place(&source.text, reading, case, finding).map_or(0, |span| span.start);
    let before = &source.text[..at];
    let line = first_line + before.matches('\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    format!(
        "::{level} file={},line={line},col={column},title={} {}::{}. {} {}\n",
        property(&source.name),
        finding.code,
        finding.name,
        data(&finding.message),
        data(finding.run),
        data(finding.advice),
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
