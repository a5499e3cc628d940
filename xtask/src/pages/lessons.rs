//! The lessons: `docs/lessons/*.md`, as pages to read and as data for the tool, which shows each
//! step beside its live views. What a check takes for right is verified here, against the core.

use super::glossary::Glossary;
use super::markdown::{html_but, html_of};
use super::{drawn, escape, page};
use crate::root;
use anyhow::{Context, Result, bail, ensure};
use packscope::inspect;
use packscope::scene::View;
use packscope::session::{Session, Size};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Writes `lessons/index.html`, a page a lesson, and `lessons/lessons.json` for the tool.
pub fn write(site: &Path, glossary: &Glossary) -> Result<()> {
    let folder = site.join("lessons");
    fs::create_dir_all(&folder)?;
    let mut files: Vec<_> = fs::read_dir(root().join("docs/lessons"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    let mut list = String::new();
    let mut data = Vec::new();
    for file in &files {
        let name =
            file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let slug = name.split_once('-').map_or(&name[..], |(_, slug)| slug);
        let lesson = lesson(slug, &fs::read_to_string(file)?, glossary)
            .with_context(|| file.display().to_string())?;
        fs::write(folder.join(format!("{slug}.html")), page(&lesson.title, &lesson.page))?;
        let _ = write!(
            list,
            "<li><a href=\"{slug}.html\">{}</a><br>{} <a href=\"../index.html?lesson={slug}/1\">Start beside the live views</a></li>",
            escape(&lesson.title),
            lesson.summary
        );
        data.push(lesson.data);
    }
    let index = format!(
        "<h1>Lessons</h1><p>Ten short ones. Each step opens in the tool, with something to try and a check that knows the answer; \
         the pages here can be read without it.</p><ol class=\"lessons\">{list}</ol>"
    );
    fs::write(folder.join("index.html"), page("Lessons", &index))?;
    Ok(fs::write(folder.join("lessons.json"), serde_json::to_string(&data)?)?)
}

struct Lesson {
    title: String,
    summary: String,
    page: String,
    data: Value,
}

fn lesson(slug: &str, text: &str, glossary: &Glossary) -> Result<Lesson> {
    let mut sections = text.split("\n## ");
    let (title, summary) =
        sections.next().and_then(|head| head.split_once('\n')).context("no title")?;
    let title = title.trim_start_matches("# ");
    let summary = html_of(summary, glossary);
    let mut body = format!("<h1>{}</h1>{summary}", escape(title));
    let mut steps = Vec::new();
    let mut linked = HashSet::new();
    for (i, section) in sections.enumerate() {
        let step =
            step(section, glossary, &mut linked).with_context(|| format!("step {}", i + 1))?;
        let _ = write!(
            body,
            "<section><h2>{}</h2>{}<figure>{}</figure><p><a class=\"open\" href=\"../index.html?lesson={slug}/{}#{}\">Open this step beside the live views</a></p>{}</section>",
            escape(&step.title),
            step.html,
            step.picture,
            i + 1,
            step.kept,
            shown(&step.check)
        );
        steps.push(
            json!({"title": step.title, "html": step.html, "kept": step.kept, "views": step.views, "check": step.check}),
        );
    }
    ensure!(!steps.is_empty(), "no steps");
    let data = json!({"slug": slug, "title": title, "steps": steps});
    let summary = summary.trim().trim_start_matches("<p>").trim_end_matches("</p>").to_owned();
    Ok(Lesson { title: title.to_owned(), summary, page: body, data })
}

struct Step {
    title: String,
    html: String,
    kept: String,
    /// The views it speaks of, as names with spaces between them.
    views: String,
    picture: String,
    check: Value,
}

/// A step: prose, one `state` block (with the views of its picture), one `check` block.
fn step(section: &str, glossary: &Glossary, linked: &mut HashSet<String>) -> Result<Step> {
    let (title, rest) = section.split_once('\n').context("no text")?;
    let (before, rest) = rest.split_once("```state").context("no state")?;
    let (views, rest) = rest.split_once('\n').context("no state")?;
    let (state, rest) = rest.split_once("```").context("the state does not end")?;
    let (after, rest) = rest.split_once("```check\n").context("no check")?;
    let (check, behind) = rest.split_once("```").context("the check does not end")?;
    ensure!(behind.trim().is_empty(), "text behind the check");
    let mut check: Value = serde_json::from_str(check)?;
    let session = session_of(state)?;
    verify(&mut check, &session)?;
    for part in ["ask", "do", "because", "hint"] {
        if let Some(text) = check[part].as_str() {
            check[part] = html_but(text, glossary, linked).into();
        }
    }
    let mut picture = String::new();
    for name in views.split_whitespace() {
        let view = View::of_name(name).with_context(|| format!("there is no view {name}"))?;
        let width = if view == View::Matrix { 420.0 } else { 760.0 };
        picture += &drawn(session.analysis(), view, width);
    }
    let html = html_but(&format!("{before}\n\n{after}"), glossary, linked);
    let views = views.trim().to_owned();
    Ok(Step { title: title.to_owned(), html, kept: session.kept().fold(), views, picture, check })
}

fn session_of(state: &str) -> Result<Session> {
    let mut session = Session::default();
    // What a state does not say is 1.
    for size in Size::ALL {
        session.set(size.field(), 1.into());
    }
    session.set_text(state.trim());
    match session.error() {
        Some(error) => bail!("{}", error.message),
        None => Ok(session),
    }
}

fn seen(session: &Session) -> Value {
    serde_json::to_value(inspect::inspection(session.analysis(), session.findings()))
        .unwrap_or_default()
}

/// A number is looked up and put in; a choice has its right one; a task is not done at the start,
/// and its solution does it.
fn verify(check: &mut Value, session: &Session) -> Result<()> {
    if let Some(at) = check["number"].as_str().map(str::to_owned) {
        let found = seen(session).pointer(&at).and_then(Value::as_i64);
        check["number"] = found.with_context(|| format!("no number at {at}"))?.into();
    } else if let Some(choices) = check["choices"].as_array() {
        let right = check["right"].as_u64().context("no right choice")?;
        ensure!((right as usize) < choices.len(), "the right choice is not there");
    } else if check["want"].is_object() {
        ensure!(!done(&check["want"], &seen(session)), "the task is done at the start");
        let solution = check["solution"].as_str().context("no solution")?;
        let solved = seen(&session_of(solution)?);
        let reported = solved["findings"].as_array().into_iter().flatten();
        let reported: Vec<&Value> = reported.map(|finding| &finding["message"]).collect();
        ensure!(done(&check["want"], &solved), "the solution does not do it: {reported:?}");
    } else {
        ensure!(check["number"].is_i64(), "a check has a number, choices, or a want");
    }
    Ok(())
}

/// Whether an analysis is what a task wants: values at places, a count of errors, codes.
fn done(want: &Value, seen: &Value) -> bool {
    let findings = seen["findings"].as_array().cloned().unwrap_or_default();
    let reported = |code: &Value| findings.iter().any(|finding| &finding["code"] == code);
    want.as_object().into_iter().flatten().all(|(key, wanted)| match &key[..] {
        "errors" => {
            let errors = findings.iter().filter(|finding| finding["severity"] == "error");
            Some(errors.count() as u64) == wanted.as_u64()
        }
        "has" => reported(wanted),
        "lacks" => !reported(wanted),
        at => seen.pointer(at) == Some(wanted),
    })
}

/// A check on paper: the question, and its answer behind a fold.
fn shown(check: &Value) -> String {
    let question = check["ask"].as_str().or(check["do"].as_str()).unwrap_or_default();
    let mut answer = String::new();
    if let Some(right) = check["right"].as_u64() {
        let choice = check["choices"][right as usize].as_str().unwrap_or_default();
        answer = format!("<p><b>{}</b></p>", escape(choice));
    } else if let Some(number) = check["number"].as_i64() {
        answer = format!("<p><b>{number}</b></p>");
    } else if let Some(solution) = check["solution"].as_str() {
        answer = format!("<pre tabindex=\"0\"><code>{}</code></pre>", escape(solution));
    }
    let choices = check["choices"].as_array().map_or(String::new(), |choices| {
        let items =
            choices.iter().filter_map(Value::as_str).map(|c| format!("<li>{}</li>", escape(c)));
        format!("<ul>{}</ul>", items.collect::<String>())
    });
    format!(
        "<div class=\"question\">{question}{choices}<details><summary>Answer</summary>{answer}{}</details></div>",
        check["because"].as_str().unwrap_or_default()
    )
}
