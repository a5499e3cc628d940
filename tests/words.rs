//! What the page says.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The page is built without the code behind `{:?}`: there it would print nothing.
#[test]
fn no_text_of_the_page_is_debug_output() {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 100);
    for path in found.iter().filter(|path| !path.components().any(|part| part.as_os_str() == "cli"))
    {
        let text = fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            assert!(!line.contains(":?}"), "{}: {}", path.display(), line.trim());
        }
    }
}

#[test]
fn lists_and_quotes_read_as_debug_output_does() {
    use packscope::words::{list, quoted};
    assert_eq!(list(&[0, -5, 7]), format!("{:?}", [0, -5, 7]));
    assert_eq!(list::<u32>(&[]), "[]");
    assert_eq!(quoted("a \"b\" \\ c"), format!("{:?}", "a \"b\" \\ c"));
}
