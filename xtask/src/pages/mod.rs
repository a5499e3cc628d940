//! The pages beside the tool: rules, reference, glossary, lessons, embedding. One look, and every
//! word of the glossary linked where it first appears.

mod embedding;
mod glossary;
mod lessons;
mod markdown;
mod reference;
mod rules;

use anyhow::Result;
use glossary::Glossary;
use packscope::scene::View;
use packscope::scene::theme::{self, Theme};
use packscope::{Analysis, draw};
use std::fs;
use std::path::Path;

/// Writes all of them; `api` where the Rust API stands beside them.
pub fn write(site: &Path, api: bool) -> Result<()> {
    let glossary = Glossary::read()?;
    rules::write(site, &glossary)?;
    reference::write(site, &glossary, api)?;
    lessons::write(site, &glossary)?;
    for (name, title, body) in [
        ("glossary", "Glossary", glossary.page()),
        ("embedding", "Embedding", embedding::page(&glossary)?),
    ] {
        fs::write(site.join("reference").join(format!("{name}.html")), page(title, &body))?;
    }
    Ok(())
}

/// Takes up the theme that was chosen, before anything is painted.
pub const THEME_SCRIPT: &str = "<script>try { const kept = localStorage.getItem('theme'); if (kept) document.documentElement.dataset.theme = kept; } catch { /* a private window keeps nothing */ }</script>";

/// A page one folder below the tool.
fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{} · Packscope</title><link rel=\"icon\" href=\"../icon.svg\"><link rel=\"stylesheet\" href=\"../style.css\">\
         {THEME_SCRIPT}</head>\n\
         <body class=\"prose\">{}<main>{body}</main></body></html>\n",
        escape(title),
        header("../")
    )
}

/// The bar over every page; `root` leads to the tool's folder.
pub fn header(root: &str) -> String {
    format!(
        "<header class=\"bar\"><a class=\"name\" href=\"{root}index.html\">Packscope</a><nav class=\"links\" aria-label=\"The site\">\
         <a href=\"{root}lessons/index.html\">Lessons</a> <a href=\"{root}rules/index.html\">Rules</a> \
         <a href=\"{root}reference/index.html\">Reference</a> <a href=\"{root}reference/glossary.html\">Glossary</a></nav></header>"
    )
}

/// A view as it looks in light and in dark; the page's theme shows one of them.
pub fn drawn(analysis: &Analysis, view: View, width: f64) -> String {
    let themed = |class: &str, theme: &Theme| {
        draw::svg(analysis, view, width, theme).replacen(
            "<svg ",
            &format!("<svg class=\"{class}\" "),
            1,
        )
    };
    themed("in-light", &theme::LIGHT) + &themed("in-dark", &theme::DARK)
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The state of a page that shows a text that `input` reads.
fn kept(text: &str) -> String {
    let mut session = packscope::session::Session::default();
    session.set_text(text);
    session.kept().fold()
}

#[cfg(test)]
mod tests {
    /// Every lesson's state is read, every answer is there, every solution does its task.
    #[test]
    fn pages_are_written() {
        let site = crate::root().join("target/pages-test");
        super::write(&site, false).unwrap_or_else(|error| panic!("{error:#}"));
    }
}
