//! The glossary: `docs/glossary.md`, a heading a term, with its other spellings behind a bar.

use super::escape;
use super::markdown::html_but;
use crate::root;
use anyhow::{Result, bail};
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::fs;

pub struct Glossary {
    terms: Vec<Term>,
    /// Any spelling, the longest first.
    spellings: Regex,
    /// From a spelling, in small letters, to its term.
    slug_of: HashMap<String, String>,
}

struct Term {
    name: String,
    slug: String,
    meaning: String,
}

impl Glossary {
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(root().join("docs/glossary.md"))?;
        let mut terms = Vec::new();
        let mut slug_of = HashMap::new();
        for section in text.split("\n## ").skip(1) {
            let Some((head, meaning)) = section.split_once('\n') else {
                bail!("{section}: no text")
            };
            let (name, others) = head.split_once(" | ").unwrap_or((head, ""));
            let slug = slug(name);
            for spelling in others.split(", ").filter(|other| !other.is_empty()).chain([name]) {
                if slug_of.insert(spelling.to_lowercase(), slug.clone()).is_some() {
                    bail!("the glossary explains {spelling} twice");
                }
            }
            let meaning = meaning.trim().to_owned();
            terms.push(Term { name: name.to_owned(), slug, meaning });
        }
        let mut all: Vec<&String> = slug_of.keys().collect();
        all.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
        let any: Vec<String> = all.into_iter().map(|spelling| regex::escape(spelling)).collect();
        let spellings = Regex::new(&format!(r"(?i)\b(?:{})\b", any.join("|")))?;
        Ok(Glossary { terms, spellings, slug_of })
    }

    /// Running text as HTML; a term that is not linked yet is linked, once.
    pub fn link(&self, text: &str, linked: &mut HashSet<String>) -> String {
        let mut html = String::new();
        let mut done = 0;
        for found in self.spellings.find_iter(text) {
            let slug = &self.slug_of[&found.as_str().to_lowercase()];
            if linked.insert(slug.clone()) {
                html += &escape(&text[done..found.start()]);
                html += &anchor(slug, &escape(found.as_str()));
                done = found.end();
            }
        }
        html + &escape(&text[done..])
    }

    /// A piece of code as HTML, linked where it is a term.
    pub fn link_code(&self, text: &str, linked: &mut HashSet<String>) -> String {
        let code = format!("<code>{}</code>", escape(text));
        match self.slug_of.get(&text.to_lowercase()) {
            Some(slug) if linked.insert(slug.clone()) => anchor(slug, &code),
            _ => code,
        }
    }

    /// The page that explains every term.
    pub fn page(&self) -> String {
        let mut body = String::from(
            "<h1>Glossary</h1><p>The words that Packscope, Megatron-Core and Transformer Engine use for packed sequences. \
             A word that is explained here is a link wherever it first appears.</p><dl class=\"glossary\">",
        );
        for term in &self.terms {
            let meaning = html_but(&term.meaning, self, &mut HashSet::from([term.slug.clone()]));
            let _ = write!(
                body,
                "<dt id=\"{0}\"><a href=\"#{0}\">{1}</a></dt><dd>{meaning}</dd>",
                term.slug,
                escape(&term.name)
            );
        }
        body + "</dl>"
    }
}

fn anchor(slug: &str, inner: &str) -> String {
    format!("<a class=\"term\" href=\"../reference/glossary.html#{slug}\">{inner}</a>")
}

fn slug(name: &str) -> String {
    let letters = name.to_lowercase();
    let words = letters.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}
