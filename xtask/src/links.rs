//! No link of the site is broken: every address inside it leads to a file, and every `#place` to an
//! id there.

use crate::dist::{files, name_in};
use anyhow::{Result, bail};
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

/// Fails with every broken link, where there is one.
pub fn check(site: &Path) -> Result<()> {
    let outside = Regex::new("^(?:[a-z]+:|//)")?;
    let link = Regex::new(r#"(?:href|src)="([^"]*)""#)?;
    let id = Regex::new(r#"\bid="([^"]*)""#)?;
    let script = Regex::new(r"(?s)<script.*?</script>")?;
    let mut pages = HashMap::new();
    let mut all = HashSet::new();
    for path in files(site)? {
        let name = name_in(site, &path);
        if name.ends_with(".html") {
            // What a script writes is not a link yet.
            let html = fs::read_to_string(&path)?;
            pages.insert(name.clone(), script.replace_all(&html, "").into_owned());
        }
        all.insert(name);
    }
    let ids: HashMap<&str, HashSet<&str>> = pages
        .iter()
        .map(|(name, html)| {
            let ids = id.captures_iter(html).filter_map(|found| Some(found.get(1)?.as_str()));
            (name.as_str(), ids.collect())
        })
        .collect();
    let mut broken = Vec::new();
    let mut checked = 0;
    for (name, html) in &pages {
        for found in link.captures_iter(html) {
            let address = found[1].replace("&amp;", "&");
            if outside.is_match(&address) {
                continue;
            }
            checked += 1;
            let (path, place) = address.split_once('#').unwrap_or((&address, ""));
            let path = path.split('?').next().unwrap_or_default();
            let target = if path.is_empty() { name.clone() } else { joined(name, path) };
            // The tool keeps its state behind the hash, and rustdoc line numbers.
            let free = target == "index.html" || target.starts_with("api/src/");
            let there = all.contains(&target)
                && (place.is_empty()
                    || free
                    || ids.get(&target[..]).is_none_or(|ids| ids.contains(place)));
            if !there {
                broken.push(format!("{name}: {address}"));
            }
        }
    }
    if !broken.is_empty() {
        broken.sort();
        bail!("{} broken links:\n{}", broken.len(), broken.join("\n"));
    }
    println!("{checked} links in {} pages, none broken", pages.len());
    Ok(())
}

/// The path of a link, from the site's folder.
fn joined(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if path.is_empty() || path.ends_with('/') { path + "index.html" } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str, pages: &[(&str, &str)]) -> std::path::PathBuf {
        let folder =
            std::env::temp_dir().join(format!("packscope-links-{}-{name}", std::process::id()));
        for (page, html) in pages {
            let path = folder.join(page);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, html).unwrap();
        }
        folder
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let folder = site(
            "good",
            &[
                (
                    "a/x.html",
                    r##"<a href="../b.html#here">b</a> <a href="https://x.org/">x</a> <a href="#top" id="top">top</a>"##,
                ),
                ("b.html", r#"<p id="here">here</p>"#),
            ],
        );
        assert!(check(&folder).is_ok());
    }

    #[test]
    fn a_missing_file_and_a_missing_place_are_named() {
        let folder = site(
            "bad",
            &[("x.html", r#"<a href="no.html">no</a> <a href="y.html#no">no</a>"#), ("y.html", "")],
        );
        let error = check(&folder).unwrap_err().to_string();
        assert!(
            error.contains("x.html: no.html") && error.contains("x.html: y.html#no"),
            "{error}"
        );
    }
}
