//! The pages of the rules: an index, and one page with a stable address per code.

use anyhow::Result;
use packscope::rules::{RULES, Rule};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Writes `rules/index.html` and `rules/PSP201.html`, ….
pub fn write(site: &Path) -> Result<()> {
    let folder = site.join("rules");
    fs::create_dir_all(&folder)?;
    let mut rows = String::new();
    for rule in RULES {
        let summary = summary(rule);
        writeln!(
            rows,
            "<tr data-words=\"{0} {1} {2}\"><td><a href=\"{0}.html\">{0}</a></td><td><a href=\"{0}.html\">{1}</a></td>\
             <td class=\"{3}\">{3}</td><td>{2}</td></tr>",
            rule.code,
            rule.name,
            escape(&summary),
            rule.severity.word()
        )?;
        let body = html_of(rule.page);
        fs::write(
            folder.join(format!("{}.html", rule.code)),
            page(&format!("{} {}", rule.code, rule.name), &body),
        )?;
    }
    let body = format!(
        "<h1>Rules</h1><p>What Packscope checks. A code never changes its meaning. \
         <span class=\"error\">Errors</span> crash, hang or train wrong; <span class=\"warning\">warnings</span> cost something or work by luck; \
         <span class=\"info\">infos</span> are worth knowing.</p>\
         <p><label>Search <input id=\"search\" type=\"search\" autocomplete=\"off\"></label></p>\
         <table id=\"rules\"><thead><tr><th>Code</th><th>Name</th><th>Severity</th><th>What it is about</th></tr></thead><tbody>{rows}</tbody></table>\
         <script>const box = document.getElementById('search');\
         const show = () => {{ const words = box.value.toLowerCase().split(/\\s+/);\
         for (const row of document.querySelectorAll('tbody tr')) row.hidden = !words.every((word) => row.dataset.words.toLowerCase().includes(word)); }};\
         box.addEventListener('input', show);</script>"
    );
    fs::write(folder.join("index.html"), page("Rules", &body))?;
    Ok(())
}

fn summary(rule: &Rule) -> String {
    let body = rule.page.split("\n\n").nth(1).unwrap_or_default().replace('\n', " ");
    body.split_inclusive(". ").next().unwrap_or_default().trim().replace('`', "")
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} · Packscope</title><link rel=\"icon\" href=\"../icon.svg\"><link rel=\"stylesheet\" href=\"../style.css\"></head>\
         <body class=\"prose\"><header class=\"bar\"><a class=\"name\" href=\"../index.html\">Packscope</a> <a href=\"index.html\">Rules</a></header><main>{body}</main></body></html>"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The Markdown that rule pages use: headings, paragraphs, code, emphasis. An example gets a link
/// that opens it.
fn html_of(markdown: &str) -> String {
    let mut html = String::new();
    for (i, block) in markdown.split("```").enumerate() {
        if i % 2 == 1 {
            let code = block.strip_prefix("json\n").unwrap_or(block);
            let kept = packscope::input::url::fold(&kept(code));
            let _ = write!(
                html,
                "<pre><code>{}</code></pre><p><a href=\"../index.html#{kept}\">Open this example</a></p>",
                escape(code)
            );
            continue;
        }
        for paragraph in
            block.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty())
        {
            if let Some(title) = paragraph.strip_prefix("# ") {
                let _ = write!(html, "<h1>{}</h1>", inline(title));
            } else if let Some(title) = paragraph.strip_prefix("## ") {
                let _ = write!(html, "<h2>{}</h2>", inline(title));
            } else {
                let _ = write!(html, "<p>{}</p>", inline(paragraph));
            }
        }
    }
    html
}

/// The state of a page that shows a Scenario.
fn kept(scenario: &str) -> String {
    let mut session = packscope::session::Session::default();
    session.set_text(scenario);
    packscope::input::url::unfold(&session.kept()).unwrap_or_default()
}

fn inline(text: &str) -> String {
    let mut html = String::new();
    for (i, part) in escape(text).split('`').enumerate() {
        if i % 2 == 1 {
            let _ = write!(html, "<code>{part}</code>");
        } else {
            for (j, word) in part.split('*').enumerate() {
                let _ = if j % 2 == 1 {
                    write!(html, "<em>{word}</em>")
                } else {
                    write!(html, "{word}")
                };
            }
        }
    }
    html
}
