//! Markdown to HTML, with the words of the glossary linked.

use super::glossary::Glossary;
use super::{escape, kept};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, html};
use std::collections::HashSet;

/// A page's HTML. The first time a word of the glossary appears in running text it becomes a link;
/// a JSON example gets a link that opens it.
pub fn html_of(markdown: &str, glossary: &Glossary) -> String {
    html_but(markdown, glossary, &mut HashSet::new())
}

/// The same, where some words are linked already.
pub fn html_but(markdown: &str, glossary: &Glossary, linked: &mut HashSet<String>) -> String {
    let mut events = Vec::new();
    // Words inside headings, links and code blocks stay as they are.
    let mut closed = 0;
    let mut code: Option<(String, String)> = None;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                code = Some((language, String::new()));
            }
            Event::End(TagEnd::CodeBlock) => {
                let (language, text) = code.take().unwrap_or_default();
                events.push(Event::Html(code_block(&language, &text).into()));
            }
            Event::Text(text) if code.is_some() => {
                if let Some((_, block)) = &mut code {
                    block.push_str(&text);
                }
            }
            Event::Text(text) if closed == 0 => {
                events.push(Event::Html(glossary.link(&text, linked).into()));
            }
            Event::Code(text) if closed == 0 => {
                events.push(Event::Html(glossary.link_code(&text, linked).into()));
            }
            other => {
                match &other {
                    Event::Start(Tag::Heading { .. } | Tag::Link { .. }) => closed += 1,
                    Event::End(TagEnd::Heading(_) | TagEnd::Link) => closed -= 1,
                    _ => {}
                }
                events.push(other);
            }
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    body.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>")
}

fn code_block(language: &str, text: &str) -> String {
    let opened = if language == "json" {
        format!("<p><a href=\"../index.html#{}\">Open this example</a></p>\n", kept(text))
    } else {
        String::new()
    };
    format!("<pre tabindex=\"0\"><code>{}</code></pre>\n{opened}", escape(text))
}
