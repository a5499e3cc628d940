//! The page: WebAssembly, its bindings, and what lies in `www`.

use crate::{command, pages, root, run};
use anyhow::{Context, Result};
use packscope::scene::{Frame, View, scene, theme};
use packscope::words;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the page into `target/site` and gives the folder.
pub fn build() -> Result<PathBuf> {
    let site = root().join("target/site");
    build_into(&site, false)?;
    Ok(site)
}

/// The page in a folder; `api` where the Rust API will stand beside it.
pub fn build_into(site: &Path, api: bool) -> Result<()> {
    ensure_wasm_target()?;
    // The source of the standard library, which `SLIM` builds.
    ensure_by_rustup("component", "rust-src")?;
    run(command("cargo").args(["build", "--quiet", "--lib", "--profile", "web"]).args(SLIM).env(
        // The flags of `SLIM` are not stable yet.
        "RUSTC_BOOTSTRAP",
        "1",
    ))?;
    let wasm = root().join("target/wasm32-unknown-unknown/web/packscope.wasm");
    let _ = fs::remove_dir_all(site);
    copy_folder(&root().join("www"), site)?;
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(&wasm)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(false)
        .generate(site.join("pkg"))?;
    optimise(&site.join("pkg/packscope_bg.wasm"))?;
    // `Symbol.dispose` is in no other library of TypeScript's.
    let types = site.join("pkg/packscope.d.ts");
    let text = fs::read_to_string(&types)?;
    fs::write(types, format!("/// <reference lib=\"esnext.disposable\" />\n{text}"))?;
    write_pages(site, api)
}

/// Builds the standard library with the page, for size and without what panics say: a page has
/// nowhere to print it. It takes an eighth off.
const SLIM: [&str; 6] = [
    "--target=wasm32-unknown-unknown",
    "-Zbuild-std=std,panic_abort",
    "-Zbuild-std-features=optimize_for_size",
    "--config",
    "target.wasm32-unknown-unknown.rustflags=['-Cpanic=immediate-abort','-Zunstable-options','-Zlocation-detail=none','-Zfmt-debug=none','-Cllvm-args=-inline-threshold=15']",
    "--locked",
];

/// Makes a WebAssembly file smaller, in place.
fn optimise(wasm: &Path) -> Result<()> {
    ensure_node_modules()?;
    run(command("npx")
        .args(["--no", "wasm-opt", "--"])
        .args([
            // Stronger levels make fewer bytes, and more of them when gzipped.
            "-O1",
            "--dae-optimizing",
            "--rse",
            "--code-folding",
            "-O1",
            // What has one name is alike, and what is alike and near is gzipped to less.
            "--reorder-functions-by-name",
            "--strip-debug",
            "--strip-producers",
            "--enable-simd",
            "--enable-bulk-memory",
            "--enable-nontrapping-float-to-int",
            "--enable-sign-ext",
            "--enable-mutable-globals",
            "--enable-reference-types",
            "--enable-multivalue",
        ])
        .arg(wasm)
        .arg("-o")
        .arg(wasm))
}

/// The size of a file, gzipped at the highest level. Bytes.
pub fn gzipped(path: &Path) -> Result<usize> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&fs::read(path)?)?;
    Ok(encoder.finish()?.len())
}

pub fn ensure_wasm_target() -> Result<()> {
    ensure_by_rustup("target", "wasm32-unknown-unknown")
}

/// Has rustup add a target or a component where it is missing.
fn ensure_by_rustup(kind: &str, name: &str) -> Result<()> {
    let installed = Command::new("rustup").args([kind, "list", "--installed"]).output();
    match installed {
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains(name) => Ok(()),
        _ => run(command("rustup").args([kind, "add", name]))
            .with_context(|| format!("{name} is missing: rustup {kind} add {name}")),
    }
}

pub fn ensure_node_modules() -> Result<()> {
    let lock = root().join("package-lock.json");
    let done = root().join("node_modules/.package-lock.json");
    let newer = |a: &Path, b: &Path| {
        Some(fs::metadata(a).ok()?.modified().ok()? > fs::metadata(b).ok()?.modified().ok()?)
    };
    if !done.exists() || newer(&lock, &done) == Some(true) {
        run(command("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
            .context("npm ci failed: is Node.js installed?")?;
    }
    Ok(())
}

/// Copies a folder with all it holds; what is there already stays.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// The first picture, drawn at build time, goes into the page, so that it is there before any
/// script; and every rule gets its page.
fn write_pages(site: &Path, api: bool) -> Result<()> {
    let index = site.join("index.html");
    let mut html = fs::read_to_string(&index)?;
    let style = fs::read_to_string(site.join("style.css"))?;
    html = html.replace(
        "<link rel=\"stylesheet\" href=\"style.css\">",
        &format!("<style>\n{style}</style>\n{}", pages::THEME_SCRIPT),
    );
    let session = packscope::session::Session::default();
    for view in [View::Pack, View::Lanes, View::Ranks] {
        let height = scene(session.analysis(), view, &Frame::whole(980.0, &theme::LIGHT)).height;
        let picture = format!(
            "<div class=\"first\" style=\"height: {height}px\">{}</div>",
            pages::drawn(session.analysis(), view, 980.0)
        );
        html = html.replace(&format!("<!-- first {} -->", view.name()), &picture);
    }
    // The words beside it, so that nothing moves when the script has come.
    let analysis = session.analysis();
    for (id, text) in [
        ("pack-sentence", words::pack_sentence(analysis)),
        ("lanes-sentence", words::lanes_sentence(analysis)),
        ("ranks-sentence", words::ranks_sentence(analysis, usize::MAX)),
        ("seq-idx", analysis.seq_idx.as_ref().map_or(String::new(), words::seq_idx)),
    ] {
        html = html
            .replace(&format!("id=\"{id}\">"), &format!("id=\"{id}\">{}", pages::escape(&text)));
    }
    fs::write(index, html)?;
    pages::write(site, api)
}
