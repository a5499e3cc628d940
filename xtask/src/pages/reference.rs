//! The reference: the Scenario format from its schema, the command line from its own help, and a
//! page that leads to all of it.

use super::glossary::Glossary;
use super::markdown::html_of;
use super::{escape, page};
use crate::root;
use anyhow::Result;
use packscope::schema::scenario_schema;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Writes `reference/index.html`, `page.html`, `scenario.html`, `command-line.html` and the schema.
pub fn write(site: &Path, glossary: &Glossary, api: bool) -> Result<()> {
    let folder = site.join("reference");
    fs::create_dir_all(&folder)?;
    fs::write(site.join("scenario.schema.json"), format!("{:#}\n", scenario_schema()))?;
    let read = |name: &str| fs::read_to_string(root().join("docs").join(name));
    let api = if api {
        "\n- [Rust API](../api/packscope/index.html): every public item, with an example."
    } else {
        ""
    };
    let index = format!("{}{api}\n", read("reference.md")?.trim_end());
    fs::write(folder.join("index.html"), page("Reference", &html_of(&index, glossary)))?;
    let tool = html_of(&read("page.md")?, glossary);
    fs::write(folder.join("page.html"), page("The page", &tool))?;
    let scenario = html_of(&read("scenario.md")?, glossary) + &fields(&scenario_schema());
    fs::write(folder.join("scenario.html"), page("Scenario", &scenario))?;
    let commands = html_of(&read("command-line.md")?, glossary) + &help();
    fs::write(folder.join("command-line.html"), page("Command line", &commands))?;
    Ok(())
}

/// Every field of every object of the format.
fn fields(schema: &Value) -> String {
    let mut body = String::new();
    let named = schema["$defs"].as_object();
    let definitions = named.into_iter().flatten().map(|(name, definition)| (&name[..], definition));
    for (name, definition) in std::iter::once(("Scenario", schema)).chain(definitions) {
        let _ = write!(
            body,
            "<h2 id=\"{name}\">{name}</h2><p>{}</p>",
            prose(definition["description"].as_str().unwrap_or_default())
        );
        if let Some(choices) = definition["oneOf"].as_array().or(definition["anyOf"].as_array()) {
            body += "<ul>";
            for choice in choices {
                let meaning = prose(choice["description"].as_str().unwrap_or_default());
                let _ = write!(body, "<li>{} {meaning}</li>", kind(choice));
            }
            body += "</ul>";
        }
        let Some(properties) = definition["properties"].as_object() else { continue };
        body += "<div class=\"wide\"><table><thead><tr><th>Field</th><th>Holds</th><th>Unset</th><th>Meaning</th></tr></thead><tbody>";
        for (field, property) in properties {
            let unset = match &property["default"] {
                Value::Null | Value::Object(_) => String::new(),
                value => format!("<code>{}</code>", escape(&value.to_string())),
            };
            let _ = write!(
                body,
                "<tr><td><code>{field}</code></td><td>{}</td><td>{unset}</td><td>{}</td></tr>",
                kind(property),
                prose(property["description"].as_str().unwrap_or_default())
            );
        }
        body += "</tbody></table></div>";
    }
    body
}

/// What a value is, in words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("<code>\"{word}\"</code>");
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let kinds: Vec<String> =
            choices.iter().filter(|choice| choice["type"] != "null").map(kind).collect();
        return kinds.join(" or ");
    }
    let word = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").and_then(Value::as_str),
        kind => kind.as_str(),
    };
    match word.unwrap_or_default() {
        "integer" => "whole number".to_owned(),
        "boolean" => "<code>true</code> or <code>false</code>".to_owned(),
        "string" => "text".to_owned(),
        "array" => format!("list of {}", plural(&kind(&schema["items"]))),
        "object" => {
            let keys: Vec<String> = schema["properties"]
                .as_object()
                .into_iter()
                .flat_map(|all| all.keys())
                .map(|key| format!("<code>{key}</code>"))
                .collect();
            format!("object of {}", keys.join(", "))
        }
        _ => String::new(),
    }
}

fn plural(kind: &str) -> String {
    match kind.strip_prefix("list of ") {
        Some(items) => format!("lists of {items}"),
        None => format!("{kind}s"),
    }
}

fn prose(text: &str) -> String {
    let mut html = String::new();
    for (i, part) in escape(text).split('`').enumerate() {
        let _ =
            if i % 2 == 1 { write!(html, "<code>{part}</code>") } else { write!(html, "{part}") };
    }
    html
}

/// What the program itself says of its commands.
fn help() -> String {
    let mut body = String::new();
    for (name, text) in packscope::cli::help() {
        let title = if name == "packscope" { name.clone() } else { format!("packscope {name}") };
        let _ = write!(
            body,
            "<h2 id=\"{name}\">{title}</h2><pre tabindex=\"0\"><code>{}</code></pre>",
            escape(&text)
        );
    }
    body
}
