//! What is released, under `dist/`: the site, the same as a zip, and the npm package.

use crate::{command, links, pages, root, run, site};
use anyhow::{Result, ensure};
use packscope::VERSION;
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use zip::write::{SimpleFileOptions, ZipWriter};

/// What the WebAssembly may weigh, bytes.
const MOST_GZIPPED: usize = 150 << 10;

const SERVICE_WORKER: &str = include_str!("service-worker.js");

/// Builds all of it and checks that no link is broken.
pub fn dist() -> Result<()> {
    let site = root().join("dist/site");
    site::build_into(&site, true)?;
    api(&site)?;
    links::check(&site)?;
    work_offline(&site)?;
    zip(&site, &root().join("dist/packscope-site.zip"))?;
    package(&site, &root().join("dist/npm"))?;
    let wasm = site.join("pkg/packscope_bg.wasm");
    let gzipped = site::gzipped(&wasm)?;
    println!(
        "dist/site, dist/packscope-site.zip, dist/npm: WebAssembly {} bytes, {gzipped} gzipped",
        fs::metadata(&wasm)?.len(),
    );
    ensure!(gzipped <= MOST_GZIPPED, "the WebAssembly is above {MOST_GZIPPED} bytes gzipped");
    Ok(())
}

/// The Rust API under `api/`, with the site's bar on every page.
fn api(site: &Path) -> Result<()> {
    let parts = root().join("target/rustdoc-parts");
    fs::create_dir_all(&parts)?;
    let (head, bar) = (parts.join("head.html"), parts.join("bar.html"));
    fs::write(&head, include_str!("rustdoc-head.html"))?;
    // rustdoc puts the same bar on pages of every depth.
    let way_up = "<script>{ const bar = document.currentScript.previousElementSibling; const root = new URL(document.querySelector('meta[name=\"rustdoc-vars\"]').dataset.rootPath + '../', location.href);\
                  for (const link of bar.querySelectorAll('a')) link.href = new URL(link.dataset.page, root); }</script>";
    let bar_html = pages::header("").replace("href=\"", "data-page=\"");
    fs::write(&bar, format!("{bar_html}{way_up}"))?;
    run(command("cargo")
        .args(["doc", "--quiet", "--no-deps", "--lib", "--package", "packscope"])
        .args(["--target-dir", "target/rustdoc"])
        .env(
            "RUSTDOCFLAGS",
            format!(
                "-Dwarnings --html-in-header {} --html-before-content {}",
                head.display(),
                bar.display()
            ),
        ))?;
    site::copy_folder(&root().join("target/rustdoc/doc"), &site.join("api"))?;
    // rustdoc's own pages lead to an index that it does not write.
    Ok(fs::write(
        site.join("api/index.html"),
        "<!doctype html><title>Rust API</title><meta http-equiv=\"refresh\" content=\"0; url=packscope/index.html\"><a href=\"packscope/index.html\">Rust API</a>",
    )?)
}

/// Writes the service worker, which keeps everything but the Rust API for work offline, and lets
/// the tool register it.
fn work_offline(site: &Path) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    let mut names = Vec::new();
    for path in files(site)? {
        let name = name_in(site, &path);
        if !name.starts_with("api/") {
            fs::read(&path)?.hash(&mut hasher);
            names.push(name);
        }
    }
    let worker = SERVICE_WORKER
        .replace("'VERSION'", &format!("'{VERSION}-{:x}'", hasher.finish()))
        .replace("['FILES']", &serde_json::to_string(&names)?);
    fs::write(site.join("service-worker.js"), worker)?;
    let index = site.join("index.html");
    let html = fs::read_to_string(&index)?.replace(
        "</body>",
        "<script>navigator.serviceWorker?.register('service-worker.js');</script>\n</body>",
    );
    Ok(fs::write(index, html)?)
}

fn zip(site: &Path, target: &Path) -> Result<()> {
    let mut zip = ZipWriter::new(fs::File::create(target)?);
    for path in files(site)? {
        zip.start_file(name_in(site, &path), SimpleFileOptions::default())?;
        zip.write_all(&fs::read(path)?)?;
    }
    zip.finish()?;
    Ok(())
}

/// The npm package: the module, its types, its WebAssembly, and the element.
fn package(site: &Path, target: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(target);
    site::copy_folder(&site.join("pkg"), &target.join("pkg"))?;
    for name in ["packscope-view.js", "packscope-view.d.ts", "scenario.schema.json"] {
        fs::copy(site.join(name), target.join(name))?;
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(name), target.join(name))?;
    }
    fs::copy(root().join("docs/npm.md"), target.join("README.md"))?;
    let manifest = serde_json::json!({
        "name": "packscope",
        "version": VERSION,
        "description": "Shows how packed sequences land on GPUs, and says what is wrong with the metadata: a custom element, and the core in WebAssembly.",
        "keywords": ["megatron", "packed-sequences", "context-parallel", "custom-element", "wasm"],
        "license": "MIT OR Apache-2.0",
        "type": "module",
        "main": "./pkg/packscope.js",
        "types": "./pkg/packscope.d.ts",
        "exports": {
            ".": {"types": "./pkg/packscope.d.ts", "default": "./pkg/packscope.js"},
            "./view": {"types": "./packscope-view.d.ts", "default": "./packscope-view.js"},
            "./packscope_bg.wasm": "./pkg/packscope_bg.wasm",
            "./scenario.schema.json": "./scenario.schema.json",
            "./package.json": "./package.json"
        },
        "sideEffects": ["./packscope-view.js"]
    });
    Ok(fs::write(target.join("package.json"), format!("{manifest:#}\n"))?)
}

/// Every file below a folder, in order.
pub fn files(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.insert(path);
        }
    }
    Ok(found)
}

/// A file's path in the site, with slashes.
pub fn name_in(site: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(site).unwrap_or(path);
    inside.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
