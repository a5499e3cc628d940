//! The recipes: `docs/embedding.md`, with the files that the tests build put in, so that what is
//! shown is what works.

use super::glossary::Glossary;
use super::markdown::html_of;
use crate::root;
use anyhow::{Context, Result};
use std::fs;

pub fn page(glossary: &Glossary) -> Result<String> {
    let text = fs::read_to_string(root().join("docs/embedding.md"))?;
    let mut whole = String::new();
    for line in text.lines() {
        match line.strip_prefix("<<< ") {
            Some(path) => {
                let file =
                    fs::read_to_string(root().join(path)).with_context(|| path.to_owned())?;
                let name = path.trim_start_matches("tests/embeds/");
                let name = name.split_once('/').map_or(name, |(_, name)| name);
                whole += &format!("`{name}`\n\n````\n{}\n````\n", file.trim_end());
            }
            None => {
                whole += line;
                whole.push('\n');
            }
        }
    }
    Ok(html_of(&whole, glossary))
}
