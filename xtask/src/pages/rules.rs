//! The pages of the rules: an index, and one page with a stable address per code.

use super::glossary::Glossary;
use super::markdown::html_of;
use super::{escape, page};
use anyhow::Result;
use packscope::rules::{RULES, Rule};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Writes `rules/index.html` and `rules/PSP201.html`, ….
pub fn write(site: &Path, glossary: &Glossary) -> Result<()> {
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
        fs::write(
            folder.join(format!("{}.html", rule.code)),
            page(&format!("{} {}", rule.code, rule.name), &html_of(rule.page, glossary)),
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
